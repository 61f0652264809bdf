package import Foundation
internal import CommonFixtures
package import SealringTesting
internal import StrictJSON

/// A server with user mira, and one client with a state folder of its own that knows the administrator's password.
package struct CommandScene<Tool: CommandRunner, Server: CommandServer>: Sendable {
  package static var password: String { "Correct horse battery 1" }
  package static var pin: String { "271828" }

  package let server: Server
  package let tool: Tool
  package let folder: URL

  /// The options that name the server.
  package var at: [String] { ["--server", server.address] }
  package var data: String { path("server") }

  /// A file or folder of the test.
  package func path(_ name: String) -> String { folder.appending(path: name).path(percentEncoded: false) }

  /// - Parameter start: starts the server with its data in a folder.
  package static func run(
    start: (URL) async throws -> Server = { try await Server.start(data: $0) },
    _ body: (Self) async throws -> Void
  ) async throws {
    try await withTemporaryFolder { folder in
      let scene = Self(
        server: try await start(folder.appending(path: "server")),
        tool: Tool(
          home: folder.appending(path: "client"),
          environment: ["SEALRING_ADMIN_PASSWORD": TestServer.administratorPassword]), folder: folder)
      let add = ["user", "add", "mira", "--password-stdin", "--json"]
      let added = try await scene.done(add, input: password + "\n")
      guard try added.json["added"] == true else {
        throw CommandRefused(arguments: add, errors: added.output)
      }
      try await body(scene)
      try await scene.server.stop()
    }
  }

  /// Runs a command at the server.
  package func run(_ arguments: [String], input: String = "") async throws -> CommandResult {
    try await tool.run(arguments + at, input: input)
  }

  /// The same, for one that has to succeed.
  @discardableResult
  package func done(_ arguments: [String], input: String = "") async throws -> CommandResult {
    let result = try await run(arguments, input: input)
    guard result.status == 0 else { throw CommandRefused(arguments: arguments, errors: result.errors) }
    return result
  }

  /// Binds the client's key to `name`; the command's JSON has its id as `kid`.
  @discardableResult
  package func bind(_ name: String = "mira") async throws -> CommandResult {
    try await done(
      ["bind", "--username", name, "--password-stdin", "--pin-stdin", "--store", "software", "--json"],
      input: "\(Self.password)\n\(Self.pin)\n")
  }

  /// Registers an application, whose requests name the server as the client does.
  package func addApplication(_ name: String) async throws -> TestApplication {
    let added = try await done(["app", "add", name, "--json"]).json
    return TestApplication(
      id: added["id"]?.stringValue ?? "", secret: added["secret"]?.stringValue ?? "",
      address: server.address)
  }
}

/// A command failed that has to succeed.
package struct CommandRefused: Error, CustomStringConvertible {
  package let arguments: [String]
  package let errors: String

  package init(arguments: [String], errors: String) { (self.arguments, self.errors) = (arguments, errors) }

  package var description: String { "\(arguments): \(errors)" }
}
