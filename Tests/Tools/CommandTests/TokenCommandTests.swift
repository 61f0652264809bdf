import CommandFixtures
import CommonFixtures
import Foundation
import Assembly
import StrictJSON
import Testing

@testable import sealring

@Suite("Tokens for an application on the command line") struct TokenCommandTests {
  private static let password = OpenIDServer.password
  private static let redirect = "http://127.0.0.1:9/callback"

  /// A server with the user mira, and the clients `app` and `asking`, whose people are asked for consent.
  private func run(_ body: (_ server: LocalServer, _ tool: CommandLineTool) async throws -> Void) async throws
  {
    let common = ["--redirect", Self.redirect, "--scope", "openid profile"]
    try await OpenIDServer.run(clients: [["app", "--no-consent"] + common, ["asking"] + common], body)
  }

  private func fetch(
    _ server: LocalServer, _ tool: CommandLineTool, client: String = "app", redirect: String = redirect,
    password: String = password, json: Bool = true
  ) async throws -> CommandResult {
    try await tool.run(
      [
        "oidc", "token", "--client", client, "--redirect", redirect, "--username", "mira", "--password-stdin",
        "--server", server.address,
      ] + (json ? ["--json"] : []), input: password + "\n")
  }

  @Test func `the tokens are the person's, for programs and for people`() async throws {
    try await run { server, tool in
      let result = try await fetch(server, tool)
      #expect(result.status == 0, "\(result.errors)")
      let token = try JSONValue(parsing: result.output)
      let parts = try #require(token["id_token"]?.stringValue).split(separator: ".")
      let padded = String(parts[1]).replacing("-", with: "+").replacing("_", with: "/")
      let claims = try JSONValue(
        parsing: Array(
          try #require(
            Data(base64Encoded: padded + String(repeating: "=", count: (4 - padded.count % 4) % 4)))))
      #expect(claims["aud"] == "app" && claims["iss"]?.stringValue == server.address + "/oauth2/alpha")
      #expect(token["access_token"]?.stringValue?.isEmpty == false)
      let text = try await fetch(server, tool, json: false)
      #expect(text.output.contains("access_token   ") && text.output.contains("id_token       "))
    }
  }

  @Test func `a wrong password, another address and a client that asks for consent are refused in words`()
    async throws
  {
    try await run { server, tool in
      for result in [
        try await fetch(server, tool, password: "wrong password 1"),
        try await fetch(server, tool, redirect: "http://127.0.0.1:9/other"),
        try await fetch(server, tool, client: "asking"), try await fetch(server, tool, client: "nobody"),
      ] {
        #expect(result.status == 1 && result.output.isEmpty, "\(result)")
        #expect(
          result.errors.contains("\"error\"") && !result.errors.contains("Error Domain"), "\(result.errors)")
      }
    }
  }
}
