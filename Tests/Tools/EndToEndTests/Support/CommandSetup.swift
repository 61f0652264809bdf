import CommonFixtures
import Foundation
import SealringTesting
import StrictJSON
import Testing

/// A server with user mira, and one client with a state folder of its own that knows the administrator's password.
struct CommandSetup {
  static let password = "Correct horse battery 1"
  static let pin = "271828"

  let server: ServerProcess
  let tool: CommandLineTool
  let folder: URL

  /// The options that name the server.
  var at: [String] { ["--server", server.address] }
  var data: String { folder.appending(path: "server").path(percentEncoded: false) }

  static func run(_ body: (CommandSetup) async throws -> Void) async throws {
    try await withTemporaryFolder { folder in
      let setup = CommandSetup(
        server: try await ServerProcess.start(data: folder.appending(path: "server")),
        tool: CommandLineTool(
          home: folder.appending(path: "client"),
          environment: ["SEALRING_ADMIN_PASSWORD": ServerProcess.administratorPassword]), folder: folder)
      let added = try await setup.done(
        ["user", "add", "mira", "--password-stdin", "--json"], input: password + "\n")
      #expect(try added.json["added"] == true)
      try await body(setup)
      _ = await setup.server.stop()
    }
  }

  /// Runs a command at the server.
  func run(_ arguments: [String], input: String = "") async throws -> CommandLineTool.Result {
    try await tool.run(arguments + at, input: input)
  }

  /// The same, for one that has to succeed.
  @discardableResult
  func done(_ arguments: [String], input: String = "") async throws -> CommandLineTool.Result {
    let result = try await run(arguments, input: input)
    #expect(result.status == 0, "\(arguments): \(result.errors)")
    return result
  }

  /// Binds the client's key to `name`; the command's JSON has its id as `kid`.
  @discardableResult
  func bind(_ name: String = "mira") async throws -> CommandLineTool.Result {
    try await done(
      ["bind", "--username", name, "--password-stdin", "--pin-stdin", "--store", "software", "--json"],
      input: "\(Self.password)\n\(Self.pin)\n")
  }

  /// Registers an application, whose requests name the server as the client does.
  func addApplication(_ name: String) async throws -> TestApplication {
    let added = try await done(["app", "add", name, "--json"]).json
    return TestApplication(
      id: added["id"]?.stringValue ?? "", secret: added["secret"]?.stringValue ?? "",
      address: server.address)
  }
}
