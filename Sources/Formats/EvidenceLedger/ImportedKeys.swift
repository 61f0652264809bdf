internal import Concurrency
internal import JOSE
internal import StrictJSON

/// The keys of an export's entries, imported once for all entries with the same one. Of many thousands the latest are kept.
struct ImportedKeys: Sendable {
  private struct Imported {
    let json: JSONObject
    let jwk: JWK
    let key: VerificationKey
  }

  /// Some 2 MB.
  static let limit = 4096

  /// By what differs between keys. That it is this very key is said by its members.
  private let known = Locked<[String: Imported]>([:])

  /// The key that a JWK is, as by ``VerificationKey/imported(_:)``.
  func key(_ json: JSONObject) throws(JOSEError) -> (jwk: JWK, key: VerificationKey) {
    guard let name = (json["x"] ?? json["n"])?.stringValue else { return try VerificationKey.imported(json) }
    if let found = known.withLock({ $0[name] }), found.json == json { return (found.jwk, found.key) }
    let (jwk, key) = try VerificationKey.imported(json)
    known.withLock {
      if $0.count >= Self.limit { $0.removeAll(keepingCapacity: true) }
      $0[name] = Imported(json: json, jwk: jwk, key: key)
    }
    return (jwk, key)
  }
}
