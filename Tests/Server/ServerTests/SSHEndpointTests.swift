import Accounts
import BindingFormats
import Bytes
import CommonFixtures
import Concurrency
import Crypto
import Foundation
import HTTPTypes
import HummingbirdTesting
import JourneyStore
import NIOCore
import PasswordHashing
import ProofFixtures
import SSHAuthority
import SSHFormats
import SecurityEvents
import StrictJSON
import Testing

@testable import Assembly

@Suite("SSH certificates, over HTTP") struct SSHEndpointTests {
  private static let path = "\(LocalServer.alpha)/ssh"
  private static let key =
    "ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBGsX0fLhLEJH+Lzm5WOkQPJ3A32BLeszoPShOUXYmMKWT+NC4v4af5uO5+tKfA+eFivOM1drMV7Oy7ZAaDe/UfU= ada@laptop"
  private static let hostKey =
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl root@host"

  /// A server whose realm alpha has an authority that takes the tests' plain sessions.
  private func run(
    _ change: @escaping @Sendable (inout SSHAuthoritySettings) -> Void = { _ in },
    _ body: @escaping @Sendable (LocalServer) async throws -> Void
  ) async throws {
    try await LocalServer.run { server in
      var settings = SSHAuthoritySettings()
      settings.authLevel = 0
      change(&settings)
      let authority = SSHAuthority(
        accounts: Accounts(store: server.store, passwords: PasswordHasher(), clock: { server.clock.now }),
        events: .none, randomBytes: SystemRandom.bytes)
      try await authority.create(settings, of: "alpha", by: .operator)
      try await body(server)
    }
  }

  private func bytes(_ server: LocalServer, _ path: String) async throws -> (type: String?, bytes: [UInt8]) {
    let response = try await server.client.executeRequest(
      uri: path, method: .get, headers: HTTPFields(), body: nil)
    #expect(response.status == .ok)
    return (response.headers[.contentType], Array(buffer: response.body))
  }

  private func certificate(_ answer: Answer) throws -> SSHCertificate {
    let words = answer["certificate"]?.stringValue?.split(separator: " ") ?? []
    return try SSHCertificate(verifying: PaddedBase64.decode(try #require(words.dropFirst().first)) ?? [])
  }

  @Test func `anybody reads the authority, its keys for sshd, and what it has taken back`() async throws {
    try await run({ $0.journey = "Login" }) { server in
      let answer = try await server.call(.get, Self.path)
      #expect(answer.status == 200 && answer["journey"] == "Login" && answer["authLevel"] == 0)
      #expect(answer["attested"] == false && answer["lifetime"] == 600)
      let line = try #require(answer["userAuthority"]?[0]?.stringValue)
      #expect(line.hasPrefix("ecdsa-sha2-nistp256 ") && line.hasSuffix(" sealring alpha users"))
      #expect(answer["hostAuthority"]?.arrayValue?.count == 1)
      let (type, lines) = try await bytes(server, "\(Self.path)/authority")
      #expect(type == "text/plain;charset=UTF-8" && String(decoding: lines, as: UTF8.self) == line + "\n")
      let (binary, list) = try await bytes(server, "\(Self.path)/revoked")
      #expect(binary == "application/octet-stream")
      #expect(try KeyRevocationList(parsing: list).certificates.isEmpty)
      for path in ["ssh", "ssh/authority", "ssh/revoked"] {
        #expect(try await server.call(.get, "\(LocalServer.root)/\(path)").status == 404)
      }
      #expect(try await server.call(.delete, Self.path).status == 405)
    }
  }

  @Test func `an account gets a certificate with its session, and nobody without`() async throws {
    try await run { server in
      let body: JSONValue = ["publicKey": .string(Self.key)]
      let path = "\(Self.path)?_action=certify"
      #expect(try await server.call(.post, path, body: body).status == 401)
      let ada = try await server.signIn("ada")
      let answer = try await server.call(.post, path, token: ada, body: body)
      #expect(answer.status == 201 && answer["principals"] == ["ada"] && answer["attested"] == false)
      #expect(answer["expiresAt"] == "2026-01-09T10:10:00Z")
      let certificate = try certificate(answer)
      #expect(answer["serial"] == .string(String(certificate.contents.serial)))
      #expect(answer["certificate"]?.stringValue?.hasSuffix(" ada@laptop") == true)

      let challenge = try await server.call(
        .post, "\(Self.path)?_action=challenge", token: ada, body: [:])
      #expect(challenge.status == 200 && challenge["expiresAt"] == "2026-01-09T10:05:00Z")
      let text = try #require(challenge["challenge"]?.stringValue)
      #expect(PaddedBase64.decode(text)?.count == 32)
      let with: JSONValue = [
        "publicKey": .string(Self.key), "challenge": .string(text), "principals": ["ada"],
      ]
      #expect(try await server.call(.post, path, token: ada, body: with).status == 201)
      #expect(try await server.call(.post, path, token: ada, body: with).status == 403)
      for wrong in [
        [:], ["publicKey": 1], ["publicKey": "ssh-rsa AAAA"],
        ["publicKey": .string(Self.key), "principals": "ada"],
        ["publicKey": .string(Self.key), "principals": [1]],
        ["publicKey": .string(Self.key), "challenge": "%"],
        ["publicKey": .string(Self.key), "attestation": []],
      ] as [JSONValue] {
        #expect(try await server.call(.post, path, token: ada, body: wrong).status == 400, "\(wrong)")
      }
      #expect(try await server.call(.post, "\(Self.path)?_action=x", token: ada, body: [:]).status == 400)
    }
  }

  @Test func `a refusal says in detail what the rules demand`() async throws {
    try await run({ ($0.authLevel, $0.journey, $0.isAttested) = (2, "Strong", true) }) { server in
      let ada = try await server.signIn("ada")
      let answer = try await server.call(
        .post, "\(Self.path)?_action=certify", token: ada, body: ["publicKey": .string(Self.key)])
      #expect(answer.status == 403 && answer["detail"] == ["authLevel": 2, "journey": "Strong"])
    }
    try await run({ $0.isAttested = true }) { server in
      let ada = try await server.signIn("ada")
      let answer = try await server.call(
        .post, "\(Self.path)?_action=certify", token: ada, body: ["publicKey": .string(Self.key)])
      #expect(answer.status == 403 && answer["detail"] == ["attested": true])
      // Why is for the operator.
      #expect(server.log.withLock { $0.contains { $0.contains("noRootsConfigured") } })
      #expect(answer.message?.contains("noRoots") == false)
    }
  }

  @Test func `administrators certify hosts and take back, accounts do not`() async throws {
    try await run { server in
      let (ada, admin) = (try await server.signIn("ada"), try await server.signInAdministrator())
      let host: JSONValue = ["publicKey": .string(Self.hostKey), "names": ["host.example"], "days": 30]
      let path = "\(Self.path)?_action=certifyHost"
      #expect(try await server.call(.post, path, token: ada, body: host).status == 403)
      let certified = try await server.call(.post, path, token: admin, body: host)
      #expect(certified.status == 201 && certified["principals"] == ["host.example"])
      let certificate = try certificate(certified)
      #expect(certificate.contents.kind == .host)

      let revoke = "\(Self.path)?_action=revoke"
      let serial: JSONValue = ["serial": certified["serial"] ?? .null]
      #expect(try await server.call(.post, revoke, token: ada, body: serial).status == 403)
      #expect(try await server.call(.post, revoke, token: admin, body: serial)["revoked"] == 1)
      let (_, list) = try await bytes(server, "\(Self.path)/revoked")
      #expect(try KeyRevocationList(parsing: list).revokes(certificate))
      for wrong in [[:], ["serial": "x"], ["serial": "1", "username": "ada"], ["serial": 1]] as [JSONValue] {
        #expect(try await server.call(.post, revoke, token: admin, body: wrong).status == 400, "\(wrong)")
      }
      for (status, wrong) in [
        (400, ["username": ""]), (400, ["username": "a/b"]), (404, ["username": "nobody"]),
        (404, ["username": "id=ada,ou=user,ou=am-config"]), (404, ["serial": "7"]),
      ] as [(Int, JSONValue)] {
        #expect(try await server.call(.post, revoke, token: admin, body: wrong).status == status, "\(wrong)")
      }
      let id: JSONValue = ["username": "id=ADA,ou=user,o=alpha,ou=services,ou=am-config"]
      #expect(try await server.call(.post, revoke, token: admin, body: id)["revoked"] == 0)
      let name: JSONValue = ["username": "ada"]
      #expect(try await server.call(.post, revoke, token: admin, body: name)["revoked"] == 0)
      let key: JSONValue = ["publicKey": .string(Self.key)]
      #expect(try await server.call(.post, revoke, token: admin, body: key)["revoked"] == 0)
      #expect(
        try await server.call(.post, "\(Self.path)?_action=certify", token: ada, body: key).status == 403)
    }
  }

  @Test func `an account that is deactivated over REST loses its certificates`() async throws {
    try await run { server in
      let (ada, admin) = (try await server.signIn("ada"), try await server.signInAdministrator())
      let answer = try await server.call(
        .post, "\(Self.path)?_action=certify", token: ada, body: ["publicKey": .string(Self.key)])
      let certificate = try certificate(answer)
      let user = "\(LocalServer.alpha)/users/ada"
      var body = try #require(try await server.call(.get, user, token: admin).json.objectValue)
      body["inetUserStatus"] = "Inactive"
      #expect(try await server.call(.put, user, token: admin, body: .object(body)).status == 200)
      let (_, list) = try await bytes(server, "\(Self.path)/revoked")
      #expect(try KeyRevocationList(parsing: list).revokes(certificate))
    }
  }
}
