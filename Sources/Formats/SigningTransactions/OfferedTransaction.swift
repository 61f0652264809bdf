internal import Bytes
public import StrictJSON

/// A transaction as a server offers it to a device, with what the device needs to compute the challenge itself.
///
/// On the wire it is the output `transaction` of a `DeviceSigningVerifierCallback`:
/// `{"version":1,"id":"…","fields":{…},"nonce":"…"}`, the nonce in base64url.
public struct OfferedTransaction: Sendable, Hashable {
  /// The server's id of the transaction.
  public let id: String
  public let transaction: Transaction

  /// ``Transaction/nonceCount`` random bytes.
  public let nonce: [UInt8]

  /// What the device has to sign.
  public let challenge: String

  /// A member besides those of ``json`` in the ledger's entries: `true` when the application takes proofs without the claim `txn`.
  public static let plainProofs = "plainProofs"

  /// Longest id, in bytes.
  public static let longestID = 128

  /// `nil` when the nonce has another length, or the id is empty or too long.
  public init?(id: String, transaction: Transaction, nonce: [UInt8]) {
    guard let challenge = transaction.challenge(nonce: nonce), (1...Self.longestID).contains(id.utf8.count)
    else { return nil }
    self.id = id
    self.transaction = transaction
    self.nonce = nonce
    self.challenge = challenge
  }

  /// Whether `json` has fields and a nonce, which only an offer has. It may still be malformed.
  public static func isClaimed(by json: JSONObject) -> Bool { json["fields"] != nil && json["nonce"] != nil }

  public var json: JSONObject {
    [
      "version": 1, "id": .string(id), "fields": .object(transaction.json),
      "nonce": .string(Base64URL.encode(nonce)),
    ]
  }

  /// Reads ``json``; `nil` for another version, and for anything malformed.
  ///
  /// Other members are ignored: they are neither shown nor signed.
  public init?(json: JSONObject) {
    guard json["version"]?.integerValue == 1, let id = json["id"]?.stringValue,
      let fields = json["fields"]?.objectValue, let transaction = try? Transaction(json: fields),
      let text = json["nonce"]?.stringValue, text.utf8.count <= 64, let nonce = Base64URL.decode(text)
    else { return nil }
    self.init(id: id, transaction: transaction, nonce: nonce)
  }
}
