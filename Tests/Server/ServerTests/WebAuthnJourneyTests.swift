import AuthenticatorFixtures
import BindingFormats
import CBOR
import CommonFixtures
import Crypto
import Foundation
import HTTPTypes
import HummingbirdTesting
import JourneyStore
import StrictJSON
import Testing

@testable import Assembly
@testable import Operations
@testable import ServerHTTP

@Suite("WebAuthn journeys, by a client that knows only HTTP") struct WebAuthnJourneyTests {
  @Test func `a passkey is registered, signs in with a name and without, and is listed, renamed and removed`()
    async throws
  {
    try await LocalServer.run(.router, LocalServer.bundled) { server in
      var passkey = SoftAuthenticator()
      let codes = try await server.register(passkey)
      #expect(Set(codes).count == 10 && Set(codes.map(\.count)).count == 1)

      let known = try await server.startSignIn()
      #expect(known.metadata?["_allowCredentials"]?.arrayValue?.count == 1)
      let text = try passkey.authenticate(challenge: known.challenge)
      let token = try #require(try await server.answer(known, text)["tokenId"]?.stringValue)
      #expect(try await server.answer(known, text).json == AuthenticateTests.ended)

      let unknown = try await server.startUsernameless()
      #expect(unknown.metadata?["_allowCredentials"] == [] && unknown.metadata?["allowCredentials"] == "")
      let alone = try passkey.authenticate(challenge: unknown.challenge) { $0.userHandle = "YWRh" }
      #expect(try await server.answer(unknown, alone)["tokenId"]?.stringValue != nil)

      let path = "\(LocalServer.alpha)/users/ada/devices/2fa/webauthn"
      let list = try await server.call(.get, path + "?_queryFilter=true", token: token)
      let device = try #require(list["result"]?[0]?.objectValue)
      #expect(
        Set(device.map(\.name)) == [
          "_id", "_rev", "createdDate", "lastAccessDate", "credentialId", "deviceName", "uuid",
          "deviceManagementStatus",
        ])
      #expect(device["deviceName"] == "New Security Key" && device["deviceManagementStatus"] == false)
      let uuid = try #require(device["uuid"]?.stringValue)
      let credential = try #require(device["credentialId"]?.stringValue)
      #expect(
        try await server.call(.get, "\(path)/\(credential)", token: token)["uuid"] == .string(uuid))
      let renamed = try await server.call(
        .put, "\(path)/\(uuid)", token: token, body: ["deviceName": " Work ", "credentialId": "other"])
      #expect(renamed["deviceName"] == "Work" && renamed["credentialId"] == .string(credential))
      for name in ["a::b", "", "\u{7}", String(repeating: "x", count: 121)] {
        #expect(
          try await server.call(
            .put, "\(path)/\(uuid)", token: token, body: ["deviceName": .string(name)]
          ).status == 400)
      }
      let bob = try await server.signIn("bob")
      #expect(try await server.call(.delete, "\(path)/\(uuid)", token: bob).status == 403)
      #expect(try await server.call(.delete, "\(path)/\(uuid)").status == 401)
      #expect(try await server.call(.delete, "\(path)/\(uuid)", token: token).status == 200)
      #expect(try await server.call(.delete, "\(path)/\(uuid)", token: token).status == 404)
      #expect(try await server.call(.get, path, token: token)["resultCount"] == 0)
    }
  }

  @Test func `a recovery code stands in for the passkey, once`() async throws {
    try await LocalServer.run(.router, LocalServer.bundled) { server in
      let codes = try await server.register(SoftAuthenticator())
      for (code, status) in [(codes[3].lowercased(), 200), (codes[3], 401), ("AAAA-AAAA-AAAA-AAAA", 401)] {
        let step = try await server.startSignIn()
        #expect(step["callbacks"]?[2]?["output"]?[2]?["value"] == ["Use Recovery Code"])
        #expect(step["callbacks"]?[2]?["input"]?[0]?["value"] == 100)
        let asked = try await server.call(
          .post, "\(LocalServer.alpha)/authenticate",
          body: [
            "authId": step["authId"] ?? .null,
            "callbacks": [["input": [["name": "IDToken3", "value": 0]]]],
          ])
        #expect(asked["callbacks"]?[0]?["type"] == "NameCallback")
        let end = try await server.call(
          .post, "\(LocalServer.alpha)/authenticate", body: LocalServer.reply(to: asked, code))
        #expect(end.status == status)
      }
    }
  }

  /// One thing wrong, and what the log says of it.
  struct Wrong: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let cause: String
    let change: @Sendable (inout SoftAuthenticator.Answer) -> Void

    init(
      _ description: String, _ cause: String,
      _ change: @escaping @Sendable (inout SoftAuthenticator.Answer) -> Void
    ) {
      testDescription = description
      self.cause = cause
      self.change = change
    }
  }

  /// What is wrong in both ceremonies alike.
  static let common = [
    Wrong("another challenge", "challengeMismatch") { $0.challenge = String(repeating: "A", count: 43) },
    Wrong("a padded challenge", "challengeMismatch") { $0.challenge += "=" },
    Wrong("another origin", "originNotAllowed") { $0.origin = "https://example.com.evil.org" },
    Wrong("an app's origin that nobody allowed", "originNotAllowed") {
      $0.origin = "ios:bundle-id:com.acme/"
    },
    Wrong("a frame of another origin", "crossOriginNotAllowed") {
      $0.changesText = { $0.replacing(#""crossOrigin":false"#, with: #""crossOrigin":true"#) }
    },
    Wrong("a page around the frame", "crossOriginNotAllowed") {
      $0.moreClientData = #","topOrigin":"https://evil.org""#
    },
    Wrong("client data that are not valid JSON", "malformedResponse") {
      $0.moreClientData = #","type":"twice""#
    },
    Wrong("another relying party", "rpIdMismatch") { $0.relyingPartyID = "example.org" },
    Wrong("nobody present", "userNotPresent") { $0.flags &= ~0x01 },
    Wrong("a backup of what cannot be backed up", "malformedAuthenticatorData|backupStateInvalid") {
      $0.flags |= 0x10
    },
    Wrong("a byte too many", "malformedAuthenticatorData") { $0.changesData = { $0 + [0] } },
    Wrong("a byte too few", "malformedAuthenticatorData") { $0.changesData = { $0.dropLast() } },
    Wrong("two parts", "malformedResponse") {
      $0.changesText = { $0.components(separatedBy: "::").prefix(2).joined(separator: "::") }
    },
    Wrong("too many parts", "malformedResponse") { $0.changesText = { $0 + "::a::b::c" } },
    Wrong("a number above 127", "malformedResponse") {
      $0.changesText = {
        var parts = $0.components(separatedBy: "::")
        parts[1] = "128," + parts[1]
        return parts.joined(separator: "::")
      }
    },
    Wrong("a padded credential id", "malformedResponse") { $0.changesText = { $0 + "=" } },
    Wrong("the preset value", "malformedResponse") { $0.changesText = { _ in "webAuthnOutcome" } },
    Wrong("the other preset value", "malformedResponse") { $0.changesText = { _ in "false" } },
    Wrong("JSON without an answer", "malformedResponse") { $0.changesText = { _ in #"{"x":1}"# } },
  ]

  static let registrations =
    common + [
      Wrong("another ceremony", "wrongCeremonyType") { $0.type = "webauthn.get" },
      Wrong("no credential", "malformedAuthenticatorData") { $0.flags &= ~0x40 },
      Wrong("a credential id of 1024 bytes", "malformedAuthenticatorData") {
        $0.credentialID = [UInt8](repeating: 7, count: 1024)
      },
      Wrong("another credential id than attested", "credentialIdMismatch") { $0.namedID = [1, 2, 3] },
      Wrong("an algorithm that was not offered", "algorithmNotAllowed") {
        let point = Array(P384.Signing.PrivateKey().publicKey.rawRepresentation)
        $0.coseKey = [1: 2, 3: -35, -1: 2, -2: .bytes(Array(point[..<48])), -3: .bytes(Array(point[48...]))]
      },
      Wrong("a key of another type than its algorithm", "algorithmNotAllowed") { $0.coseKey[3] = -257 },
      Wrong("a point off the curve", "algorithmNotAllowed") {
        $0.coseKey[-3] = .bytes([UInt8](repeating: 1, count: 32))
      },
      Wrong("a statement where there is none", "attestationInvalid") {
        $0.statement = { _, _ in ["alg": -7] }
      },
      Wrong("its own attestation with another algorithm", "attestationInvalid") {
        $0.attestsItself(algorithm: -257)
      },
      Wrong("its own attestation by another key", "attestationInvalid") {
        $0.attestsItself()
        $0.key = P256.Signing.PrivateKey()
      },
      Wrong("an unknown format", "unsupportedAttestationFormat") { $0.format = "none2" },
      Wrong("a format that is gone", "unsupportedAttestationFormat") { $0.format = "android-safetynet" },
      Wrong("a doubled CBOR key", "malformedAttestationObject") {
        $0.changesObject = { [$0[0] + 1] + $0.dropFirst() + [0x63, 0x66, 0x6D, 0x74, 0x60] }
      },
      Wrong("an indefinite length", "malformedAttestationObject") {
        $0.changesObject = { [0xBF] + $0.dropFirst() + [0xFF] }
      },
      Wrong("a nesting of 100", "malformedAttestationObject") {
        $0.changesObject = { _ in [UInt8](repeating: 0x81, count: 100) + [0] }
      },
      Wrong("a length of a gigabyte", "malformedAttestationObject") {
        $0.changesObject = { _ in [0x5A, 0x40, 0, 0, 0] }
      },
      Wrong("a device name with the separator", "malformedResponse") { $0.deviceName = "a::b" },
    ]

  @Test(arguments: registrations)
  func `a registration is refused for its own reason, and stores nothing`(wrong: Wrong) async throws {
    try await LocalServer.run(.router, LocalServer.bundled) { server in
      let step = try await server.startRegistration()
      let text = try SoftAuthenticator().register(challenge: step.challenge, wrong.change)
      let refused = try await server.answer(step, text)
      #expect(refused.status == 401 && refused.message == "Login failure")
      #expect(wrong.cause.split(separator: "|").contains { server.logContains("refused: \($0)") })
      #expect(
        try await server.store.webAuthnDevices.all(of: UniversalID(username: "ada", realm: "alpha")).isEmpty)
    }
  }

  static let authentications =
    common + [
      Wrong("another ceremony", "wrongCeremonyType") { $0.type = "webauthn.create" },
      Wrong("a described credential", "malformedAuthenticatorData") { $0.flags |= 0x40 },
      Wrong("another backup eligibility", "backupStateInvalid") { $0.flags |= 0x08 },
      Wrong("another key", "invalidSignature") { $0.key = P256.Signing.PrivateKey() },
      Wrong("an unknown credential", "unknownCredential") { $0.namedID = [1, 2, 3] },
      Wrong("another account's user handle", "userHandleMismatch") { $0.userHandle = "Ym9i" },
      Wrong("a signature with a leading zero too many", "invalidSignature") {
        $0.changesSignature = { Self.signature($0, r: { [0] + $0 }) }
      },
      Wrong("a signature with r = 0", "invalidSignature") {
        $0.changesSignature = { Self.signature($0, r: { _ in [0] }) }
      },
      Wrong("a signature with a negative r", "invalidSignature") {
        $0.changesSignature = { Self.signature($0, r: { [$0[0] | 0x80] + $0.dropFirst() }) }
      },
      Wrong("bytes after the signature", "invalidSignature") { $0.changesSignature = { $0 + [0] } },
    ]

  /// DER with another r.
  static func signature(_ der: [UInt8], r change: ([UInt8]) -> [UInt8]) -> [UInt8] {
    let count = Int(der[3])
    let r = change(Array(der[4..<4 + count]))
    let body = [2, UInt8(r.count)] + r + der[(4 + count)...]
    return [0x30, UInt8(body.count)] + body
  }

  @Test(arguments: authentications)
  func `an authentication is refused for its own reason, and the counter stays`(wrong: Wrong) async throws {
    try await LocalServer.run(.router, LocalServer.bundled) { server in
      var passkey = SoftAuthenticator()
      try await server.register(passkey)
      let step = try await server.startSignIn()
      let text = try passkey.authenticate(challenge: step.challenge, wrong.change)
      let refused = try await server.answer(step, text)
      #expect(refused.status == 401 && refused.message == "Login failure")
      #expect(wrong.cause.split(separator: "|").contains { server.logContains("refused: \($0)") })
      #expect(
        try await server.store.webAuthnDevices.all(of: UniversalID(username: "ada", realm: "alpha"))[0]
          .signCount
          == 0)
    }
  }

  @Test func `another user's credential signs nobody in, under whichever handle`() async throws {
    try await LocalServer.run(.router, LocalServer.bundled) { server in
      var (ada, bob) = (SoftAuthenticator(), SoftAuthenticator())
      try await server.register(ada)
      try await server.register(bob, of: "bob")
      let known = try await server.startSignIn(of: "ada")
      #expect(try await server.answer(known, bob.authenticate(challenge: known.challenge)).status == 401)
      #expect(server.logContains("unknownCredential"))
      for handle in ["Ym9i", nil, "", "bm9ib2R5", "!"] as [String?] {
        let unknown = try await server.startUsernameless()
        let text = try ada.authenticate(challenge: unknown.challenge) { $0.userHandle = handle }
        #expect(try await server.answer(unknown, text).status == 401)
      }
      #expect(server.logContains("userHandleMismatch: the user handle is another account's"))
      #expect(server.logContains("userHandleMismatch: the answer has no user handle"))

      let asked = try await server.startRegistration(of: "bob")
      let own = try bob.authenticate(challenge: asked.challenge)
      let step = try await server.answer(asked, own)
      let stolen = try ada.register(challenge: step.challenge)
      #expect(try await server.answer(step, stolen).status == 401)
      #expect(server.logContains("credentialAlreadyRegistered"))
    }
  }

  @Test func `without verification of the person there is no sign-in where it is required`() async throws {
    try await LocalServer.run(.router, LocalServer.bundled) { server in
      var passkey = SoftAuthenticator()
      try await server.register(passkey)
      let step = try await server.startUsernameless()
      let text = try passkey.authenticate(challenge: step.challenge) {
        $0.userHandle = "YWRh"
        $0.flags = 0x01
      }
      #expect(try await server.answer(step, text).status == 401)
      #expect(server.logContains("userNotVerified"))
    }
  }

  @Test func `five wrong signatures lock signatures`() async throws {
    try await LocalServer.run(.router, LocalServer.bundled) { server in
      var passkey = SoftAuthenticator()
      try await server.register(passkey)
      for _ in 1...5 {
        let step = try await server.startSignIn()
        let text = try passkey.authenticate(challenge: step.challenge) { $0.key = P256.Signing.PrivateKey() }
        #expect(try await server.answer(step, text).status == 401)
      }
      let step = try await server.startSignIn()
      #expect(try await server.answer(step, passkey.authenticate(challenge: step.challenge)).status == 401)
      #expect(server.logContains("the account is locked after too many failures"))
      server.clock.advance(by: 61)
      let later = try await server.startSignIn()
      #expect(try await server.answer(later, passkey.authenticate(challenge: later.challenge)).status == 200)
    }
  }

  @Test func `a client without a page, at the server's own address, needs no configured origins`()
    async throws
  {
    try await LocalServer.run(.live, { $0.journeysDirectory = nil }) { server in
      let port = try #require(server.client.port)
      let step = try await server.startRegistration(headers: [:])
      let id = try #require(step.metadata?["_relyingPartyId"]?.stringValue)
      #expect(id == "localhost")
      let passkey = SoftAuthenticator(relyingPartyID: id, origin: "http://localhost:\(port)")
      let codes = try await server.answer(step, passkey.register(challenge: step.challenge), headers: [:])
      #expect(codes["callbacks"]?[0]?["type"] == "TextOutputCallback")
    }
  }
}
