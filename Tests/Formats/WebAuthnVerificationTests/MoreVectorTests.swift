import KeyAttestation
import Testing
import WebAuthnFormats
import WebAuthnVerification

/// What python made, in the form of real authenticators (`Tests/Interoperability/make_webauthn_vectors.py`).
@Suite("Vectors in the form of real authenticators")
struct MoreVectorTests {
  static let vectors: [(String, AttestationType, COSEAlgorithm)] = [
    ("tpm.RS1", .ca, .rs256), ("tpm.RS256", .ca, .rs256), ("packed-self.Ed448", .selfSigned, .ed448),
    ("packed-self.ML-DSA-65", .selfSigned, .mlDSA65),
  ]

  @Test func `all are there`() {
    #expect(Vectors.more.all.map(\.name) == Self.vectors.map(\.0))
  }

  private static func register(
    _ vector: Vectors.Vector, _ response: RegistrationResponse? = nil,
    _ change: (inout RegistrationVerifier.Policy) -> Void = { _ in }
  ) async throws -> VerifiedRegistration {
    var policy = try Vectors.more.registrationPolicy()
    change(&policy)
    return try await RegistrationVerifier(policy, clock: { testTime }).verify(
      response ?? vector.registrationResponse, challenge: vector.registration("challenge"))
  }

  @Test(arguments: vectors)
  func `registration and authentication are accepted`(
    name: String, type: AttestationType, algorithm: COSEAlgorithm
  ) async throws {
    let vector = try Vectors.more.named(name)
    let registration = try await Self.register(vector)
    #expect(registration.attestation.type == type && registration.publicKey.algorithm == algorithm)
    #expect(registration.attestation.certificates.count == (type == .ca ? 2 : 0))
    let assertion = try AssertionVerifier(AssertionVerifier.Policy(relyingParty: Vectors.more.relyingParty))
      .verify(
        vector.assertionResponse, challenge: vector.authentication("challenge"),
        credential: registration.credential(userHandle: nil))
    #expect(assertion.counter == .unused)
  }

  @Test func `what is signed with SHA-1 is accepted only where that was chosen`() async throws {
    for (name, isAccepted) in [("tpm.RS1", false), ("tpm.RS256", true)] {
      let vector = try Vectors.more.named(name)
      let registration = try? await Self.register(vector) { $0.attestation.acceptsTPMSHA1 = false }
      #expect((registration != nil) == isAccepted)
    }
  }

  @Test(arguments: ["tpm.RS1", "tpm.RS256"])
  func `below another root it is refused, and the reason is told`(name: String) async throws {
    let vector = try Vectors.more.named(name)
    let other = try TrustAnchors([Authority().der])
    do {
      _ = try await Self.register(vector) { $0.attestation.roots = other }
      Issue.record("it was accepted")
    } catch let failure as WebAuthnFailure {
      #expect(failure.check == .attestationNotTrusted && failure.chainFault?.cause == .unknownIssuer)
      #expect(failure.chainFault?.place == 1)
    }
  }

  /// Every byte of the statement is signed, certified, or decides.
  @Test(arguments: vectors.map(\.0))
  func `no changed byte of the attestation object is accepted`(name: String) async throws {
    let vector = try Vectors.more.named(name)
    let object = vector.registration("attestationObject")
    for place in stride(from: 0, to: object.count, by: 13) {
      var response = vector.registrationResponse
      response.attestationObject[place] ^= 0x20
      let changed = response
      await #expect(throws: WebAuthnFailure.self) { _ = try await Self.register(vector, changed) }
    }
  }
}
