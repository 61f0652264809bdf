import Foundation
import SealringTesting
import SoftwareTPM
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

typealias CommandSetup = CommandScene<CommandLineTool, ServerProcess>

/// `sealring serve` in a process of its own, for tests that end it.
struct ServerProcess: CommandServer {
  static let administratorPassword = TestServer.administratorPassword

  let address: String
  private let command: RunningCommand

  static func start(data: URL) async throws -> ServerProcess { try await start(data: data, arguments: []) }

  /// Starts the server on a free port and waits for its one line.
  ///
  /// - Parameter port: The port of a server that is started again, whose clients know it by its address.
  static func start(data: URL, port: Int = 0, arguments: [String] = []) async throws -> ServerProcess {
    let tool = CommandLineTool(
      home: data.appending(path: "unused-home"),
      environment: ["SEALRING_ADMIN_PASSWORD": administratorPassword])
    // A port that the system gives to nobody else, so that a server can be started again where its clients know it. It stays reserved as
    // long as the tests run.
    let port = port == 0 ? Int(try PortPair().first) : port
    let command = try tool.start(
      ["serve", "--port", String(port), "--data", data.path(percentEncoded: false)] + arguments)
    let announced = await command.line(startingWith: "listening on ")
    let line = try #require(announced, "the server did not start")
    return ServerProcess(address: String(line.dropFirst("listening on ".count)), command: command)
  }

  /// The port that the server listens on.
  var port: Int { URL(string: address)?.port ?? 0 }

  /// Ends the server as an operator does.
  func stop() async -> CommandLineTool.Result {
    command.send(SIGTERM)
    return await command.finish()
  }

  /// Ends the server as a power failure does.
  func kill() async {
    command.send(SIGKILL)
    _ = await command.finish()
  }
}
