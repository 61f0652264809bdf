import CBOR
import Testing
import WebAuthnFormats
import WebAuthnVerification

@Suite("Assertions")
struct AssertionTests {
  @Test func `a sound one is accepted`() throws {
    let assertion = try AssertionScenario().verify()
    #expect(assertion.signCount == 8)
    #expect(assertion.counter == .advanced)
    #expect(assertion.flags == [.userPresent, .userVerified])
    #expect(assertion.origin == "https://example.com")
  }

  typealias Fault = Wrong<AssertionScenario>

  static let faults: [Fault] = [
    Fault("of another ceremony", .wrongCeremonyType) { $0.client.type = "webauthn.create" },
    Fault("of no ceremony", .wrongCeremonyType) { $0.client.type = "webauthn.get2" },
    Fault("another challenge", .challengeMismatch) { $0.client.challenge = "AAAA" },
    Fault("no challenge", .challengeMismatch) { $0.client.challenge = "" },
    Fault("a padded challenge", .challengeMismatch) {
      $0.client.challenge = "xcXFxcXFxcXFxcXFxcXFxcXFxcXFxcXFxcXFxcXFxcU="
    },
    Fault("another origin", .originNotAllowed) { $0.client.origin = "https://example.net" },
    Fault("a longer origin", .originNotAllowed) { $0.client.origin = "https://example.com.evil.net" },
    Fault("a frame of another origin", .crossOriginNotAllowed) { $0.client.crossOrigin = true },
    Fault("in a page", .crossOriginNotAllowed) { $0.client.topOrigin = "https://example.com" },
    Fault("another relying party", .rpIdMismatch) { $0.relyingPartyID = "example.org" },
    Fault("nobody there", .userNotPresent) { $0.flags = 0x04 },
    Fault("not verified", .userNotVerified) { $0.flags = 0x01 },
    Fault("AT without credential", .malformedAuthenticatorData) { $0.flags = 0x45 },
    Fault("AT with a credential", .malformedAuthenticatorData, "flag AT") { scenario in
      let key = scenario.credential.publicKey.encoded
      scenario.flags = 0x45
      scenario.changesData = { $0 + [UInt8](repeating: 0, count: 16) + [0, 1, 1] + key }
    },
    Fault("a trailing byte", .malformedAuthenticatorData) { $0.changesData = { $0 + [0] } },
    Fault("too short", .malformedAuthenticatorData) { $0.changesData = { $0.dropLast() } },
    Fault("BS without BE", .backupStateInvalid) { $0.flags = 0x15 },
    Fault("BE that was not registered", .backupStateInvalid) { $0.flags = 0x0D },
    Fault("BE lost", .backupStateInvalid) { $0.credential.isBackupEligible = true },
    Fault("another credential", .unknownCredential) { $0.credentialID = [1] },
    Fault("another account's handle", .userHandleMismatch) { $0.userHandle = [1] },
    Fault("no handle where one is needed", .userHandleMismatch) {
      $0.userHandle = nil
      $0.policy.requiresUserHandle = true
    },
    Fault("another key", .invalidSignature) {
      $0.credential.publicKey = try AssertionScenario().credential.publicKey
    },
    Fault("no signature", .invalidSignature) { $0.changesSignature = { _ in [] } },
    Fault("a signature with a byte more", .invalidSignature) { $0.changesSignature = { $0 + [0] } },
    Fault("a signature that is not minimal", .invalidSignature) {
      $0.changesSignature = { der in
        // One zero too many before r.
        var der = der
        der[1] += 1
        der[3] += 1
        der.insert(0, at: 4)
        return der
      }
    },
    Fault("r = 0", .invalidSignature) { $0.changesSignature = { _ in [0x30, 6, 2, 1, 0, 2, 1, 1] } },
    Fault("r < 0", .invalidSignature) { $0.changesSignature = { _ in [0x30, 6, 2, 1, 0x80, 2, 1, 1] } },
    Fault("a counter that stands", .signCountMismatch) { $0.signCount = 7 },
    Fault("a counter that falls", .signCountMismatch) { $0.signCount = 6 },
    Fault("a counter that is gone", .signCountMismatch) { $0.signCount = 0 },
    Fault("client data that is not valid JSON", .malformedResponse) {
      $0.changesResponse = { $0.clientDataJSON = Array("{".utf8) }
    },
  ]

  @Test(arguments: faults)
  func `each thing that is wrong is found by its own check`(fault: Fault) async throws {
    var scenario = try AssertionScenario()
    try fault.change(&scenario)
    await expectFailure(fault.check, fault.text) { [scenario] in _ = try scenario.verify() }
  }

  @Test(
    arguments: [
      (0, 0, .unused, 0), (0, 1, .advanced, 1), (5, 5, .mismatch, 5), (5, 4, .mismatch, 5),
      (5, 0, .mismatch, 5),
      (5, .max, .advanced, .max),
    ] as [(UInt32, UInt32, VerifiedAssertion.Counter, UInt32)])
  func `the counter is told, and what is stored never falls`(
    stored: UInt32, received: UInt32, counter: VerifiedAssertion.Counter, kept: UInt32
  ) throws {
    var scenario = try AssertionScenario()
    scenario.policy.refusesSignCountMismatch = false
    scenario.credential.signCount = stored
    scenario.signCount = received
    let assertion = try scenario.verify()
    #expect(assertion.counter == counter)
    #expect(assertion.signCount == kept)
  }

  @Test func `verification of the person is demanded only where it is required`() throws {
    for requirement in [UserVerificationRequirement.preferred, .discouraged] {
      var scenario = try AssertionScenario()
      scenario.policy.userVerification = requirement
      scenario.flags = 0x01
      #expect(try scenario.verify().flags == [.userPresent])
    }
  }

  @Test func `records without handle or backup eligibility ask for neither`() throws {
    var scenario = try AssertionScenario()
    scenario.credential.userHandle = nil
    scenario.credential.isBackupEligible = nil
    scenario.flags = 0x1D
    #expect(try scenario.verify().flags.contains(.backedUp))
  }

  @Test func `extensions are handed on`() throws {
    var scenario = try AssertionScenario()
    scenario.flags = 0x85
    scenario.changesData = { $0 + [0xA1, 0x61, 0x61, 0xF5] }
    #expect(try scenario.verify().extensions == ["a": true])
  }

  @Test func `any flipped bit is found`() throws {
    let scenario = try AssertionScenario()
    let response = try scenario.response()
    let verifier = AssertionVerifier(scenario.policy)
    for member in [\AssertionResponse.authenticatorData, \.clientDataJSON, \.signature] {
      for bit in 0..<(response[keyPath: member].count * 8) {
        var changed = response
        changed[keyPath: member][bit / 8] ^= 1 << UInt8(bit % 8)
        #expect(throws: WebAuthnFailure.self) {
          try verifier.verify(changed, challenge: scenario.challenge, credential: scenario.credential)
        }
      }
    }
  }
}
