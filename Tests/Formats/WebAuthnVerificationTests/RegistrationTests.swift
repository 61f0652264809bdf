import CBOR
import Crypto
import Testing
import WebAuthnFormats
import WebAuthnVerification

@Suite("Registrations")
struct RegistrationTests {
  @Test func `a sound one is accepted`() async throws {
    let scenario = RegistrationScenario()
    let registration = try await scenario.verify()
    #expect(registration.attestation.type == .selfSigned)
    #expect(registration.attestation.format == "packed")
    #expect(registration.publicKey == (try scenario.publicKey))
    #expect(registration.flags == [.userPresent, .userVerified, .attestedCredential])
    let credential = registration.credential(userHandle: [1])
    #expect(credential.isBackupEligible == false)
    #expect(credential.id == scenario.credentialID)
  }

  typealias Fault = Wrong<RegistrationScenario>

  static func packed(
    _ change: @escaping @Sendable (inout CBORMap) -> Void
  ) -> @Sendable (inout RegistrationScenario) throws -> Void {
    { scenario in
      scenario.statement = { scenario, data, hash in
        var members: CBORMap = [
          "alg": -7, "sig": .bytes(try Array(scenario.key.signature(for: data + hash).derRepresentation)),
        ]
        change(&members)
        return RegistrationScenario.Statement("packed", members)
      }
    }
  }

  static func statement(
    _ format: String, _ members: CBORMap
  ) -> @Sendable (inout RegistrationScenario) throws -> Void {
    { scenario in scenario.statement = { _, _, _ in RegistrationScenario.Statement(format, members) } }
  }

  static let faults: [Fault] = [
    Fault("no JSON", .malformedResponse) { $0.changesClientData = { _ in [0xFF] } },
    Fault("of another ceremony", .wrongCeremonyType) { $0.client.type = "webauthn.get" },
    Fault("another challenge", .challengeMismatch) { $0.client.challenge = "AAAA" },
    Fault("a padded challenge", .challengeMismatch) {
      $0.client.challenge = "xMTExMTExMTExMTExMTExMTExMTExMTExMTExMTExMQ="
    },
    Fault("another origin", .originNotAllowed) { $0.client.origin = "https://example.net" },
    Fault("an app's origin with a slash", .originNotAllowed) {
      $0.policy.relyingParty.origins = OriginPolicy(["ios:bundle-id:com.example.app"])
      $0.client.origin = "ios:bundle-id:com.example.app/"
    },
    Fault("a frame of another origin", .crossOriginNotAllowed) { $0.client.crossOrigin = true },
    Fault("no CBOR", .malformedAttestationObject) { $0.changesObject = { Array($0.dropLast()) } },
    Fault("an indefinite length", .malformedAttestationObject) {
      $0.changesObject = { [0xBF] + $0.dropFirst() + [0xFF] }
    },
    Fault("a fourth member", .malformedAttestationObject) {
      $0.changesObject = { [0xA4] + $0.dropFirst() + [0x61, 0x61, 0x01] }
    },
    Fault("a member twice", .malformedAttestationObject, "duplicateKey") {
      $0.changesObject = { [0xA4] + $0.dropFirst() + [0x63, 0x66, 0x6D, 0x74, 0x60] }
    },
    Fault("another relying party", .rpIdMismatch) { $0.relyingPartyID = "example.org" },
    Fault("nobody there", .userNotPresent) { $0.flags = 0x44 },
    Fault("not verified", .userNotVerified) { $0.flags = 0x41 },
    Fault("no credential", .malformedAuthenticatorData, "flag AT") { $0.flags = 0x05 },
    Fault("BS without BE", .malformedAuthenticatorData) { $0.flags = 0x55 },
    Fault("a trailing byte", .malformedAuthenticatorData) { $0.changesData = { $0 + [0] } },
    Fault("an id of 1024 bytes", .malformedAuthenticatorData) {
      $0.credentialID = [UInt8](repeating: 1, count: 1024)
    },
    Fault("an algorithm that was not offered", .algorithmNotAllowed, "not among") {
      $0.policy.algorithms = [.rs256]
    },
    Fault("an unknown algorithm", .algorithmNotAllowed) { $0.changesKey = { $0[3] = -65535 } },
    Fault("an algorithm of other keys", .algorithmNotAllowed) { $0.changesKey = { $0[3] = -257 } },
    Fault("a point off the curve", .algorithmNotAllowed) { $0.changesKey = { $0[-3] = $0[-2] } },
    Fault("an unknown format", .unsupportedAttestationFormat, "", statement("compound", [:])),
    Fault("SafetyNet", .unsupportedAttestationFormat, "switched off", statement("android-safetynet", [:])),
    Fault("none with a statement", .attestationInvalid, "not empty", statement("none", ["sig": .bytes([1])])),
    Fault("packed without signature", .attestationInvalid, "", packed { $0["sig"] = nil }),
    Fault("packed without algorithm", .attestationInvalid, "", packed { $0["alg"] = nil }),
    Fault("packed with another algorithm", .attestationInvalid, "alg is not", packed { $0["alg"] = -257 }),
    Fault("packed with an unknown algorithm", .attestationInvalid, "-65535", packed { $0["alg"] = -65535 }),
    Fault("packed with ECDAA", .attestationInvalid, "ECDAA", packed { $0["ecdaaKeyId"] = .bytes([1]) }),
    Fault("packed with more", .attestationInvalid, "other members", packed { $0["x"] = 1 }),
    Fault("packed with no certificates", .attestationInvalid, "", packed { $0["x5c"] = [] }),
    Fault(
      "packed with certificates of rubbish", .attestationInvalid, "", packed { $0["x5c"] = [.bytes([1])] }),
    Fault(
      "packed with a changed signature", .attestationInvalid, "own signature",
      packed { members in
        var signature = members["sig"]?.bytesValue ?? []
        signature[signature.count - 1] ^= 1
        members["sig"] = .bytes(signature)
      }),
    Fault("another credential's id", .credentialIdMismatch) { $0.namedID = [1] },
    Fault("a type that is not accepted", .attestationNotTrusted) {
      $0.policy.attestation.acceptedTypes = [.none, .ca]
    },
    Fault("a level that nobody attests", .attestationNotTrusted) {
      $0.policy.attestation.minimumCertification = .l1
    },
  ]

  @Test(arguments: faults)
  func `each thing that is wrong is found by its own check`(fault: Fault) async throws {
    var scenario = RegistrationScenario()
    try fault.change(&scenario)
    await expectFailure(fault.check, fault.text) { [scenario] in _ = try await scenario.verify() }
  }

  @Test func `a registration after a password needs nobody`() async throws {
    var scenario = RegistrationScenario()
    scenario.policy.requiresUserPresence = false
    scenario.policy.userVerification = .preferred
    scenario.flags = 0x40
    #expect(try await scenario.verify().flags == [.attestedCredential])
  }

  @Test(arguments: 0..<4)
  func `any flipped bit of what is signed is found`(part: Int) async throws {
    let scenario = RegistrationScenario()
    let response = try await scenario.response()
    let verifier = RegistrationVerifier(scenario.policy, clock: { testTime })
    let object = try AttestationObject(parsing: response.attestationObject)
    for bit in stride(from: part, to: object.authenticatorData.count * 8, by: 4) {
      var data = object.authenticatorData
      data[bit / 8] ^= 1 << UInt8(bit % 8)
      var changed = response
      changed.attestationObject =
        AttestationObject(format: object.format, statement: object.statement, authenticatorData: data).encoded
      await expectRefusal(of: changed, scenario, verifier)
    }
    for bit in stride(from: part, to: response.clientDataJSON.count * 8, by: 4) {
      var changed = response
      changed.clientDataJSON[bit / 8] ^= 1 << UInt8(bit % 8)
      await expectRefusal(of: changed, scenario, verifier)
    }
  }

  private func expectRefusal(
    of response: RegistrationResponse, _ scenario: RegistrationScenario, _ verifier: RegistrationVerifier
  ) async {
    await #expect(throws: WebAuthnFailure.self) {
      try await verifier.verify(response, challenge: scenario.challenge)
    }
  }
}
