internal import BindingFormats
public import Bytes
public import Crypto
public import Foundation
internal import JOSE
internal import SigningTransactions
internal import StrictJSON

/// A key that a server has bound to an account: PingBinding's formats without prompts and stores. The key is in unprotected memory, and
/// only for tests.
public struct SimulatedKey: Sendable, Redacted {
  public let id: String

  /// The server's id of the account, for the claim `sub`.
  public let userID: String

  public let key: P256.Signing.PrivateKey

  /// The validity of a proof, in seconds.
  private static let lifetime: Int64 = 60

  /// Creates a key; by default it is new.
  public init(
    id: String = UUID().uuidString.lowercased(), userID: String,
    key: P256.Signing.PrivateKey = P256.Signing.PrivateKey()
  ) {
    (self.id, self.userID, self.key) = (id, userID, key)
  }

  /// The signed token that proves possession of the key.
  ///
  /// - Parameters:
  ///   - applicationID: The claim `iss`.
  ///   - transactionID: The claim `txn`, for the approval of a transaction.
  ///   - bringsKey: Whether to include the public key, which the server does not know yet.
  fileprivate func proof(
    of challenge: String, by applicationID: String, at now: Date, transactionID: String? = nil,
    bringsKey: Bool = false
  ) throws -> String {
    let jwk =
      try bringsKey ? JWK(p256X963: Array(key.publicKey.x963Representation), keyID: id) : nil
    let header = JWSHeader(algorithm: .es256, type: "JWS", keyID: id, jwk: jwk)
    let now = Int64(now.timeIntervalSince1970)
    var claims: JSONObject = [
      ProofClaim.subject: .string(userID), ProofClaim.issuer: .string(applicationID),
      ProofClaim.challenge: .string(challenge), ProofClaim.issuedAt: .integer(now),
      ProofClaim.notBefore: .integer(now), ProofClaim.expiry: .integer(now + Self.lifetime),
      ProofClaim.platform: "linux",
    ]
    if let transactionID { claims[ProofClaim.transaction] = .string(transactionID) }
    // Signs synchronously, because load programs sign on the sending thread.
    let input = Base64URL.encode(header.json.serialized) + "." + Base64URL.encode(claims.serialized)
    return input + "." + Base64URL.encode(try key.signature(for: Data(input.utf8)).rawRepresentation)
  }
}

extension JourneyPage {
  /// Binds a new key, as requested by the callback at `index`.
  ///
  /// - Parameter deviceName: The device's name on the server.
  /// - Throws: ``MalformedAnswer`` for an incomplete callback, or one that asks to sign a text, because nobody can read it.
  public mutating func bind(
    _ index: Int, as deviceName: String, by applicationID: String, at now: Date
  ) throws -> SimulatedKey {
    guard let userID = output(BindingField.userID, of: index)?.stringValue,
      let challenge = output(BindingField.challenge, of: index)?.stringValue, !challenge.isEmpty
    else { throw MalformedAnswer("DeviceBindingCallback has no userId, or no challenge") }
    if Challenge(wire: challenge)?.purpose == .statement { throw Self.isText }
    let key = SimulatedKey(userID: userID)
    try set(
      .string(try key.proof(of: challenge, by: applicationID, at: now, bringsKey: true)), of: index,
      suffix: BindingField.jws)
    try set(.string(deviceName), of: index, suffix: BindingField.deviceName)
    try set(.string(key.id), of: index, suffix: BindingField.deviceID)
    try set("", of: index, suffix: BindingField.clientError)
    return key
  }

  /// Signs with a bound key, as requested by the callback at `index`.
  ///
  /// - Parameter transactionID: The transaction of the run; `nil` for a sign-in. Nothing else is signed.
  /// - Throws: ``MalformedAnswer``, as ``bind(_:as:by:at:)``, and for the challenge of another transaction.
  public mutating func sign(
    _ index: Int, with key: SimulatedKey, by applicationID: String, at now: Date,
    transactionID: String? = nil
  ) throws {
    let wire = output(BindingField.challenge, of: index)?.stringValue ?? ""
    let offer = output(BindingField.transaction, of: index)?.objectValue
    let transaction = offer.flatMap { OfferedTransaction(json: $0) }
    guard (offer == nil) == (transactionID == nil), (offer == nil) == (transaction == nil),
      transaction?.id == transactionID, let challenge = Challenge(wire: wire, offer: transaction)
    else { throw MalformedAnswer("the challenge is missing, or not that of the transaction") }
    if challenge.purpose == .statement { throw Self.isText }
    let proof = try key.proof(
      of: challenge.wire, by: applicationID, at: now, transactionID: transactionID)
    try set(.string(proof), of: index, suffix: BindingField.jws)
    try set("", of: index, suffix: BindingField.clientError)
  }

  private static let isText = MalformedAnswer("the server asks to sign a text, which nobody was shown")
}
