import Assembly
import CommandFixtures
import CommonFixtures
import Foundation
import PingLogger
import PingNetwork
import ServerCommand
import StrictJSON
import TerminalPrompts
import Testing

@testable import sealring

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

@Suite("Tokens for a device on the command line") struct DeviceSignInCommandTests {
  private static let password = OpenIDServer.password

  /// A server with the client `tv` and the user mira.
  private func run(_ body: (_ server: LocalServer, _ tool: CommandLineTool) async throws -> Void) async throws
  {
    try await OpenIDServer.run(clients: [["tv", "--device"]], body)
  }

  /// Sends a request as mira's browser.
  private func send(
    _ server: LocalServer, _ path: String, _ body: String, headers: [String: String]
  ) async throws -> String {
    // A client for each request: the servers of tests that run side by side must not get each other's cookies.
    let client = HttpClient.createClient { $0.logger = LogManager.none }
    defer { client.close() }
    return try await client.request { request in
      request.url = server.address + path
      var headers = headers
      let type = headers.removeValue(forKey: "Content-Type") ?? ""
      for (name, value) in headers { request.setHeader(name: name, value: value) }
      request.post(contentType: type, body: body)
    }.get().bodyAsString()
  }

  private func decide(_ server: LocalServer, code: String, _ decision: String) async throws {
    let signedIn = try await send(
      server, "/json/realms/root/realms/alpha/authenticate", "{}",
      headers: [
        "Content-Type": "application/json", "X-OpenAM-Username": "mira", "X-OpenAM-Password": Self.password,
      ])
    let token = try #require(
      try JSONValue(parsing: Array(signedIn.utf8))["tokenId"]?.stringValue, "\(signedIn)")
    let form = [
      "Content-Type": "application/x-www-form-urlencoded", "Cookie": "iPlanetDirectoryPro=\(token)",
    ]
    let page = try await send(server, "/oauth2/alpha/device/user", "user_code=\(code)", headers: form)
    let ticket = try #require(page.firstMatch(of: /name="ticket" value="([^"]+)"/), "\(page)").1
    _ = try await send(
      server, "/oauth2/alpha/device/user", "ticket=\(ticket)&decision=\(decision)", headers: form)
  }

  /// Runs the command while somebody decides on what it shows.
  private func signIn(
    _ server: LocalServer, _ tool: CommandLineTool, _ options: [String], decision: String
  ) async throws -> CommandResult {
    let (input, output, errors) = (try ScratchFile(), try ScratchFile(), try ScratchFile())
    let process = CommandProcess(
      environment: tool.variables, input: input.descriptor, output: output.descriptor,
      errors: errors.descriptor)
    async let status = Terminal.$controlling.withValue(Terminal { -1 }) {
      await process.run {
        await Sealring.run(["oidc", "device", "--client", "tv", "--server", server.address] + options)
      }
    }
    var code = ""
    try await eventually("the code is shown") {
      // Without moving the place where the command writes.
      for file in [output, errors] {
        var bytes = [UInt8](repeating: 0, count: 16_384)
        let count = pread(file.descriptor, &bytes, bytes.count, 0)
        let text = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
        if let found = text.firstMatch(of: /[B-DF-HJ-NP-TV-XZ]{4}-[B-DF-HJ-NP-TV-XZ]{4}/) {
          code = String(found.0)
        }
      }
      return !code.isEmpty
    }
    try await decide(server, code: code, decision)
    return CommandResult(status: await status, output: try output.text, errors: try errors.text)
  }

  @Test func `a device shows its code, and prints the tokens once a person has approved`() async throws {
    try await run { server, tool in
      let result = try await signIn(server, tool, ["--json"], decision: "allow")
      #expect(result.status == 0, "\(result.errors)")
      let lines = try result.output.split(separator: "\n").map { try JSONValue(parsing: Array($0.utf8)) }
      #expect(lines.count == 2 && lines[0]["device_code"] == nil && lines[0]["expires_in"] == 600)
      #expect(
        lines[0]["verification_uri"]?.stringValue == server.address + "/oauth2/alpha/device/user")
      #expect(lines[1]["token_type"] == "Bearer" && lines[1]["id_token"] != nil)
    }
  }

  @Test func `a person who refuses ends the command, which prints no token`() async throws {
    try await run { server, tool in
      let result = try await signIn(server, tool, [], decision: "deny")
      #expect(result.status == 1 && result.output.isEmpty && result.errors.contains("The person refused."))
    }
  }

  @Test func `what cannot work is said at once`() async throws {
    try await run { server, tool in
      let device = ["oidc", "device", "--server", server.address]
      let unknown = try await tool.run(device + ["--client", "nobody"])
      #expect(unknown.status == 1 && unknown.errors.contains("invalid_client"), "\(unknown.errors)")
      let scope = try await tool.run(device + ["--client", "tv", "--scope", "openid phone"])
      #expect(scope.status == 1 && scope.errors.contains("invalid_scope"), "\(scope.errors)")
      #expect(try await tool.run(device + ["--client", "tv", "--scope", " "]).status == 64)
      #expect(try await tool.run(device + ["--client", "tv", "--issuer", "x"]).status == 64)
      #expect(try await tool.run(device).status == 64)
    }
  }
}
