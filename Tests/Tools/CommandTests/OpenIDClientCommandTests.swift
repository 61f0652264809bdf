import CommandFixtures
import CommonFixtures
import Foundation
import StrictJSON
import Testing

@Suite("The file of OpenID Connect clients on the command line") struct OpenIDClientCommandTests {
  private func run(
    _ body: (_ client: @escaping @Sendable ([String]) async throws -> CommandResult, URL) async throws -> Void
  )
    async throws
  {
    try await withTemporaryFolder { folder in
      let tool = CommandLineTool(home: folder)
      let file = folder.appending(path: "clients.json")
      try await body(
        { try await tool.run(["oidc", "client"] + $0 + ["--file", file.path(percentEncoded: false)]) }, file)
    }
  }

  @Test func `a scheme without a dot was refused: the client is added with a warning`() async throws {
    try await run { client, _ in
      let added = try await client(["add", "app", "--public", "--redirect", "frauth://oauth2redirect"])
      #expect(added.status == 0 && added.output.contains("app"))
      #expect(added.errors.contains("Warning: Client app: redirect_uris: the scheme frauth has no dot"))
      #expect(added.errors.contains("RFC 8252"))
      // Of this client only, and not among the data.
      let other = try await client([
        "add", "other", "--public", "--redirect", "com.example.app:/cb", "--json",
      ])
      #expect(other.status == 0 && !other.errors.contains("Warning"))
      #expect(try other.json == ["client_id": "other"])
      let checked = try await client(["check", "--json"])
      #expect(checked.status == 0 && checked.errors.contains("the scheme frauth has no dot"))
      #expect(try checked.json == ["clients": 2])
    }
  }

  @Test func `no text in JSON controls the terminal, and it parses to the same text`() async throws {
    try await run { client, file in
      let text = #"{"clients": [{"client_id": "a\u009b2J\u202eb", "client_name": "Ä"}]}"#
      let clients = try #require(try JSONValue(parsing: text)["clients"])
      try Data(text.utf8).write(to: file)
      let listed = try await client(["list", "--json"])
      #expect(!listed.output.unicodeScalars.contains { ["\u{9B}", "\u{202E}"].contains($0) })
      #expect(listed.output.contains("Ä"))
      #expect(try listed.json == clients)
    }
  }

  @Test func `commands that change the file at the same time lose nothing, and bring nothing back`()
    async throws
  {
    try await run { client, file in
      for name in 0..<8 {
        #expect(try await client(["add", "old\(name)", "--public", "--device"]).status == 0)
      }
      try await withThrowingTaskGroup(of: Int32.self) { group in
        for name in 0..<8 {
          group.addTask { try await client(["add", "new\(name)", "--public", "--device"]).status }
          group.addTask { try await client(["remove", "old\(name)"]).status }
        }
        for try await status in group { #expect(status == 0) }
      }
      let clients = try JSONValue(parsing: Array(try Data(contentsOf: file)))["clients"]?.arrayValue ?? []
      #expect(
        clients.compactMap { $0["client_id"]?.stringValue }.sorted() == (0..<8).map { "new\($0)" })
    }
  }

  /// The server would go on with what it read before.
  @Test(.enabled(if: geteuid() == 0))
  func `what root changes can still be read by the server's user`() async throws {
    try await run { client, file in
      #expect(try await client(["add", "a", "--public", "--device"]).status == 0)
      #expect(try await client(["add", "b", "--public", "--device"]).status == 0)
      #expect(try mode(of: file) == 0o600)
      #expect(chown(file.path, 0, 65_534) == 0 && chmod(file.path, 0o640) == 0)
      #expect(try await client(["remove", "a"]).status == 0)
      let after = try FileManager.default.attributesOfItem(atPath: file.path)
      #expect(after[.ownerAccountID] as? Int == 0 && after[.groupOwnerAccountID] as? Int == 65_534)
      #expect(try mode(of: file) == 0o640)
    }
  }

  @Test func `a client for devices needs no redirect address, public or not`() async throws {
    try await run { client, file in
      #expect(try await client(["add", "tv", "--public", "--device"]).status == 0)
      #expect(try await client(["add", "panel", "--device"]).status == 0)
      #expect(try await client(["add", "none", "--public"]).status == 64)
      let clients = try JSONValue(parsing: Array(try Data(contentsOf: file)))["clients"]?.arrayValue ?? []
      #expect(
        clients.map { $0["grant_types"] } == [
          ["refresh_token", "urn:ietf:params:oauth:grant-type:device_code"],
          ["refresh_token", "urn:ietf:params:oauth:grant-type:device_code"],
        ])
    }
  }

  @Test(arguments: [
    "javascript://x/%0aalert(1)", "data:/x", "file:///etc/passwd", "web+app:/cb", "http://app.example.com/cb",
  ])
  func `what a browser would follow elsewhere stays refused, and nothing is written`(address: String)
    async throws
  {
    try await run { client, file in
      let added = try await client(["add", "app", "--public", "--redirect", address])
      #expect(added.status == 1 && added.errors.contains("redirect_uris"))
      #expect(!FileManager.default.fileExists(atPath: file.path(percentEncoded: false)))
    }
  }

  @Test func `an older client is added with RS256 and its secret in the form, and only when told so`()
    async throws
  {
    try await run { client, file in
      #expect(
        try await client([
          "add", "old", "--redirect", "https://o.example/cb", "--rs256", "--client-secret-post",
        ])
        .status == 0)
      #expect(try await client(["add", "web", "--redirect", "https://w.example/cb"]).status == 0)
      #expect(
        try await client([
          "add", "app", "--public", "--client-secret-post", "--redirect", "https://a.example/cb",
        ]).status == 64)
      let clients = try JSONValue(parsing: Array(try Data(contentsOf: file)))["clients"]?.arrayValue ?? []
      #expect(clients.map { $0["id_token_signed_response_alg"] } == ["RS256", nil])
      #expect(
        clients.map { $0["token_endpoint_auth_method"] } == ["client_secret_post", "client_secret_basic"])
    }
  }
}
