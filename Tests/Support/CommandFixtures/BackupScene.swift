internal import Foundation
internal import StrictJSON

/// A running server, mira's bound key, and a backup of both.
package struct BackupScene<Tool: CommandRunner, Server: CommandServer>: Sendable {
  package let setup: CommandScene<Tool, Server>
  /// The file of the private key, the public key, and a backup of the running server.
  package let identity: String
  package let recipient: String
  package let file: String
  package let fingerprint: String

  package static func run(_ body: (Self) async throws -> Void) async throws {
    try await CommandScene<Tool, Server>.run { setup in
      try await setup.bind()
      let identity = setup.path("backup.key")
      let made = try await setup.tool.run(["backup", "keygen", identity], input: "")
      let recipient = made.output.trimmingCharacters(in: .newlines)
      let file = setup.path("backup")
      let command = [
        "backup", "--data", setup.data, "--recipient", recipient, "--output", file, "--events", "--json",
      ]
      let backup = try await setup.tool.run(command, input: "")
      guard made.status == 0, recipient.hasPrefix("sealring-recipient-"), backup.status == 0,
        case let json = try backup.json, json["accounts"] == 2, json["evidence"] == 1, json["eventFiles"] == 1
      else { throw CommandRefused(arguments: command, errors: made.errors + backup.errors + backup.output) }
      try await body(
        Self(
          setup: setup, identity: identity, recipient: recipient, file: file,
          fingerprint: json["fingerprint"]?.stringValue ?? ""))
    }
  }

  package func path(_ name: String) -> String { setup.path(name) }

  package func run(_ arguments: [String]) async throws -> CommandResult {
    try await setup.tool.run(arguments, input: "")
  }

  package func restore(_ arguments: [String]) async throws -> CommandResult {
    try await run(["restore", file, "--identity", identity] + arguments)
  }

  /// Whether mira can sign in at `server` with her bound key. Ends the server.
  package func signsIn(at server: Server) async throws -> Bool {
    let signed = try await setup.tool.run(
      ["sign", "--server", server.address, "--pin-stdin"], input: CommandScene<Tool, Server>.pin + "\n")
    try await server.stop()
    return signed.status == 0
  }

  /// The permission bits of a file or folder.
  package func mode(_ path: String) throws -> Int? {
    (try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber)?.intValue
  }
}
