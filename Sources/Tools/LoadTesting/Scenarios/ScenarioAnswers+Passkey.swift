internal import Bytes
internal import Crypto
internal import Foundation
internal import JourneyDriving
internal import StrictJSON
internal import WebAuthnFormats

/// A WebAuthn authenticator (WebAuthn L3 §6.3) without a store: the device has a single credential.
extension ScenarioAnswers {
  private static let outcome = "webAuthnOutcome"

  /// Answers a metadata callback.
  ///
  /// - Returns: `nil` for other metadata, which need no answer.
  mutating func passkey(_ page: inout JourneyPage, _ index: Int) throws -> LoadStep? {
    guard let data = page.output("data", of: index)?.objectValue, data["_type"] ?? "WebAuthn" == "WebAuthn",
      data["relyingPartyId"] != nil || data["_relyingPartyId"] != nil
    else { return nil }
    guard let hidden = page.hidden(Self.outcome) else {
      throw LoadFailure(.malformed, "the page has no hidden value \(Self.outcome)")
    }
    guard let text = data["challenge"]?.stringValue, text.utf8.count <= 4096,
      let challenge = LenientBase64.decode(text), !challenge.isEmpty
    else { throw LoadFailure(.malformed, "the WebAuthn challenge is missing, or not Base64") }
    guard let party = Self.relyingParty(data), !party.isEmpty, party.utf8.count <= 253 else {
      throw LoadFailure(.malformed, "the relying party's id is missing")
    }
    let asJSON = data["supportsJsonResponse"]?.boolValue ?? false
    // PingAM before 7.1 does not name the action.
    let isRegistration = data["pubKeyCredParams"] != nil || data["_pubKeyCredParams"] != nil
    guard settings.scenario == (isRegistration ? .passkeyRegister : .passkey) else {
      throw refuse("MetadataCallback (a passkey \(isRegistration ? "registration" : "assertion"))")
    }
    let value =
      try isRegistration
      ? register(data, party, challenge, asJSON: asJSON) : assert(party, challenge, asJSON: asJSON)
    try page.set(.string(value), of: hidden.index)
    hasDone = true
    return isRegistration ? .attest : .assert
  }

  /// The relying party's id: `_relyingPartyId`, or before PingAM 7.1 the text between the quotation marks of `rpId: "…",`.
  private static func relyingParty(_ data: JSONObject) -> String? {
    if let id = data["_relyingPartyId"]?.stringValue { return id }
    let parts = data["relyingPartyId"]?.stringValue?.split(separator: "\"", omittingEmptySubsequences: false)
    return parts?.count == 3 ? parts.map { String($0[1]) } : nil
  }

  private mutating func register(
    _ data: JSONObject, _ party: String, _ challenge: [UInt8], asJSON: Bool
  ) throws -> String {
    let algorithms = data["_pubKeyCredParams"]?.arrayValue
    guard algorithms?.contains(where: { $0["alg"]?.integerValue == -7 }) ?? true else {
      throw LoadFailure(.unanswerable, "journey \(settings.journey) does not accept ES256 credentials")
    }
    let key = P256.Signing.PrivateKey()
    let point = Array(key.publicKey.rawRepresentation)
    let id = SystemRandom.bytes(32)
    let clientData = ClientData(.create, challenge: challenge, origin: driver.target.webAuthnOrigin)
    let authenticatorData = try AuthenticatorData(
      relyingPartyID: party, flags: [.userPresent, .userVerified], signCount: 0,
      attestedCredential: AttestedCredential(
        aaguid: .zero, id: id,
        publicKey: COSEKey(
          .ec(.p256, x: Array(point[..<32]), y: Array(point[32...])), algorithm: .es256)))
    let object: AttestationObject
    if data["attestationPreference"]?.stringValue == "none" {
      object = .none(authenticatorData)
    } else {
      let signature = try key.signature(for: authenticatorData.encoded + clientData.hash)
      object = .packedSelf(
        authenticatorData, algorithm: .es256, signature: Array(signature.derRepresentation))
    }
    enrolment = .passkey(
      PasskeyCredential(
        id: id, relyingPartyID: party, userHandle: Array((data["userId"]?.stringValue ?? "").utf8), key: key))
    let response = RegistrationResponse(
      clientDataJSON: clientData.json, attestationObject: object.encoded, credentialID: id,
      deviceName: "load test")
    return ClientOutcome.completed(response, attachment: .platform).text(asJSON: asJSON)
  }

  private func assert(_ party: String, _ challenge: [UInt8], asJSON: Bool) throws -> String {
    guard let passkey = device.passkey, passkey.relyingPartyID == party else {
      throw LoadFailure(
        .unanswerable, "journey \(settings.journey) asks for a passkey of \(party), and the devices have none"
      )
    }
    let clientData = ClientData(.get, challenge: challenge, origin: driver.target.webAuthnOrigin)
    // The authenticator counts no signatures (§6.1.1), so that it has no state to store.
    let data = try AuthenticatorData(
      relyingPartyID: party, flags: [.userPresent, .userVerified], signCount: 0)
    let signature = try passkey.key.signature(for: data.encoded + clientData.hash)
    let response = AssertionResponse(
      clientDataJSON: clientData.json, authenticatorData: data.encoded,
      signature: Array(signature.derRepresentation), credentialID: passkey.id,
      userHandle: passkey.userHandle)
    return ClientOutcome.completed(response, attachment: .platform).text(asJSON: asJSON)
  }
}
