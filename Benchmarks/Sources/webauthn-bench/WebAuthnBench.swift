import BenchmarkReport
import Crypto
import Foundation
import WebAuthnFormats
import WebAuthnVerification

/// Assertions and registrations through all checks of WebAuthn, beside the bare P-256 operation that they cannot do without:
/// import of the key and verification over the same bytes.
///
/// The WebAuthn side starts from what the client sent and, for assertions, from the COSE key as it is stored.
@main
struct WebAuthnBench {
  static func main() async throws {
    let bench = try WebAuthnBench()
    try await bench.assertion()
    try await bench.registration()
  }

  private let challenge = [UInt8](repeating: 0xA7, count: 32)
  private let party = RelyingParty(id: "example.com", origins: OriginPolicy(["https://example.com"]))
  private let point: [UInt8]
  private let key: COSEKey
  private let registrationResponse: RegistrationResponse
  private let registrationMessage: [UInt8]
  private let registrationSignature: P256.Signing.ECDSASignature
  private let assertionResponse: AssertionResponse
  private let assertionMessage: [UInt8]
  private let assertionSignature: P256.Signing.ECDSASignature

  private init() throws {
    let privateKey = P256.Signing.PrivateKey()
    point = Array(privateKey.publicKey.x963Representation)
    key = try COSEKey(.ec(.p256, x: Array(point[1..<33]), y: Array(point[33...])), algorithm: .es256)
    let id = [UInt8](repeating: 0x11, count: 16)

    let creation = ClientData(.create, challenge: challenge, origin: "https://example.com")
    let created = try AuthenticatorData(
      relyingPartyID: party.id, flags: [.userPresent, .userVerified], signCount: 0,
      attestedCredential: AttestedCredential(aaguid: .zero, id: id, publicKey: key))
    registrationMessage = created.encoded + creation.hash
    registrationSignature = try privateKey.signature(for: registrationMessage)
    registrationResponse = RegistrationResponse(
      clientDataJSON: creation.json,
      attestationObject: AttestationObject.packedSelf(
        created, algorithm: .es256, signature: Array(registrationSignature.derRepresentation)
      ).encoded, credentialID: id)

    let request = ClientData(.get, challenge: challenge, origin: "https://example.com")
    let asserted = try AuthenticatorData(
      relyingPartyID: party.id, flags: [.userPresent, .userVerified], signCount: 1)
    assertionMessage = asserted.encoded + request.hash
    assertionSignature = try privateKey.signature(for: assertionMessage)
    assertionResponse = AssertionResponse(
      clientDataJSON: request.json, authenticatorData: asserted.encoded,
      signature: Array(assertionSignature.derRepresentation), credentialID: id)
  }

  private func assertion() async throws {
    let verifier = AssertionVerifier(
      AssertionVerifier.Policy(relyingParty: party, userVerification: .required))
    let stored = key.encoded
    let id = assertionResponse.credentialID
    try await Comparison.measure(
      base: { try importAndVerify(assertionSignature, assertionMessage) },
      subject: {
        let credential = RegisteredCredential(
          id: id, publicKey: try COSEKey(decoding: stored), signCount: 0, isBackupEligible: false)
        keep(try verifier.verify(assertionResponse, challenge: challenge, credential: credential))
      }
    ).report(
      base: "p256-import-verify", subject: "webauthn-assertion", ratio: "webauthn-assertion-of-raw")
  }

  private func registration() async throws {
    let verifier = RegistrationVerifier(
      RegistrationVerifier.Policy(relyingParty: party, userVerification: .required), clock: { Date() })
    try await Comparison.measure(
      base: { try importAndVerify(registrationSignature, registrationMessage) },
      subject: { keep(try await verifier.verify(registrationResponse, challenge: challenge)) }
    ).report(
      base: "p256-import-verify", subject: "webauthn-registration", ratio: "webauthn-registration-of-raw")
  }

  private func importAndVerify(_ signature: P256.Signing.ECDSASignature, _ message: [UInt8]) throws {
    let key = try P256.Signing.PublicKey(x963Representation: point)
    guard key.isValidSignature(signature, for: message) else { throw WrongResult() }
  }
}

/// Uses a result, so that the optimiser cannot drop what made it.
@inline(never)
private func keep<Value>(_ value: Value) {}

private struct WrongResult: Error {}
