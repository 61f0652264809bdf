internal import Concurrency
internal import JOSE
internal import StrictJSON

/// The keys of an export's entries, each imported once for all entries that use it. When there are ``limit`` keys, all are dropped.
struct ImportedKeys: Sendable {
  private struct Imported {
    let json: JSONObject
    let jwk: JWK
    let key: VerificationKey
  }

  /// The most keys that are kept, which take some 2 MB.
  static let limit = 4096

  /// The keys by their member `x` or `n`, which differs between keys. A key that is found must also have the same members.
  private let known = Locked<[String: Imported]>([:])

  /// The key in a JWK, imported as by ``VerificationKey/imported(_:)``.
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
