internal import BindingFormats
internal import Bytes
internal import Crypto
internal import Foundation
internal import JOSE
internal import SigningTransactions
internal import StrictJSON

/// Binding, and signing with the bound key: the formats of PingBinding without its prompts and stores.
extension JourneyVisit {
  /// How long a proof is valid. Seconds.
  private static let lifetime: Int64 = 60

  mutating func bind(_ page: inout JourneyPage, _ index: Int) async throws {
    guard settings.scenario == .bind else { throw refuse(BindingCallbackType.bind) }
    guard let userID = page.output(BindingField.userID, of: index)?.stringValue,
      let challenge = page.output(BindingField.challenge, of: index)?.stringValue, !challenge.isEmpty
    else { throw LoadFailure(.malformed, "DeviceBindingCallback has no userId, or no challenge") }
    if Challenge(wire: challenge)?.purpose == .statement { throw Self.isText }
    let key = P256.Signing.PrivateKey()
    let id = UUID().uuidString.lowercased()
    let jwk = try JWK(p256X963: Array(key.publicKey.x963Representation), keyID: id)
    let header = JWSHeader(algorithm: .es256, type: "JWS", keyID: id, jwk: jwk)
    let claims = claims(userID: userID, challenge: challenge)
    let proof = try await JWS.compact(header: header, claims: claims, signer: P256Signer(privateKey: key))
    try page.set(.string(proof), of: index, suffix: BindingField.jws)
    try page.set("load test", of: index, suffix: BindingField.deviceName)
    try page.set(.string(id), of: index, suffix: BindingField.deviceID)
    try page.set("", of: index, suffix: BindingField.clientError)
    enrolment = .bound(BoundKey(id: id, userID: userID, key: key))
    hasDone = true
  }

  mutating func sign(_ page: inout JourneyPage, _ index: Int) async throws {
    guard [.signIn, .transaction].contains(settings.scenario), let bound = device.bound else {
      throw refuse(BindingCallbackType.sign)
    }
    let wire = page.output(BindingField.challenge, of: index)?.stringValue ?? ""
    let offer = page.output(BindingField.transaction, of: index)?.objectValue
    let transaction = offer.flatMap { OfferedTransaction(json: $0) }
    // As a device does: what is signed has to be the transaction that the run is for, and nothing else.
    guard (offer == nil) == (transactionID == nil), (offer == nil) == (transaction == nil),
      transaction?.id == transactionID, let challenge = Challenge(wire: wire, offer: transaction)
    else {
      throw LoadFailure(.malformed, "the challenge is missing, or not that of the transaction")
    }
    // Nobody is there to read it.
    if challenge.purpose == .statement { throw Self.isText }
    var claims = claims(userID: bound.userID, challenge: challenge.wire)
    if let transactionID { claims[ProofClaim.transaction] = .string(transactionID) }
    let proof = try await JWS.compact(
      header: JWSHeader(algorithm: .es256, type: "JWS", keyID: bound.id), claims: claims,
      signer: P256Signer(privateKey: bound.key))
    try page.set(.string(proof), of: index, suffix: BindingField.jws)
    try page.set("", of: index, suffix: BindingField.clientError)
    hasDone = true
  }

  private static let isText = LoadFailure(
    .malformed, "the server asks to sign a text, which nobody was shown")

  private func claims(userID: String, challenge: String) -> JSONObject {
    let now = Int64(driver.date().timeIntervalSince1970)
    return [
      ProofClaim.subject: .string(userID), ProofClaim.issuer: .string(settings.applicationID),
      ProofClaim.challenge: .string(challenge), ProofClaim.issuedAt: .integer(now),
      ProofClaim.notBefore: .integer(now), ProofClaim.expiry: .integer(now + Self.lifetime),
      ProofClaim.platform: "linux",
    ]
  }
}
