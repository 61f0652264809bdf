import CommonFixtures
import Foundation
import StrictJSON
import Testing

/// A server with user mira, and one client with a state folder of its own that knows the administrator's password.
struct Office {
  static let password = "Correct horse battery 1"
  static let pin = "271828"

  let server: ServerProcess
  let tool: CommandLineTool
  let folder: URL

  /// The options that name the server.
  var at: [String] { ["--server", server.address] }
  var data: String { folder.appending(path: "server").path(percentEncoded: false) }

  static func run(_ body: (Office) async throws -> Void) async throws {
    try await withTemporaryFolder { folder in
      let office = Office(
        server: try await ServerProcess.start(data: folder.appending(path: "server")),
        tool: CommandLineTool(
          home: folder.appending(path: "client"),
          environment: ["SEALRING_ADMIN_PASSWORD": ServerProcess.administratorPassword]), folder: folder)
      try await office.done(["user", "add", "mira", "--password-stdin"], input: password + "\n")
      try await body(office)
      _ = await office.server.stop()
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

  /// Binds the client's key to mira; its id.
  @discardableResult
  func bind() async throws -> String {
    let bound = try await done(
      ["bind", "--username", "mira", "--password-stdin", "--pin-stdin", "--store", "software", "--json"],
      input: "\(Self.password)\n\(Self.pin)\n")
    return try bound.json["kid"]?.stringValue ?? ""
  }
}
