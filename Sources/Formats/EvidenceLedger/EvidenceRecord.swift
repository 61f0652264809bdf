public import StrictJSON

/// One verified signature, and everything that it was verified against.
public struct EvidenceRecord: Sendable, Hashable {
  /// What the signature was made for.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// A device proved possession of a new key, which was bound to the user.
    case bind
    /// A bound key signed a challenge or a transaction.
    case sign
    /// An SSH authority certified a key for the user. The entry's key is the authority's, which signed that; `device` is that key's
    /// fingerprint.
    case certify
  }

  public var kind: Kind

  /// When the signature was accepted. Milliseconds since 1970.
  public var time: Int64

  public var realm: String

  /// The journey's name, and the id of the node in it that asked.
  public var journey: String
  public var nodeID: String

  /// The login name as the account spells it, and the universal id, which is the signed `sub`.
  public var username: String
  public var userID: String

  /// The account's id, which is never used again: another account that gets the name later has another id. `nil` in entries from before
  /// ledgers had it.
  public var accountID: String?

  /// The device's `uuid`, which is the signature's `kid`.
  public var device: String

  /// The public JWK that the signature was verified with.
  public var key: JSONObject

  /// What the key's verified attestation said when it was bound; `nil` for a key without one.
  public var attestation: JSONObject?

  /// The transaction that the signature is over, as the server knew it; `nil` when there was none.
  public var transaction: JSONObject?

  /// The compact JWS as the device sent it.
  public var jws: String

  public init(
    kind: Kind, time: Int64, realm: String, journey: String, nodeID: String, username: String,
    userID: String, accountID: String? = nil, device: String, key: JSONObject, attestation: JSONObject? = nil,
    transaction: JSONObject? = nil, jws: String
  ) {
    self.kind = kind
    self.time = time
    self.realm = realm
    self.journey = journey
    self.nodeID = nodeID
    self.username = username
    self.userID = userID
    self.accountID = accountID
    self.device = device
    self.key = key
    self.attestation = attestation
    self.transaction = transaction
    self.jws = jws
  }
}
