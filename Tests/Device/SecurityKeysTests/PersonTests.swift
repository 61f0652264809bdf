#if os(Linux)
  import CommonFixtures
  import CTAP
  import CTAPAuthenticator
  import DeviceKeys
  import Foundation
  import SecurityKeyFixtures
  import Testing
  import WebAuthnFormats

  @testable import SecurityKeys

  /// The PIN, and what a person may do instead of what is asked.
  struct PersonTests {
    private func scene(_ pins: [PIN?]) async throws -> KeyScene {
      try await KeyScene(
        pin: KeyScene.pin, owner: KeyOwner(pins: pins), answer: PlayedSecurityKey.withoutOwnQuestion)
    }

    @Test func `a key verifies by its own question where it has one, and no PIN is asked here`() async throws
    {
      let scene = try await KeyScene(pin: KeyScene.pin)
      let made = try await scene.register(verifying: .required)
      #expect(
        try AuthenticatorData(parsing: made.attestationObject.authenticatorData).flags.contains(.userVerified)
      )
      #expect(scene.owner.seen.questions.isEmpty)
    }

    @Test func `the PIN is asked for, and a wrong one is asked again with what is left`() async throws {
      let scene = try await scene([PIN("000001"), KeyScene.pin, KeyScene.pin])
      let made = try await scene.register(verifying: .required)
      #expect(
        try AuthenticatorData(parsing: made.attestationObject.authenticatorData).flags.contains(.userVerified)
      )
      let questions = scene.owner.seen.questions
      #expect(questions.map(\.isRepeated) == [false, true])
      // Of the ten that this store takes, CTAP tells eight.
      #expect(questions.map(\.triesLeft) == [8, 8])
      #expect(
        try await scene.signIn([made.id], verifying: .preferred).authenticatorData.flags.contains(
          .userVerified))
    }

    @Test func `after three wrong PINs the key has to be plugged in again`() async throws {
      let scene = try await scene([PIN("000001"), PIN("000002"), PIN("000003"), PIN("000004")])
      await #expect(throws: SecurityKeyError.pinPaused) { try await scene.register(verifying: .required) }
      #expect(scene.owner.seen.questions.count == 3)
    }

    @Test func `without an answer the PIN is not tried`() async throws {
      let scene = try await scene([nil])
      await #expect(throws: SecurityKeyError.noPIN) { try await scene.register(verifying: .required) }
      #expect(scene.key.commands.contains(0x01) == false)
    }

    @Test(arguments: [String(repeating: "1", count: 64), "12\034"])
    func `what cannot be a PIN does not cost a try`(text: String) async throws {
      let scene = try await scene([PIN(text), KeyScene.pin])
      let error = await #expect(throws: SecurityKeyError.self) {
        try await scene.register(verifying: .required)
      }
      guard case .unusable? = error else { return #expect(Bool(false)) }
      _ = try await scene.register(verifying: .required)
      #expect(Set(scene.owner.seen.questions.map(\.triesLeft)).count == 1)
    }

    @Test func `a key without a PIN is refused where a verified person is required, and used where not`()
      async throws
    {
      let scene = try await KeyScene()
      await #expect(throws: SecurityKeyError.pinNotSet) { try await scene.register(verifying: .required) }
      #expect(scene.owner.seen.touches.isEmpty)
      _ = try await scene.register(verifying: .preferred)
    }

    @Test func `a key that wants the PIN for a passkey gets it, whatever the server says`() async throws {
      let scene = try await scene([KeyScene.pin])
      _ = try await scene.register(resident: true, verifying: .discouraged)
      #expect(scene.owner.seen.questions.count == 1)
    }

    @Test func `a person who refuses on the key is no failure of the key`() async throws {
      let scene = try await KeyScene { request, honest in request.first == 0x01 ? [0x27] : honest }
      await #expect(throws: SecurityKeyError.declined) { try await scene.register() }
    }
  }
#endif
