internal import Concurrency
internal import NIOCore
package import NIOHTTP1
internal import NIOHTTP2
internal import NIOPosix
internal import NIOSSL

/// A request as a push service sees it.
package struct SeenRequest: Sendable {
  package var path: String
  package var headers: HTTPHeaders
  package var body: [UInt8]

  /// Which connection it came on, counted from 1.
  package var connection: Int

  package func header(_ name: String) -> String? { headers.first(name: name) }
}

/// How a push service answers.
package struct Reply: Sendable {
  package var status: Int
  package var headers: [(String, String)]
  package var body: String

  /// Said to the connection after the answer: `GOAWAY`, or nothing more at all.
  package var then: After

  package enum After: Sendable { case nothing, goAway, drop }

  package init(
    status: Int, headers: [(String, String)] = [], body: String = "", then: After = .nothing
  ) {
    self.status = status
    self.headers = headers
    self.body = body
    self.then = then
  }

  package static let ok = Reply(status: 200)
  package static func error(_ status: Int, _ reason: String) -> Reply {
    Reply(status: status, body: #"{"reason":"\#(reason)"}"#)
  }
}

/// A push service on this machine: HTTP/2 over TLS as Apple's, or HTTP/1.1 without TLS.
package final class TestPushService: Sendable {
  fileprivate struct State {
    var requests: [SeenRequest] = []
    var waiting: [(count: Int, continuation: CheckedContinuation<[SeenRequest], Never>)] = []
    var open = 0
    var mostOpen = 0
    var connections = 0

    mutating func add(_ request: SeenRequest) {
      requests.append(request)
      open += 1
      mostOpen = max(mostOpen, open)
      for waiter in waiting where waiter.count <= requests.count {
        waiter.continuation.resume(returning: requests)
      }
      waiting.removeAll { [count = requests.count] in $0.count <= count }
    }
  }

  package let port: Int
  private let channel: any Channel
  private let state: Locked<State>

  package var requests: [SeenRequest] { state.withLock { $0.requests } }
  package var connections: Int { state.withLock { $0.connections } }

  /// Most requests that were under way at once.
  package var mostAtOnce: Int { state.withLock { $0.mostOpen } }

  /// Waits until that many requests have come, answered or not.
  package func requests(atLeast count: Int) async -> [SeenRequest] {
    await withCheckedContinuation { continuation in
      state.withLock { state in
        guard state.requests.count < count else { return continuation.resume(returning: state.requests) }
        state.waiting.append((count, continuation))
      }
    }
  }

  package typealias Answer = @Sendable (SeenRequest) async -> Reply?

  /// Runs `body` with a service that answers as `answer` says; `nil` drops the connection without an answer.
  package static func run<T>(
    tls: TestCertificates?, streams: Int = 100, answer: @escaping Answer,
    body: (TestPushService) async throws -> T
  ) async throws -> T {
    let service = try await TestPushService(tls: tls, streams: streams, answer: answer)
    do {
      let result = try await body(service)
      try await service.channel.close()
      return result
    } catch {
      try? await service.channel.close()
      throw error
    }
  }

  private init(tls: TestCertificates?, streams: Int, answer: @escaping Answer) async throws {
    let state = Locked(State())
    self.state = state
    let context = try tls.map { certificates in
      var configuration = TLSConfiguration.makeServerConfiguration(
        certificateChain: certificates.chain, privateKey: certificates.key)
      configuration.applicationProtocols = ["h2"]
      return try NIOSSLContext(configuration: configuration)
    }
    channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .childChannelInitializer { channel in
        let connection = state.withLock { state in
          state.connections += 1
          return state.connections
        }
        return channel.eventLoop.makeCompletedFuture {
          let sync = channel.pipeline.syncOperations
          guard let context else {
            try sync.configureHTTPServerPipeline()
            try sync.addHandler(
              Exchange(state: state, connection: connection, parent: channel, answer: answer))
            return
          }
          try sync.addHandler(NIOSSLServerHandler(context: context))
          var settings = NIOHTTP2Handler.ConnectionConfiguration()
          settings.initialSettings = [
            HTTP2Setting(parameter: .maxConcurrentStreams, value: streams),
            HTTP2Setting(parameter: .maxHeaderListSize, value: 16 << 10),
          ]
          _ = try sync.configureHTTP2Pipeline(
            mode: .server, connectionConfiguration: settings, streamConfiguration: .init()
          ) { stream in
            stream.eventLoop.makeCompletedFuture {
              try stream.pipeline.syncOperations.addHandlers(
                HTTP2FramePayloadToHTTP1ServerCodec(),
                Exchange(state: state, connection: connection, parent: channel, answer: answer))
            }
          }
        }
      }
      .bind(host: "127.0.0.1", port: 0).get()
    port = channel.localAddress?.port ?? 0
  }
}

/// Collects one request after the other and answers it.
private final class Exchange: ChannelInboundHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundOut = HTTPServerResponsePart

  private let state: Locked<TestPushService.State>
  private let connection: Int
  private let parent: any Channel
  private let answer: TestPushService.Answer
  private var head: HTTPRequestHead?
  private var body: [UInt8] = []

  init(
    state: Locked<TestPushService.State>, connection: Int, parent: any Channel,
    answer: @escaping TestPushService.Answer
  ) {
    self.state = state
    self.connection = connection
    self.parent = parent
    self.answer = answer
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let head):
      self.head = head
      body = []
    case .body(let part): body += part.readableBytesView
    case .end:
      guard let head else { return }
      let request = SeenRequest(path: head.uri, headers: head.headers, body: body, connection: connection)
      state.withLock { $0.add(request) }
      Self.respond(to: request, on: context.channel, parent: parent, state: state, answer: answer)
    }
  }

  private static func respond(
    to request: SeenRequest, on channel: any Channel, parent: any Channel,
    state: Locked<TestPushService.State>,
    answer: @escaping TestPushService.Answer
  ) {
    Task {
      let reply = await answer(request)
      state.withLock { $0.open -= 1 }
      guard let reply else {
        try? await parent.close()
        return
      }
      try? await write(reply, to: channel, parent: parent)
    }
  }

  private static func write(_ reply: Reply, to channel: any Channel, parent: any Channel) async throws {
    var headers = HTTPHeaders(reply.headers)
    headers.add(name: "content-length", value: String(reply.body.utf8.count))
    let head = HTTPResponseHead(
      version: .http1_1, status: .init(statusCode: reply.status), headers: headers)
    channel.write(HTTPServerResponsePart.head(head), promise: nil)
    if !reply.body.isEmpty {
      channel.write(HTTPServerResponsePart.body(.byteBuffer(ByteBuffer(string: reply.body))), promise: nil)
    }
    // The stream may be gone before its last write is reported.
    try? await channel.writeAndFlush(HTTPServerResponsePart.end(nil))
    switch reply.then {
    case .nothing: break
    case .goAway:
      try await parent.writeAndFlush(
        HTTP2Frame(
          streamID: .rootStream,
          payload: .goAway(lastStreamID: .maxID, errorCode: .noError, opaqueData: nil)))
    case .drop: try await parent.close()
    }
  }
}
