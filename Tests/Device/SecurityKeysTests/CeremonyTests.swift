#if os(Linux)
  import CBOR
  import CommonFixtures
  import CTAP
  import CTAPAuthenticator
  import Crypto
  import DeviceKeys
  import Foundation
  import SecurityKeyFixtures
  import Testing
  import WebAuthnAuthenticator
  import WebAuthnFormats

  @testable import SecurityKeys

  /// libfido2 with our own virtual security key behind a socket of reports.
  struct CeremonyTests {
    private func verify(_ assertion: SecurityKeyAssertion, _ credential: SecurityKeyCredential) throws {
      let data = try AuthenticatorData(parsing: credential.attestationObject.authenticatorData)
      let key = try #require(data.attestedCredential?.publicKey)
      guard case .ec(.p256, let x, let y) = key.material else { return #expect(Bool(false)) }
      let public256 = try P256.Signing.PublicKey(x963Representation: [4] + x + y)
      let signature = try P256.Signing.ECDSASignature(derRepresentation: assertion.signature)
      #expect(public256.isValidSignature(signature, for: assertion.authenticatorData.encoded + KeyScene.hash))
    }

    @Test func `a key makes a credential and signs with it, after a touch each`() async throws {
      let scene = try await KeyScene()
      let made = try await scene.register()
      #expect(made.attestationObject.format == "none")
      #expect(
        try AuthenticatorData(parsing: made.attestationObject.authenticatorData).flags == [
          .userPresent, .attestedCredential,
        ])
      let signed = try await scene.signIn([made.id])
      #expect(signed.credentialID == made.id && signed.authenticatorData.flags == .userPresent)
      try verify(signed, made)
      let touches = scene.owner.seen.touches
      #expect(touches.map(\.purpose) == [.register, .signIn])
      #expect(touches.map(\.relyingPartyID) == ["example.com", "example.com"])
      #expect(touches.first?.userName == "mira" && touches.first?.key == scene.key.path)
      #expect(scene.owner.seen.questions.isEmpty)
    }

    @Test func `a passkey is found without its id, and of several accounts one is chosen`() async throws {
      let scene = try await KeyScene(
        pin: KeyScene.pin, owner: KeyOwner(choice: 1))
      for user in ["ada", "bob"] { _ = try await scene.register(user, resident: true, verifying: .required) }
      let signed = try await scene.signIn([], verifying: .required)
      // The newest comes first.
      #expect(scene.owner.seen.accounts.map(\.userName) == ["bob", "ada"])
      #expect(signed.userHandle == Array("ada".utf8))
      #expect(signed.authenticatorData.flags == [.userPresent, .userVerified])
    }

    @Test func `of several accounts none is taken unless one is chosen`() async throws {
      let scene = try await KeyScene(pin: KeyScene.pin, owner: KeyOwner(choice: nil))
      for user in ["ada", "bob"] { _ = try await scene.register(user, resident: true, verifying: .required) }
      await #expect(throws: SecurityKeyError.declined) { try await scene.signIn([], verifying: .required) }
    }

    @Test func `what is excluded is not made again, also in a long list`() async throws {
      let scene = try await KeyScene()
      let made = try await scene.register()
      let others = (0..<20).map { [UInt8](repeating: UInt8($0), count: 16) }
      for list in [[made.id], others + [made.id]] {
        await #expect(throws: SecurityKeyError.registered) { try await scene.register(excluded: list) }
      }
      _ = try await scene.register("bob", excluded: others)
    }

    @Test func `a long list of credentials is given in parts`() async throws {
      let scene = try await KeyScene()
      let made = try await scene.register()
      let others = (0..<20).map { [UInt8](repeating: UInt8($0), count: 16) }
      try verify(try await scene.signIn(others + [made.id]), made)
      await #expect(throws: SecurityKeyError.noCredential(relyingPartyID: "example.com")) {
        try await scene.signIn(others)
      }
    }

    // Of such a credential a key tells verified persons only.
    @Test(arguments: [true, false])
    func `a long list is looked through with the PIN where nothing is found without`(hasQuestion: Bool)
      async throws
    {
      let owner = KeyOwner(pins: [PIN("000000")] + Array(repeating: KeyScene.pin, count: 5))
      let scene = try await KeyScene(pin: KeyScene.pin, owner: owner) { request, honest in
        hasQuestion ? honest : PlayedSecurityKey.withoutOwnQuestion(request, honest)
      }
      let request: CBORMap = [
        1: .bytes(KeyScene.hash), 2: ["id": "example.com"],
        3: ["id": .bytes([7]), "name": "mira", "displayName": "Mira"],
        4: [["alg": -7, "type": "public-key"]], 6: ["credProtect": 3], 7: ["uv": true],
      ]
      let reply = await scene.key.authenticator.reply(to: [1] + CBORValue.map(request).encoded, on: 1)
      let map = try #require(try CBORValue(decoding: reply.dropFirst()).mapValue)
      let data = try AuthenticatorData(parsing: try #require(map[2]?.bytesValue))
      let id = try #require(data.attestedCredential?.id)
      let list = (0..<20).map { [UInt8](repeating: UInt8($0), count: 16) } + [id]
      #expect(try await scene.signIn(list, verifying: .required).credentialID == id)
      #expect(owner.seen.questions.map(\.isRepeated) == [false, true])
      await #expect(throws: SecurityKeyError.registered) {
        try await scene.register(excluded: list, verifying: .required)
      }
      await #expect(throws: SecurityKeyError.noCredential(relyingPartyID: "example.com")) {
        try await scene.signIn(Array(list.dropLast()), verifying: .required)
      }
    }

    // An error is not "none of these": a key that was registered would be registered again.
    @Test(arguments: [CTAPStatus.other, .pinRequired])
    func `a key that fails when a long list is looked through makes and signs nothing`(status: CTAPStatus)
      async throws
    {
      let scene = try await KeyScene { request, honest in request.first == 0x02 ? [status.rawValue] : honest }
      let list = (0..<20).map { [UInt8](repeating: UInt8($0), count: 16) }
      await #expect(throws: (any Error).self) { try await scene.register(excluded: list) }
      #expect(!scene.key.commands.contains(0x01))
      let error = await #expect(throws: SecurityKeyError.self) { try await scene.signIn(list) }
      #expect(error != .noCredential(relyingPartyID: "example.com"))
    }

    @Test func `a key without the credential says so`() async throws {
      let scene = try await KeyScene()
      await #expect(throws: SecurityKeyError.noCredential(relyingPartyID: "other.example")) {
        try await scene.signIn(party: "other.example")
      }
    }

    @Test func `the maker's statement goes to servers that ask for it, and the model to no other`()
      async throws
    {
      let scene = try await KeyScene()
      #expect(try await scene.register(attestation: .direct).attestationObject.format == "none")
      let made = try await scene.register("bob", attestation: .none)
      let data = try AuthenticatorData(parsing: made.attestationObject.authenticatorData)
      #expect(data.attestedCredential?.aaguid == .zero)
    }

    @Test func `names of any length and with zeros are cut for the key`() async throws {
      let scene = try await KeyScene(pin: KeyScene.pin)
      let made = try await scene.client.makeCredential(
        MakeCredentialRequest(
          clientDataHash: KeyScene.hash, relyingPartyID: "example.com",
          relyingPartyName: String(repeating: "n", count: 10_000), userHandle: [1],
          userName: "a\0b" + String(repeating: "ü", count: 5000), userDisplayName: "", algorithms: [-7],
          requiresResidentKey: true, verifiesUser: true), .required)
      #expect(try await scene.signIn([made.id], verifying: .required).userHandle == [1])
    }
  }
#endif
