import CommonFixtures
import Concurrency
import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle
import Testing

@testable import Assembly
@testable import ServerHTTP

/// A server on a free port, in a group as a process has it, that a test tells to stop.
struct StoppingServer: Sendable {
  let server: SealringServer
  let port: Int
  let group: ServiceGroup

  private struct Running: Service {
    let server: SealringServer
    let ports: AsyncStream<Int>.Continuation

    func run() async throws {
      defer { ports.finish() }
      try await server.run { ports.yield($0) }
    }
  }

  /// Runs `body`, which tells the server to stop, then waits for its end. With a notice, which nobody waits for, it is cancelled.
  ///
  /// - Returns: what was logged.
  @discardableResult
  static func run(
    drain: Double, notice: Double = 0,
    change: @escaping @Sendable (inout ServerConfiguration) -> Void = { _ in },
    body: @escaping @Sendable (StoppingServer) async throws -> Void
  ) async throws -> [String] {
    let log = Locked<[String]>([])
    var configuration = LocalServer.configuration(log: log)
    (configuration.drainTime, configuration.drainNotice) = (drain, notice)
    change(&configuration)
    let server = try await SealringServer.make(configuration)
    let (ports, listening) = AsyncStream.makeStream(of: Int.self)
    let group = ServiceGroup(
      services: [Running(server: server, ports: listening)], logger: Logger(label: "test"))
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      tasks.addTask { try await group.run() }
      let port = try #require(await ports.first { _ in true })
      try await body(StoppingServer(server: server, port: port, group: group))
      if notice > 0 { tasks.cancelAll() }
      do { try await tasks.waitForAll() } catch is CancellationError where notice > 0 {}
    }
    return log.withLock { $0 }
  }

  func stop() async throws {
    await group.triggerGracefulShutdown()
    try await eventually("the server is stopping") { server.drain.isUnderWay }
  }

  /// A connection that speaks bytes.
  func connect(port: Int? = nil) async throws -> NIOAsyncChannel<ByteBuffer, ByteBuffer> {
    try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .connect(host: "127.0.0.1", port: port ?? self.port) { channel in
        channel.eventLoop.makeCompletedFuture { try NIOAsyncChannel(wrappingChannelSynchronously: channel) }
      }
  }

  /// Sends `text` on a connection of its own, and reads until the server closes.
  func answer(to text: String, port: Int? = nil) async throws -> String {
    try await connect(port: port).executeThenClose { inbound, outbound in
      try await outbound.write(ByteBuffer(string: text))
      var answer = ""
      for try await buffer in inbound { answer += String(buffer: buffer) }
      return answer
    }
  }
}
