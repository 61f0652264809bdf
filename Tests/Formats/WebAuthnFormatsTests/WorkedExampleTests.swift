import CBOR
import StrictJSON
import Testing
import WebAuthnFormats

/// Every encoding of the worked example comes out byte by byte.
@Suite("The worked example")
struct WorkedExampleTests {
  let key: COSEKey
  let data: AuthenticatorData

  init() throws {
    key = try COSEKey(.ec(.p256, x: WorkedExample.x, y: WorkedExample.y), algorithm: .es256)
    data = try AuthenticatorData(
      relyingPartyID: WorkedExample.relyingPartyID, flags: [.userPresent, .userVerified], signCount: 0,
      attestedCredential: AttestedCredential(aaguid: .zero, id: WorkedExample.credentialID, publicKey: key))
  }

  @Test func `the key`() throws {
    #expect(key.encoded == WorkedExample.key)
    #expect(try COSEKey(decoding: WorkedExample.key) == key)
    #expect(
      key.jwk == [
        "kty": "EC", "crv": "P-256", "x": "fVBGanzp892mXZ6SfdOatXzxFlzSajE4ZgHCkkLodvs",
        "y": "uLF9uj_qMFOHykHzI1oslcQ9x6CslNKH7bBShW3w1Tg",
      ])
  }

  @Test func `the client data`() throws {
    let creation = ClientData(
      .create, challenge: WorkedExample.registrationChallenge, origin: WorkedExample.origin)
    #expect(String(decoding: creation.json, as: UTF8.self) == WorkedExample.creationJSON)
    #expect(creation.hash == WorkedExample.creationHash)
    let request = ClientData(
      .get, challenge: WorkedExample.authenticationChallenge, origin: WorkedExample.origin)
    #expect(String(decoding: request.json, as: UTF8.self) == WorkedExample.requestJSON)
    #expect(request.hash == WorkedExample.requestHash)
    #expect(try ClientData(parsing: request.json) == request)
    #expect(request.challengeBytes == WorkedExample.authenticationChallenge)
  }

  @Test func `the attestation objects`() throws {
    #expect(data.encoded.count == 148)
    #expect(AttestationObject.none(data).encoded == WorkedExample.noneObject)
    let packed = AttestationObject.packedSelf(
      data, algorithm: .es256, signature: WorkedExample.packedSignature)
    #expect(packed.encoded == WorkedExample.packedObject)
    #expect(try AttestationObject(parsing: WorkedExample.packedObject) == packed)
    #expect(try AuthenticatorData(parsing: packed.authenticatorData) == data)
    #expect(
      key.isValidSignature(WorkedExample.packedSignature, over: data.encoded + WorkedExample.creationHash))
  }

  @Test func `the assertion`() throws {
    let data = try AuthenticatorData(
      relyingPartyID: WorkedExample.relyingPartyID, flags: [.userPresent, .userVerified], signCount: 1)
    #expect(data.encoded == WorkedExample.assertionData)
    #expect(try AuthenticatorData(parsing: WorkedExample.assertionData) == data)
    #expect(
      key.isValidSignature(WorkedExample.assertionSignature, over: data.encoded + WorkedExample.requestHash))
  }

  @Test func `the outcomes`() throws {
    var registration = RegistrationResponse(
      clientDataJSON: Array(WorkedExample.creationJSON.utf8), attestationObject: WorkedExample.noneObject,
      credentialID: WorkedExample.credentialID)
    try bothWays(.completed(registration, attachment: nil), WorkedExample.registrationOutcome)
    registration.attestationObject = WorkedExample.packedObject
    registration.deviceName = "My Laptop"
    try bothWays(.completed(registration, attachment: nil), WorkedExample.namedRegistrationOutcome)
    let assertion = AssertionResponse(
      clientDataJSON: Array(WorkedExample.requestJSON.utf8), authenticatorData: WorkedExample.assertionData,
      signature: WorkedExample.assertionSignature, credentialID: WorkedExample.credentialID,
      userHandle: Array("ZGVtbw".utf8))
    try bothWays(.completed(assertion, attachment: nil), WorkedExample.assertionOutcome)
    try bothWays(
      .completed(assertion, attachment: .platform), WorkedExample.assertionOutcomeJSON, asJSON: true)
  }

  private func bothWays<Response>(
    _ outcome: ClientOutcome<Response>, _ text: String, asJSON: Bool = false
  ) throws {
    #expect(outcome.text(asJSON: asJSON) == text)
    #expect(try ClientOutcome<Response>(parsing: text) == outcome)
  }
}
