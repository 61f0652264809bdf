import CommonFixtures
import Crypto
import Foundation
import ProofFixtures
import SoftwareTPM
import StrictJSON
import Testing

/// Clients of OpenID Connect from PyPI, which share no code with Sealring.
@Suite struct OpenIDInteroperabilityTests {
  private static let package = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// Made by `scripts/bootstrap --test`.
  static let python = package.appending(path: ".build/test-python-oidc/bin/python")
    .path(percentEncoded: false)

  private static let password = "Correct horse battery 1"

  @Test(
    .enabled(
      if: FileManager.default.isExecutableFile(atPath: python),
      "scripts/bootstrap --test installs Authlib and PyJWT from PyPI"), .timeLimit(.minutes(5)),
    arguments: [false, true])
  func `Authlib and PyJWT do what the standards have, and are refused what they must not do`(
    wantsNonce: Bool
  ) async throws {
    try await withTemporaryFolder { folder in
      let tool = CommandLineTool(
        home: folder.appending(path: "home"),
        environment: ["SEALRING_ADMIN_PASSWORD": ServerProcess.administratorPassword])
      let file = folder.appending(path: "clients.json").path(percentEncoded: false)
      let listener = try PortPair()

      /// Registers a client; what the script has to know of it.
      func register(_ id: String, _ options: String...) async throws -> JSONValue {
        let redirect = "https://\(id).example.com/callback"
        let added = try await tool.run(
          ["oidc", "client", "add", id, "--file", file, "--redirect", redirect, "--no-consent", "--json"]
            + options)
        #expect(added.status == 0, "\(added.errors)")
        var client = try #require(try added.json.objectValue)
        client["redirect_uri"] = .string(redirect)
        return .object(client)
      }

      let web = try await register(
        "web", "--scope", "openid profile email offline_access am-introspect-all-tokens",
        "--backchannel-logout", "http://127.0.0.1:\(listener.first)/logout")
      let app = try await register("app", "--public", "--scope", "openid profile offline_access")
      let older = try await register("older", "--rs256", "--client-secret-post")
      let key = P256.Signing.PrivateKey()
      let keys: JSONObject = [
        "keys": [.object(try key.publicKey.jwk())]
      ]
      let keyFile = folder.appending(path: "jwks.json")
      try Data(keys.serialized).write(to: keyFile)
      var bank = try #require(
        try await register("bank", "--opaque", "--jwks", keyFile.path(percentEncoded: false)).objectValue)
      bank["key"] = .string(key.pemRepresentation)
      if wantsNonce {
        var json = try JSONObject(parsing: Array(try Data(contentsOf: URL(filePath: file))))
        json["require_dpop_nonce"] = true
        try Data(json.serialized).write(to: URL(filePath: file))
      }
      let server = try await ServerProcess.start(
        data: folder.appending(path: "data"), arguments: ["--oidc-clients", file])
      let person = try await tool.run(
        ["user", "add", "mira", "--server", server.address, "--password-stdin"], input: Self.password + "\n")
      #expect(person.status == 0, "\(person.errors)")

      let settings: JSONObject = [
        // Each form of the address is an issuer.
        "issuer": .string(
          server.address + (wantsNonce ? "/oauth2/alpha" : "/oauth2/realms/root/realms/alpha")),
        "base": .string(server.address), "realm": "alpha", "username": "mira",
        "password": .string(Self.password), "public": app, "confidential": web, "signing": .object(bank),
        "older": older,
        "logout": ["listen": .integer(Int64(listener.first))],
      ]
      let place = folder.appending(path: "settings.json")
      try Data(settings.serialized).write(to: place)
      let script = Self.package.appending(path: "Tests/Interoperability/oidc_over_http.py")
      let command = try RunningCommand(
        path: Self.python,
        arguments: [script.path(percentEncoded: false), place.path(percentEncoded: false)],
        environment: ["PYTHONDONTWRITEBYTECODE": "1"], input: "")
      let result = await command.finish()
      withExtendedLifetime(listener) {}
      #expect(result.output.split(separator: "\n").filter { $0.hasPrefix("FAIL") }.isEmpty)
      #expect(result.status == 0, "\(result.errors)")
      #expect(result.output.hasSuffix("all checks passed\n"))
      let end = await server.stop()
      #expect(end.status == 0)
      for secret in [
        web["client_secret"]?.stringValue, older["client_secret"]?.stringValue, Self.password,
      ].compactMap({ $0 }) {
        #expect(!end.errors.contains(secret))
      }
    }
  }
}
