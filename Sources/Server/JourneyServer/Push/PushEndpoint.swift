internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import JourneyNodes
internal import JourneyStore
internal import NIOCore
internal import PushFormats
internal import ServiceLifecycle
internal import StrictJSON

/// `/push/sns/message` and `/push/stream`: what devices send and fetch. No session; the devices' signatures are the proof.
struct PushEndpoint: Sendable {
  let desk: PushDesk
  let direct: DirectDelivery

  /// Counts requests that prove nothing, by address and by message or device.
  let refusals: RateLimiter?
  let clock: @Sendable () -> Date

  func respond(to request: Request, realm: String, context: ServerRequestContext) async throws -> Response {
    guard request.method == .post else { throw ErrorResponse.methodNotAllowed([.post]) }
    let action = try QueryParameters(request.uri.query)["_action"]
    let proof = try await Proof(endpoint: self, address: context.limitKey)
    let body = try await RequestBodyReader.bytes(of: request, limit: PushFormatLimits.bodyBytes)
    switch action {
    case "register", "authenticate":
      let body = try await proof.parsed { () throws(PushFormatError) in try PushAnswerBody(parsing: body) }
      try await proof.of(body.messageID) {
        if action == "register" {
          try await desk.register(body, realm: realm)
        } else {
          try await desk.authenticate(body, realm: realm)
        }
      }
      return .json([:])
    case "refresh":
      let body = try await proof.parsed { () throws(PushFormatError) in try PushRefreshBody(parsing: body) }
      try await proof.of(body.mechanismUID) { try await desk.refresh(body, realm: realm) }
      return .json([:])
    case "poll":
      let body = try await proof.parsed { () throws(PushFormatError) in try PushPollBody(parsing: body) }
      let answer = try await proof.of(body.mechanismUID) {
        try await withGracefulShutdownHandler {
          try await desk.poll(body, realm: realm)
        } onGracefulShutdown: {
          direct.close()
        }
      }
      return .json(answer.json)
    default:
      throw ErrorResponse.badRequest("The parameter _action must be register, authenticate, refresh or poll.")
    }
  }

  /// The messages of a device as server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html).
  func stream(to request: Request, realm: String, context: ServerRequestContext) async throws -> Response {
    guard request.method == .get else { throw ErrorResponse.methodNotAllowed([.get]) }
    let proof = try await Proof(endpoint: self, address: context.limitKey, status: .unauthorized)
    let authorization = (request.headers[.authorization] ?? "").split(separator: " ", maxSplits: 1)
    guard authorization.count == 2, authorization[0].lowercased() == "bearer" else {
      throw ErrorResponse.accessDenied("no bearer token of a device was sent")
    }
    let device = try await proof.of(nil) {
      try await desk.listener(token: String(authorization[1]), realm: realm)
    }
    var headers = HTTPFields()
    headers[.contentType] = "text/event-stream"
    headers[.cacheControl] = "no-store"
    headers[.xContentTypeOptions] = "nosniff"
    // Proxies that gather what they pass on, such as nginx, would hold messages back.
    if let name = HTTPField.Name("X-Accel-Buffering") { headers[name] = "no" }
    return Response(status: .ok, headers: headers, body: events(for: device))
  }

  private func events(for device: PushDeviceRecord) -> ResponseBody {
    ResponseBody { writer in
      try await send(to: device, EventSink(writer: writer))
      try await writer.finish(nil)
    }
  }

  private func send(to device: PushDeviceRecord, _ sink: EventSink) async throws {
    try await withGracefulShutdownHandler {
      try await desk.listen(as: device) { signal in try await sink.send(signal) }
    } onGracefulShutdown: {
      direct.close()
    }
  }
}

/// Writes events into a response's body.
private struct EventSink {
  let writer: any ResponseBodyWriter

  func send(_ signal: PushDesk.Signal) async throws {
    var writer = writer
    try await writer.write(signal.event)
  }
}

extension PushEndpoint {
  /// Turns refusals into answers, and counts those of clients that have proven nothing.
  private struct Proof {
    let endpoint: PushEndpoint
    let address: String
    let status: HTTPResponse.Status

    /// - Throws: 429 when the address has been refused too often.
    init(endpoint: PushEndpoint, address: String, status: HTTPResponse.Status = .badRequest) async throws {
      self.endpoint = endpoint
      self.address = "address \(address)"
      self.status = status
      try await requirePatience(of: self.address)
    }

    func parsed<Body>(_ parse: () throws(PushFormatError) -> Body) async throws -> Body {
      do throws(PushFormatError) { return try parse() } catch {
        throw await refused(error.description, code: nil, subject: nil)
      }
    }

    /// - Parameter subject: the message or device that the client names.
    func of<Value>(_ subject: String?, _ body: () async throws -> Value) async throws -> Value {
      let subject = subject.map { "subject \($0)" }
      if let subject { try await requirePatience(of: subject) }
      do { return try await body() } catch let refusal as PushDesk.Refusal {
        throw await refused(refusal.reason, code: refusal.code, subject: subject)
      }
    }

    private func requirePatience(of key: String) async throws {
      guard let wait = await endpoint.refusals?.wait(of: key, now: endpoint.clock()) else { return }
      throw ErrorResponse.tooManyRequests(retryAfter: wait)
    }

    private func refused(_ reason: String, code: PushDesk.Refusal.Code?, subject: String?) async
      -> ErrorResponse
    {
      if code == nil {
        let now = endpoint.clock()
        await endpoint.refusals?.charge(address, now: now)
        if let subject { await endpoint.refusals?.charge(subject, now: now) }
      }
      return ErrorResponse(
        status, status.reasonPhrase, detail: code.map { ["errorCode": .string($0.rawValue)] },
        cause: reason)
    }
  }
}

extension PushDesk.Signal {
  /// The event; a comment, which clients ignore, when there is nothing new. The message has no line ends, being JSON.
  fileprivate var event: ByteBuffer {
    switch self {
    case .nothingNew: ByteBuffer(string: ": listening\n\n")
    case .message(let delivery):
      ByteBuffer(
        string: "id: \(delivery.messageID)\ndata: \(String(decoding: delivery.serialized, as: UTF8.self))\n\n"
      )
    }
  }
}
