import CommonFixtures
import Foundation
import StrictJSON
import Testing

/// `sealring passkey` against `sealring serve`, in processes of their own.
@Suite struct PasskeyCommandTests {
  private static let password = "Correct horse battery 1"

  private func withServer(_ body: (ServerProcess, CommandLineTool) async throws -> Void) async throws {
    try await withTemporaryFolder { folder in
      let server = try await ServerProcess.start(
        data: folder.appending(path: "server"),
        arguments: ["--journeys", try TouchSignIn.folder(in: folder).path(percentEncoded: false)])
      let tool = CommandLineTool(
        home: folder.appending(path: "device"),
        environment: ["SEALRING_ADMIN_PASSWORD": ServerProcess.administratorPassword])
      let added = try await tool.run(
        ["user", "add", "mira", "--server", server.address, "--password-stdin"], input: Self.password + "\n")
      #expect(added.status == 0, "\(added.errors)")
      try await body(server, tool)
      _ = await server.stop()
    }
  }

  private func register(
    _ tool: CommandLineTool, _ server: ServerProcess, _ more: [String] = ["--yes"]
  ) async throws -> CommandLineTool.Result {
    try await tool.run(
      [
        "passkey", "register", "--server", server.address, "--username", "mira", "--device-name", "Bench",
        "--store", "software", "--no-user-verification", "--password-stdin", "--json",
      ] + more, input: Self.password + "\n")
  }

  private func authenticate(
    _ tool: CommandLineTool, _ server: ServerProcess, _ more: [String] = ["--yes"]
  ) async throws -> CommandLineTool.Result {
    try await tool.run(
      [
        "passkey", "authenticate", "--server", server.address, "--username", "mira", "--no-user-verification",
        "--journey", TouchSignIn.name, "--json",
      ] + more)
  }

  @Test func `register, authenticate, list and delete tell the same story`() async throws {
    try await withServer { server, tool in
      let registered = try await register(tool, server)
      #expect(registered.status == 0, "\(registered.errors)")
      let key = try registered.json
      #expect(
        key.objectValue?.names == [
          "credentialId", "rpId", "username", "name", "store", "discoverable", "requiresUserVerification",
          "signCount", "createdAt", "server", "realm",
        ])
      #expect(
        key["rpId"] == "localhost" && key["username"] == "mira" && key["store"] == "software"
          && key["discoverable"] == true)
      #expect(registered.errors.contains("Register a key?"), "what --yes agrees to is shown")

      let signedIn = try await authenticate(tool, server)
      #expect(signedIn.status == 0, "\(signedIn.errors)")
      #expect(try signedIn.json["credentialId"] == key["credentialId"])
      #expect(try signedIn.json["tokenId"]?.stringValue?.isEmpty == false)
      let listed = try await tool.run(["passkey", "list", "--json"])
      #expect(try listed.json[0]?["signCount"] == 1)

      // Nobody is there: the key does not sign, named or not.
      let id = try #require(key["credentialId"]?.stringValue)
      for more in [[], ["--key=\(id)"]] {
        let unattended = try await authenticate(tool, server, more)
        #expect(unattended.status == 1 && unattended.errors.contains("--yes"), "\(unattended.errors)")
      }
      #expect(try await tool.run(["passkey", "list", "--json"]).json[0]?["signCount"] == 1)

      // Two processes at once.
      async let one = authenticate(tool, server)
      async let other = authenticate(tool, server)
      let both = try await [one, other]
      #expect(both.contains { $0.status == 0 }, "\(both.map(\.errors))")
      #expect(try await tool.run(["passkey", "list", "--json"]).json[0]?["signCount"] == 3)

      // The account has a passkey, which is asked for before another one is added, and nobody is recognised here.
      let again = try await register(tool, server)
      #expect(again.status == 1 && again.errors.contains("confirm who you are first"), "\(again.errors)")

      let required = try await tool.run([
        "passkey", "authenticate", "--server", server.address, "--no-user-verification",
      ])
      #expect(
        required.status == 1 && required.errors.contains("requires user verification"), "\(required.errors)")

      let deleted = try await tool.run(
        ["passkey", "delete", "--yes", "--server", server.address, "--password-stdin", "--json", "--", id],
        input: Self.password + "\n")
      #expect(deleted.status == 0, "\(deleted.errors)")
      #expect(try deleted.json["record"] == "deleted")
      #expect(try await tool.run(["passkey", "list", "--json"]).json.arrayValue?.isEmpty == true)
      #expect(try await authenticate(tool, server).status == 1)
    }
  }

  @Test func `a relying party that is not the origin's is refused, and this machine has one name`()
    async throws
  {
    try await withServer { server, tool in
      let registered = try await register(tool, server, ["--yes", "--origin", "https://bank.example"])
      #expect(
        registered.status == 1 && registered.errors.contains("may not use"), "\(registered.errors)")
      let address = server.address.replacingOccurrences(of: "127.0.0.1", with: "localhost")
      let byName = try await tool.run(
        [
          "passkey", "register", "--server", address, "--username", "mira", "--store", "software",
          "--no-user-verification", "--password-stdin", "--yes", "--json",
        ], input: Self.password + "\n")
      #expect(byName.status == 0, "\(byName.errors)")
      #expect(try byName.json["rpId"] == "localhost")
      // By its address it is the same server.
      #expect(try await authenticate(tool, server).status == 0)
    }
  }

  @Test func `without a terminal nobody agrees, and nothing is made`() async throws {
    try await withServer { server, tool in
      let registered = try await register(tool, server, [])
      #expect(registered.status == 1 && registered.errors.contains("no key was made"), "\(registered.errors)")
      #expect(try await tool.run(["passkey", "list", "--json"]).json.arrayValue?.isEmpty == true)
      #expect(try await tool.run(["passkey", "delete", "--yes", "--local", "nothing"]).status == 1)
      #expect(try await tool.run(["passkey", "register"]).status == 64)
    }
  }

  @Test func `without reader and terminal a sign-in says what helps, not that somebody cancelled`()
    async throws
  {
    try await withServer { server, tool in
      #expect(try await register(tool, server).status == 0)
      let refused = try await tool.run(["passkey", "authenticate", "--server", server.address, "--yes"])
      // Without PAM's service the device knows beforehand; with it, nobody can be asked for the password.
      let said = ["neither a reader nor a password", "--no-user-verification"]
      #expect(refused.status == 1 && said.contains { refused.errors.contains($0) }, "\(refused.errors)")
      #expect(!refused.errors.lowercased().contains("cancel"), "\(refused.errors)")
    }
  }

  @Test func `passwords went to any http address, and need https or --allow-http now`() async throws {
    try await withTemporaryFolder { folder in
      let tool = CommandLineTool(home: folder)
      for command in [
        ["bind", "--username", "mira"], ["user", "list"], ["devices", "list", "--username", "mira"],
        ["passkey", "register", "--username", "mira"],
      ] {
        let refused = try await tool.run(
          command + ["--server", "http://am.example.com/am"], input: "")
        #expect(refused.status == 64 && refused.errors.contains("--allow-http"), "\(refused.errors)")
      }
    }
  }
}
