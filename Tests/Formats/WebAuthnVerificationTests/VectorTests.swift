import CBOR
import Foundation
import KeyAttestation
import Testing
import WebAuthnFormats
import WebAuthnVerification

/// The vectors of the specification itself, registration and then authentication with the registered key.
@Suite("The vectors of WebAuthn Level 3")
struct VectorTests {
  static let types: [(String, AttestationType)] = [
    ("none.ES256", .none), ("packed-self.ES256", .selfSigned), ("none.ES256.crossOrigin", .none),
    ("none.ES256.topOrigin", .none), ("packed.ES256", .ca), ("packed.ES384", .ca), ("packed.RS256", .ca),
    ("packed.EdDSA", .ca), ("fido-u2f.ES256", .ca), ("apple.ES256", .ca), ("tpm.ES256", .basic),
  ]

  /// The policy of all vectors. The TPM's key has no attribute that keeps it in its TPM, so the vector's root proves nothing about it.
  private static func policy(of type: AttestationType) throws -> RegistrationVerifier.Policy {
    var policy = try Vectors.shared.registrationPolicy()
    if type == .basic { policy.attestation.roots = TrustAnchors() }
    return policy
  }

  @Test func `all are there`() {
    #expect(Vectors.shared.all.map(\.name) == Self.types.map(\.0))
  }

  @Test(arguments: types)
  func `registration and authentication are accepted`(name: String, type: AttestationType) async throws {
    let vector = try Vectors.shared.named(name)
    let policy = try Self.policy(of: type)
    let registration = try await RegistrationVerifier(policy, clock: { testTime }).verify(
      vector.registrationResponse, challenge: vector.registration("challenge"))
    #expect(registration.attestation.type == type)
    #expect((registration.attestation.root != nil) == (type == .ca))
    #expect(registration.aaguid.bytes == vector.registration("aaguid"))
    #expect(registration.credentialID == vector.registration("credential_id"))
    #expect(registration.signCount == 0)

    let assertion = try AssertionVerifier(AssertionVerifier.Policy(relyingParty: Vectors.shared.relyingParty))
      .verify(
        vector.assertionResponse, challenge: vector.authentication("challenge"),
        credential: registration.credential(userHandle: nil))
    #expect(assertion.counter == .unused)
    #expect(assertion.signCount == 0)
  }

  @Test func `the key that the vectors' TPM certified may leave it, and is not trusted`() async throws {
    let vector = try Vectors.shared.named("tpm.ES256")
    let policy = try Vectors.shared.registrationPolicy()
    await expectFailure(.attestationNotTrusted, "fixedTPM") {
      _ = try await RegistrationVerifier(policy, clock: { testTime }).verify(
        vector.registrationResponse, challenge: vector.registration("challenge"))
    }
  }

  @Test(arguments: types.map(\.0))
  func `what is read and written again is the same`(name: String) throws {
    let vector = try Vectors.shared.named(name)
    let object = try AttestationObject(parsing: vector.registration("attestationObject"))
    #expect(object.encoded == vector.registration("attestationObject"))
    let data = try AuthenticatorData(parsing: object.authenticatorData)
    let credential = try #require(data.attestedCredential)
    #expect(try COSEKey(decoding: credential.publicKey.encoded) == credential.publicKey)
    let copy = try AuthenticatorData(
      relyingPartyID: "example.org", flags: data.flags, signCount: data.signCount,
      attestedCredential: AttestedCredential(
        aaguid: credential.aaguid, id: credential.id, publicKey: credential.publicKey))
    #expect(copy.encoded == object.authenticatorData)
  }

  @Test(arguments: ["crossOrigin", "topOrigin"])
  func `frames of other origins are refused unless they are allowed`(name: String) async throws {
    let vector = try Vectors.shared.named("none.ES256.\(name)")
    var policy = try Vectors.shared.registrationPolicy()
    policy.relyingParty.origins.allowsCrossOrigin = false
    await expectFailure(.crossOriginNotAllowed) {
      _ = try await RegistrationVerifier(policy, clock: { testTime }).verify(
        vector.registrationResponse, challenge: vector.registration("challenge"))
    }
  }

  @Test func `a page around the frame must be listed`() async throws {
    let vector = try Vectors.shared.named("none.ES256.topOrigin")
    var policy = try Vectors.shared.registrationPolicy()
    policy.relyingParty.origins.topOrigins = ["https://example.net"]
    await expectFailure(.crossOriginNotAllowed) {
      _ = try await RegistrationVerifier(policy, clock: { testTime }).verify(
        vector.registrationResponse, challenge: vector.registration("challenge"))
    }
  }

  @Test func `U2F with a model's name is refused unless it is allowed`() async throws {
    let vector = try Vectors.shared.named("fido-u2f.ES256")
    var policy = try Vectors.shared.registrationPolicy()
    policy.attestation.requiresZeroU2FAAGUID = true
    await expectFailure(.attestationInvalid, "AAGUID") {
      _ = try await RegistrationVerifier(policy, clock: { testTime }).verify(
        vector.registrationResponse, challenge: vector.registration("challenge"))
    }
  }

  @Test(arguments: types.filter { [.ca, .basic].contains($0.1) }.map(\.0))
  func `without roots a certified authenticator is of type BASIC`(name: String) async throws {
    let vector = try Vectors.shared.named(name)
    var policy = try Vectors.shared.registrationPolicy()
    policy.attestation.roots = TrustAnchors()
    let registration = try await RegistrationVerifier(policy, clock: { testTime }).verify(
      vector.registrationResponse, challenge: vector.registration("challenge"))
    #expect(registration.attestation.type == .basic)
    #expect(registration.attestation.root == nil)

    policy.attestation.acceptedTypes = [.ca]
    await expectFailure(.attestationNotTrusted) { [policy] in
      _ = try await RegistrationVerifier(policy, clock: { testTime }).verify(
        vector.registrationResponse, challenge: vector.registration("challenge"))
    }
  }

  @Test(arguments: types.filter { [.ca, .basic].contains($0.1) }.map(\.0))
  func `a certificate is trusted only while it is valid`(name: String) async throws {
    let vector = try Vectors.shared.named(name)
    let policy = try Vectors.shared.registrationPolicy()
    await expectFailure(.attestationNotTrusted) {
      _ = try await RegistrationVerifier(policy, clock: { .init(timeIntervalSince1970: 1_000_000_000) })
        .verify(
          vector.registrationResponse, challenge: vector.registration("challenge"))
    }
  }
}
