import Crypto
import WebAuthnFormats
import WebAuthnVerification

/// A client's answer to an authentication and the server that judges it. As made, all is well; a test changes one thing.
struct AssertionScenario: Sendable {
  let key = P256.Signing.PrivateKey()
  var challenge = [UInt8](repeating: 0xC5, count: 32)
  var policy = AssertionVerifier.Policy(
    relyingParty: RelyingParty(id: "example.com", origins: OriginPolicy(["https://example.com"])),
    userVerification: .required, refusesSignCountMismatch: true)
  var credential: RegisteredCredential

  var client = ClientScenario(type: "webauthn.get")
  var relyingPartyID = "example.com"
  var flags: UInt8 = 0x05
  var signCount: UInt32 = 8
  var credentialID = [UInt8](repeating: 0x1D, count: 16)
  var userHandle: [UInt8]? = Array("handle".utf8)
  var usedAppID = false

  var changesData: @Sendable ([UInt8]) -> [UInt8] = { $0 }
  var changesSignature: @Sendable ([UInt8]) -> [UInt8] = { $0 }
  /// Changes after the signature was made.
  var changesResponse: @Sendable (inout AssertionResponse) -> Void = { _ in }

  init() throws {
    credential = RegisteredCredential(
      id: [UInt8](repeating: 0x1D, count: 16), publicKey: try COSEKey(key.publicKey), signCount: 7,
      isBackupEligible: false, userHandle: Array("handle".utf8))
  }

  func response() throws -> AssertionResponse {
    let json = client.json(challenge: challenge)
    let data = changesData(
      Array(SHA256.hash(data: Array(relyingPartyID.utf8))) + [flags]
        + withUnsafeBytes(of: signCount.bigEndian, Array.init))
    let signature = try key.signature(for: data + SHA256.hash(data: json)).derRepresentation
    var response = AssertionResponse(
      clientDataJSON: json, authenticatorData: data, signature: changesSignature(Array(signature)),
      credentialID: credentialID, userHandle: userHandle, usedAppID: usedAppID)
    changesResponse(&response)
    return response
  }

  func verify() throws -> VerifiedAssertion {
    try AssertionVerifier(policy).verify(response(), challenge: challenge, credential: credential)
  }
}
