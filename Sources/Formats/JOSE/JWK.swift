internal import Bytes
internal import Crypto
public import StrictJSON

/// A public key as JSON (RFC 7517): EC P-256 or RSA. Never holds private members.
///
/// A value of this type was checked: the point is on the curve, the RSA numbers are acceptable.
public struct JWK: Sendable {
  /// The key itself (RFC 7518 §6).
  public enum Material: Sendable, Hashable {
    /// The affine coordinates of a point on P-256, 32 bytes each.
    case p256(x: [UInt8], y: [UInt8])
    /// Modulus without leading zeros (2048 to 8192 bits) and public exponent, both big-endian.
    case rsa(modulus: [UInt8], exponent: [UInt8])
  }

  public let material: Material

  /// `kid`: how the key is found; any text of 1 to 256 bytes.
  public let keyID: String?

  /// `alg`: the one algorithm that the key is for, if it says.
  public let algorithm: JWSAlgorithm?

  /// `use`: `sig`, if it says.
  public let use: String?

  /// `x5c`: certificate chain in DER, leaf first; empty when absent. Unverified.
  public let certificateChain: [[UInt8]]

  /// The key as the cryptographic library holds it, which was made to check it.
  let publicKey: PublicKey

  /// A P-256 key from its X9.63 form, `04 ‖ X ‖ Y`, for ES256 signatures.
  ///
  /// - Throws: ``JOSEError/Code/invalidKey`` when that is not a point on the curve or `keyID` is unsuitable.
  public init(p256X963 bytes: [UInt8], keyID: String?) throws(JOSEError) {
    guard bytes.count == 65, bytes[0] == 4 else {
      throw JOSEError(.invalidKey, "An X9.63 P-256 key has 65 bytes and begins with 04.")
    }
    material = .p256(x: [UInt8](bytes[1..<33]), y: [UInt8](bytes[33...]))
    publicKey = try PublicKey(material)
    self.keyID = try Self.acceptable(keyID: keyID)
    algorithm = .es256
    use = "sig"
    certificateChain = []
  }

  /// An RSA key from its numbers, big-endian and without leading zeros, for RS256 signatures.
  ///
  /// - Throws: ``JOSEError/Code/invalidKey`` for numbers that the library refuses, or an unsuitable `keyID`.
  package init(rsaModulus modulus: [UInt8], exponent: [UInt8], keyID: String?) throws(JOSEError) {
    material = .rsa(modulus: modulus, exponent: exponent)
    publicKey = try PublicKey(material)
    self.keyID = try Self.acceptable(keyID: keyID)
    algorithm = .rs256
    use = "sig"
    certificateChain = []
  }

  /// The members as stored and sent, without `x5c`: `kty`, the key, `use`, `alg`, `kid`.
  public var json: JSONObject {
    var json = material.json
    json["use"] = use.map { .string($0) }
    json["alg"] = algorithm.map { .string($0.rawValue) }
    json["kid"] = keyID.map { .string($0) }
    return json
  }

  /// The SHA-256 thumbprint in base64url (RFC 7638): names the key whatever its `kid`.
  public var thumbprint: String {
    // Those members that the key needs, in the order of their names.
    let required = JSONObject(material.json.sorted { $0.name < $1.name }.map { ($0.name, $0.value) })
    return Base64URL.encode(SHA256.hash(data: required.serialized))
  }

  /// Whether this key can make signatures of `algorithm`.
  package func fits(_ algorithm: JWSAlgorithm) -> Bool {
    material.fits(algorithm) && (self.algorithm ?? algorithm) == algorithm
  }
}

extension JWK: Hashable {
  public static func == (one: JWK, other: JWK) -> Bool {
    one.material == other.material && one.keyID == other.keyID && one.algorithm == other.algorithm
      && one.use == other.use && one.certificateChain == other.certificateChain
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(material)
    hasher.combine(keyID)
    hasher.combine(algorithm)
    hasher.combine(use)
    hasher.combine(certificateChain)
  }
}

extension JWK.Material {
  /// The members that only keys of this type have, and `kty`.
  fileprivate var json: JSONObject {
    switch self {
    case .p256(let x, let y):
      ["kty": "EC", "crv": "P-256", "x": .string(Base64URL.encode(x)), "y": .string(Base64URL.encode(y))]
    case .rsa(let modulus, let exponent):
      ["kty": "RSA", "n": .string(Base64URL.encode(modulus)), "e": .string(Base64URL.encode(exponent))]
    }
  }

  /// Whether keys of this type make signatures of `algorithm`.
  func fits(_ algorithm: JWSAlgorithm) -> Bool {
    switch self {
    case .p256: algorithm == .es256
    case .rsa: algorithm.isRSA
    }
  }
}
