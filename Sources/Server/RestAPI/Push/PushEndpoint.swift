internal import Concurrency
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import JourneyStore
internal import NIOCore
internal import PushFormats
internal import PushService
internal import ServerHTTP
internal import ServiceLifecycle
internal import StrictJSON

/// `/push/sns/message` and `/push/stream`: what devices send and fetch. There is no session; the devices' signatures are the proof.
struct PushEndpoint: Endpoint {
  let service: PushDeviceService
  let drain: Drain
  let requests: RequestLimits

  /// Devices prove themselves with each request; ``Proof`` charges requests that do not to their address.
  var routes: [Route] {
    [
      Route("push/sns/message", [.post: act], admission: .own { _ in }),
      Route(reading: "push/stream", admission: .own { _ in }, isStream: true, stream),
    ]
  }

  private func act(_ request: Request, in context: ResourceContext) async throws -> Response {
    let realm = context.realm
    let action = try QueryParameters(request.uri.query)["_action"]
    let proof = Proof(requests: requests, address: context.connection.limitKey, realm: realm)
    let body = try await RequestBodyReader.bytes(of: request)
    switch action {
    case "register", "authenticate":
      let body = try await proof.of(nil) { try PushAnswerBody(parsing: body) }
      try await proof.of(body.messageID) {
        if action == "register" {
          try await service.register(body, realm: realm)
        } else {
          try await service.authenticate(body, realm: realm)
        }
      }
      return .json([:])
    case "refresh":
      let body = try await proof.of(nil) { try PushRefreshBody(parsing: body) }
      try await proof.of(body.mechanismUID) { try await service.refresh(body, realm: realm) }
      return .json([:])
    case "poll":
      let body = try await proof.of(nil) { try PushPollBody(parsing: body) }
      let answer = try await proof.of(body.mechanismUID) {
        try await withGracefulShutdownHandler {
          try await service.poll(body, realm: realm)
        } onGracefulShutdown: {
          drain.begin()
        }
      }
      // A server that is stopping answers polls at once, so devices should wait before they ask it again.
      guard drain.isUnderWay else { return .json(answer.json) }
      return .json(answer.json, headers: [.retryAfter: String(drain.reconnectionTime() / 1000)])
    default:
      throw ErrorResponse.badRequest("The parameter _action must be register, authenticate, refresh or poll.")
    }
  }

  /// The messages of a device as server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html).
  private func stream(_ request: Request, in context: ResourceContext) async throws -> Response {
    let realm = context.realm
    let proof = Proof(
      requests: requests, address: context.connection.limitKey, realm: realm, status: .unauthorized)
    let authorization = (request.headers[.authorization] ?? "").split(separator: " ", maxSplits: 1)
    guard authorization.count == 2, authorization[0].lowercased() == "bearer" else {
      throw proof.refusal(of: .accessDenied("no bearer token of a device was sent"))
    }
    let listener = try await proof.of(nil) {
      try await service.listener(token: String(authorization[1]), realm: realm)
    }
    try proof.charge(listener.mechanismUID)
    var headers: HTTPFields = [
      .contentType: "text/event-stream", .cacheControl: "no-store", .xContentTypeOptions: "nosniff",
    ]
    // Proxies that buffer answers, such as nginx, would hold messages back.
    headers["X-Accel-Buffering"] = "no"
    let body = ResponseBody { [drain] writer in
      let sink = EventSink(writer: Transferred(writer))
      try await withGracefulShutdownHandler {
        try await listener.listen { try await sink.send($0) }
      } onGracefulShutdown: {
        drain.begin()
      }
      if drain.isUnderWay { try await sink.reconnect(afterMilliseconds: drain.reconnectionTime()) }
      try await writer.finish(nil)
    }
    return Response(status: .ok, headers: headers, body: body)
  }
}

/// Writes events into a response's body.
private struct EventSink: Sendable {
  /// The tasks that write do so one after the other, and the stream waits for each.
  let writer: Transferred<any ResponseBodyWriter>

  func send(_ signal: PushListener.Signal) async throws {
    var writer = writer.value
    try await writer.write(signal.event)
  }

  /// Tells the client when to connect again.
  func reconnect(afterMilliseconds time: Int) async throws {
    var writer = writer.value
    try await writer.write(ByteBuffer(string: "retry: \(time)\n\n"))
  }
}

extension PushEndpoint {
  /// Turns refusals into answers. The proof is checked first, and only requests without one are charged to their address, so
  /// that nobody locks out the devices that share it.
  private struct Proof {
    let requests: RequestLimits
    let address: String
    let realm: String
    var status = HTTPResponse.Status.badRequest

    /// - Parameter subject: the message or device that the client names.
    func of<Value>(_ subject: String?, _ body: () async throws -> Value) async throws -> Value {
      if let subject { try requests.require(device: key(of: subject)) }
      do {
        let value = try await body()
        if let subject { requests.charge(device: key(of: subject)) }
        return value
      } catch let error as PushFormatError {
        throw refusal(of: answer(error.description, code: nil))
      } catch let refusal as PushDeviceService.Refusal {
        let answer = answer(refusal.reason, code: refusal.code)
        guard refusal.code != nil else { throw self.refusal(of: answer) }
        if let subject { requests.charge(device: key(of: subject)) }
        throw answer
      }
    }

    /// Charges a device whose proof named it.
    ///
    /// - Throws: 429.
    func charge(_ device: String) throws {
      try requests.require(device: key(of: device))
      requests.charge(device: key(of: device))
    }

    /// The error for a client without a proof: `answer`, or 429 when its address has sent too many such requests.
    func refusal(of answer: ErrorResponse) -> ErrorResponse {
      let waits = [requests.admit(.refusedProof, address), requests.admit(.address, address)]
      return waits.compactMap { $0 }.max().map { .tooManyRequests(retryAfter: $0) } ?? answer
    }

    private func answer(_ reason: String, code: PushDeviceService.Refusal.Code?) -> ErrorResponse {
      ErrorResponse(
        status, status.reasonPhrase, detail: code.map { ["errorCode": .string($0.rawValue)] }, cause: reason)
    }

    private func key(of subject: String) -> String { "\(realm) \(subject)" }
  }
}

extension PushListener.Signal {
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
