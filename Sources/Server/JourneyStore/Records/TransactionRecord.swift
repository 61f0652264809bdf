internal import BindingFormats
public import Foundation
public import StrictJSON

/// A transaction that an application wants a person to approve, with its decision.
public struct TransactionRecord: Sendable, Hashable {
  /// Random, at least 128 bits: anybody who knows it may start the journey for it.
  public var id: String
  public var realm: String

  /// The application that made it and alone may read it.
  public var applicationID: String

  /// The only user who may approve it; `nil` for anyone with a bound device.
  public var username: String?

  /// The id of the account that had that name when the transaction was made, then of the one that has approved it; `nil` when nobody had the
  /// name, and for transactions of earlier versions. The store sets it.
  public var accountID: String?

  /// The journey that devices run for it.
  public var journey: String

  /// What is shown and signed, in the form of `Transaction.json`.
  public var fields: JSONObject
  public var createdAt: Date

  /// From this moment on nobody can approve it.
  public var expiresAt: Date

  /// `nil` as long as nobody has decided.
  public var decision: TransactionDecision?

  /// Moment of ``decision``.
  public var decidedAt: Date?

  public init(
    id: String, realm: String, applicationID: String, username: String?, journey: String,
    fields: JSONObject, createdAt: Date, expiresAt: Date
  ) {
    self.id = id
    self.realm = realm
    self.applicationID = applicationID
    self.username = username
    self.journey = journey
    self.fields = fields
    self.createdAt = createdAt
    self.expiresAt = expiresAt
  }

  /// Whether it may still be decided.
  public func isOpen(at now: Date) -> Bool { decision == nil && now < expiresAt }

  /// Whether `user` may approve it. An account that got the name after the transaction was made may not.
  public func isMeant(for user: UserRecord) -> Bool {
    guard let username else { return true }
    guard UniversalID(username: username, realm: realm) == user.account else { return false }
    return accountID.map { $0 == user.id } ?? (user.createdAt <= createdAt)
  }
}

/// The decision on a transaction, which is final.
public enum TransactionDecision: Sendable, Hashable {
  case approved(TransactionApproval)

  /// The person cancelled, or a proof failed; the reason is one word for the application, such as `CANCELLED`.
  case refused(reason: String)
}

/// The evidence of an approval.
public struct TransactionApproval: Sendable, Hashable {
  /// The user whose key has signed.
  public var username: String

  /// The id of the account; `nil` in records that were read.
  public var accountID: String?

  /// The `kid` of that key.
  public var keyID: String

  /// The compact JWS as the device sent it.
  public var jws: String

  /// The random bytes of the challenge, with which anybody can compute it again from the fields.
  public var nonce: [UInt8]

  public init(username: String, accountID: String? = nil, keyID: String, jws: String, nonce: [UInt8]) {
    self.username = username
    self.accountID = accountID
    self.keyID = keyID
    self.jws = jws
    self.nonce = nonce
  }
}

/// A program of a relying party that may have transactions approved, such as a shop's server.
public struct ApplicationRecord: Sendable, Hashable {
  /// Random; the user name of HTTP Basic.
  public var id: String

  /// The realm's name, for example `alpha`.
  public var realm: String

  /// What administrators call it; unique in its realm without regard to case.
  public var name: String

  /// SHA-256 of the secret's UTF-8 bytes. The secret is 256 random bits, so that nothing slower is needed.
  public var secretHash: [UInt8]
  public var createdAt: Date

  /// Whether proofs without the claim `txn` approve its transactions, too. Apps that do not know transactions make such proofs. They do not
  /// assert that the person saw the fields.
  public var takesPlainProofs: Bool

  public init(
    id: String, realm: String, name: String, secretHash: [UInt8], createdAt: Date,
    takesPlainProofs: Bool = false
  ) {
    self.id = id
    self.realm = realm
    self.name = name
    self.secretHash = secretHash
    self.createdAt = createdAt
    self.takesPlainProofs = takesPlainProofs
  }
}
