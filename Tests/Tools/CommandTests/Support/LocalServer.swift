import Assembly
import Foundation
import SealringTesting
import SoftwareTPM

typealias CommandSetup = CommandScene<CommandLineTool, LocalServer>

/// A server in the test's process that the test ends, and goes by the time of the commands. With its data in a folder, as `sealring serve` has them.
final class LocalServer: CommandServer {
  static let administratorPassword = TestServer.administratorPassword

  private let server: TestServer
  private let ending: AsyncStream<Void>.Continuation
  private let running: Task<Void, any Error>

  var address: String { server.address }
  var port: Int { URL(string: address)?.port ?? 0 }

  /// What it has logged.
  var log: CapturedLog { server.log }

  private init(
    _ server: TestServer, running: Task<Void, any Error>, ending: AsyncStream<Void>.Continuation
  ) {
    (self.server, self.running, self.ending) = (server, running, ending)
  }

  deinit { ending.finish() }

  static func start(data: URL) async throws -> LocalServer { try await start(data: data) { _ in } }

  /// - Parameters:
  ///   - port: The port of a server that is started again, whose clients know it by its address.
  ///   - configure: Changes what `sealring serve` has options for.
  static func start(
    data: URL, port: Int = 0, configure: @escaping @Sendable (inout ServerConfiguration) -> Void = { _ in }
  ) async throws -> LocalServer {
    // Reserved as long as the tests run, so that a server can be started again where its clients know it.
    let port = port == 0 ? Int(try PortPair().first) : port
    let (ends, ending) = AsyncStream.makeStream(of: Void.self)
    let (servers, started) = AsyncStream.makeStream(of: TestServer.self)
    let running = Task {
      defer { started.finish() }
      try await TestServer.run(
        storage: .sqlite(data),
        configure: {
          $0.port = port
          $0.clock = { Date() }
          $0.bundledJourneys = .standard
          configure(&$0)
        }
      ) { server in
        started.yield(server)
        for await _ in ends {}
      }
    }
    for await server in servers { return LocalServer(server, running: running, ending: ending) }
    try await running.value
    throw TestServerError.ended
  }

  func stop() async throws {
    ending.finish()
    try await running.value
  }
}
