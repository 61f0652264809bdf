public import StrictJSON

/// The protected header of a JWS (RFC 7515 §4).
public struct JWSHeader: Sendable, Hashable {
  /// All members.
  public let json: JSONObject

  /// `alg`; of a header that was read, one of the algorithms that are understood.
  public let algorithm: JWSAlgorithm

  /// `typ`, such as `JWS` or `JWT`.
  public var type: String? { json["typ"]?.stringValue }

  /// `kid`: which key signed; opaque. `nil` when absent or not text.
  public var keyID: String? { json["kid"]?.stringValue }

  /// `jwk` as sent: read it with ``JWK/init(json:)``. Trust in it must come from elsewhere.
  public var jwk: JSONObject? { json["jwk"]?.objectValue }

  private static let ownMembers = ["typ", "alg", "kid", "jwk"]

  /// A header with the usual members, in the order `typ`, `alg`, `kid`, `jwk`, then `extra`.
  ///
  /// Those four come from their own parameters only. In `extra` they are ignored, so that the header agrees with ``algorithm``.
  /// `jwkExtra` adds members to `jwk`, such as `x5c`; members of the key itself are ignored in it.
  public init(
    algorithm: JWSAlgorithm, type: String? = nil, keyID: String? = nil, jwk: JWK? = nil,
    jwkExtra: JSONObject = JSONObject(), extra: JSONObject = JSONObject()
  ) {
    var json = JSONObject(minimumCapacity: Self.ownMembers.count + extra.count)
    if let type { json.addNew("typ", .string(type)) }
    json.addNew("alg", .string(algorithm.rawValue))
    if let keyID { json.addNew("kid", .string(keyID)) }
    if let jwk {
      var members = jwk.json
      for (name, value) in jwkExtra where members[name] == nil { members[name] = value }
      json.addNew("jwk", .object(members))
    }
    for (name, value) in extra where !Self.ownMembers.contains(name) { json[name] = value }
    self.json = json
    self.algorithm = algorithm
  }

  /// A header that was read: refuses unknown algorithms, `none`, every `crit`, and `b64`.
  init(parsing bytes: [UInt8], limits: JSONLimits) throws(JOSEError) {
    let json: JSONObject
    do throws(JSONError) { json = try JSONObject(parsing: bytes, limits: limits) } catch {
      throw JOSEError(.malformed, "The header is not a JSON object: \(error)")
    }
    guard let name = json["alg"]?.stringValue, let algorithm = JWSAlgorithm(rawValue: name) else {
      throw JOSEError(.unsupportedAlgorithm, "The header's algorithm (alg) is missing, none or unknown.")
    }
    self.json = json
    self.algorithm = algorithm
    try requireNoExtensions()
  }

  /// Throws ``JOSEError/Code/unsupportedExtension`` for members that change what the rest means.
  func requireNoExtensions() throws(JOSEError) {
    guard json["crit"] == nil else {
      throw JOSEError(.unsupportedExtension, "The header demands extensions (crit), and none is understood.")
    }
    // RFC 7797: an unencoded payload would be signed over other bytes than the ones compared here.
    guard json["b64"] == nil else {
      throw JOSEError(.unsupportedExtension, "The header asks for an unencoded payload (b64).")
    }
  }
}
