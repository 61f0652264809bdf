import AsyncHTTPClient
import CommonFixtures
import Concurrency
import Hummingbird
import Logging
import NIOCore
import NIOEmbedded
import NIOPosix
import PushServiceFixtures
import ServiceLifecycle
import Testing

@testable import Assembly
@testable import ServerHTTP

@Suite("Connections that nobody takes", .timeLimit(.minutes(5))) struct AcceptedConnectionTests {
  private let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

  @Test func `it is closed, finished, and not answered`() async throws {
    let server = try await SealringServer.make(LocalServer.configuration())
    let answered = Locked(0)
    let connections = AcceptedConnections(
      pipeline: ConnectionPipeline(limits: ServerLimits(), drain: server.drain, closingTime: 1),
      gate: ConnectionGate(
        maximum: 10, maximumPerAddress: 10, address: { _ in nil }, now: { LocalServer.morning }),
      certificate: nil
    ) { _, _, _ in answered.withLock { $0 += 1 } }
    let channel = NIOAsyncTestingChannel()
    let accepted = Locked<EventLoopFuture<AcceptedConnection>?>(nil)
    try await channel.testingEventLoop.executeInContext { [logger] in
      accepted.withLock { $0 = connections.setup(channel: channel, logger: logger) }
    }
    // From here on SwiftNIO leaves the connection to whoever takes it.
    try await channel.connect(to: SocketAddress(ipAddress: "192.0.2.1", port: 1)).get()
    try await channel.writeInbound(ByteBuffer(string: "GET / HTTP/1.1\r\nHost: x\r\n\r\n"))
    accepted.withLock { $0 = nil }
    try await channel.closeFuture.get()
    #expect(answered.withLock { $0 } == 0)
    try await server.close()
  }

  enum Ending: CaseIterable { case asked, cancelled }

  @Test(arguments: Ending.allCases)
  func `clients that connect while the server stops do it no harm`(ending: Ending) async throws {
    let server = try await SealringServer.make(LocalServer.configuration())
    for _ in 1...40 {
      try await Self.round(of: server, ending: ending) { port, connected in
        let bootstrap = ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
        // Until connections are refused.
        while connected() < 5_000,
          let channel = try? await bootstrap.connect(host: "127.0.0.1", port: port).get()
        {
          channel.writeAndFlush(
            ByteBuffer(string: "GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n"), promise: nil)
          channel.close(promise: nil)
        }
      }
    }
    // Those that were dropped are closed, too.
    try await eventually("no connection is left") { server.gate.count == 0 }
    try await server.close()
  }

  @Test(arguments: Ending.allCases)
  func `so do HTTP/2 clients that ask on and on`(ending: Ending) async throws {
    let certificates = try TestCertificates()
    let folder = try TemporaryFolder.make()
    var configuration = LocalServer.configuration()
    configuration.tls = try SecureServer.write(certificates, to: folder)
    let server = try await SealringServer.make(configuration)
    for _ in 1...15 {
      try await Self.round(of: server, ending: ending) { port, connected in
        try? await HTTPClient.run(trusting: certificates) { client in
          await withDiscardingTaskGroup { group in
            for _ in 1...4 {
              group.addTask {
                while connected() < 5_000, (try? await client.get("/health/live", port: port)) != nil {}
              }
            }
          }
        }
      }
    }
    try await eventually("no connection is left") { server.gate.count == 0 }
    try await server.close()
  }

  /// Runs the server with four clients, and ends it in the middle.
  ///
  /// - Parameter client: calls its second argument, which counts, before each connection or request.
  private static func round(
    of server: SealringServer, ending: Ending,
    client: @escaping @Sendable (_ port: Int, _ connected: @escaping @Sendable () -> Int) async -> Void
  ) async throws {
    let (ports, listening) = AsyncStream.makeStream(of: Int.self)
    let (begun, begin) = AsyncStream.makeStream(of: Void.self)
    let connected = Locked(0)
    let group = ServiceGroup(
      services: [server.application { listening.yield($0) }],
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    let serving = Task { try await group.run() }
    let port = try #require(await ports.first { _ in true })
    await withDiscardingTaskGroup { tasks in
      for _ in 1...4 {
        tasks.addTask {
          await client(port) {
            connected.withLock { count in
              count += 1
              if count == 30 { begin.finish() }
              return count
            }
          }
          begin.finish()
        }
      }
      for await _ in begun {}
      switch ending {
      case .asked: await group.triggerGracefulShutdown()
      case .cancelled: serving.cancel()
      }
      do { try await serving.value } catch {}
    }
  }
}
