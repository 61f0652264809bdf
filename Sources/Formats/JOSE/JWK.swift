internal import Crypto
internal import CryptoExtras
internal import Foundation
public import StrictJSON

/// A public key as JSON (RFC 7517): EC P-256 or RSA. Never holds private members.
public struct JWK: Sendable, Hashable {
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

  /// Members that only private or symmetric keys have (RFC 7518 §6.2.2, §6.3.2, §6.4.1).
  private static let privateMembers = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"]

  /// Reads a public key.
  ///
  /// - Throws: ``JOSEError/Code/invalidKey`` with the reason: private members, unknown type or curve, wrong lengths, a
  ///   point off the curve, RSA below 2048 or above 8192 bits, an unsuitable exponent, a use other than `sig`, an `alg`
  ///   that does not fit.
  public init(json: JSONObject) throws(JOSEError) {
    if let member = Self.privateMembers.first(where: { json[$0] != nil }) {
      throw JOSEError(.invalidKey, "The key carries the private member \(member).")
    }
    material =
      switch json["kty"]?.stringValue {
      case "EC": try Self.p256(json)
      case "RSA": try Self.rsa(json)
      default: throw JOSEError(.invalidKey, "The key type (kty) is neither EC nor RSA.")
      }
    keyID = try Self.text("kid", in: json)
    if let keyID, keyID.isEmpty || keyID.utf8.count > 256 {
      throw JOSEError(.invalidKey, "The key id (kid) does not have 1 to 256 bytes.")
    }
    use = try Self.text("use", in: json)
    guard use == nil || use == "sig" else {
      throw JOSEError(.invalidKey, "The key is not for signatures (use).")
    }
    if let name = try Self.text("alg", in: json) {
      guard let algorithm = JWSAlgorithm(rawValue: name), Self.fits(algorithm, material) else {
        throw JOSEError(.invalidKey, "The key's algorithm (alg) is unknown or does not fit its type.")
      }
      self.algorithm = algorithm
    } else {
      algorithm = nil
    }
    certificateChain = try Self.chain(json)
  }

  /// A P-256 key from its X9.63 form, `04 ‖ X ‖ Y`, for ES256 signatures.
  ///
  /// - Throws: ``JOSEError/Code/invalidKey`` when that is no point on the curve or `keyID` is unsuitable.
  public init(p256X963 bytes: [UInt8], keyID: String?) throws(JOSEError) {
    guard bytes.count == 65, bytes[0] == 4 else {
      throw JOSEError(.invalidKey, "An X9.63 P-256 key has 65 bytes and begins with 04.")
    }
    if let keyID, keyID.isEmpty || keyID.utf8.count > 256 {
      throw JOSEError(.invalidKey, "The key id (kid) does not have 1 to 256 bytes.")
    }
    let (x, y) = ([UInt8](bytes[1..<33]), [UInt8](bytes[33...]))
    try Self.requirePoint(x, y)
    material = .p256(x: x, y: y)
    self.keyID = keyID
    algorithm = .es256
    use = "sig"
    certificateChain = []
  }

  /// The members as stored and sent, without `x5c`: `kty`, the key, `use`, `alg`, `kid`.
  public var json: JSONObject {
    var json: JSONObject
    switch material {
    case .p256(let x, let y):
      json = [
        "kty": "EC", "crv": "P-256", "x": .string(Base64URL.encode(x)), "y": .string(Base64URL.encode(y)),
      ]
    case .rsa(let modulus, let exponent):
      json = [
        "kty": "RSA", "n": .string(Base64URL.encode(modulus)), "e": .string(Base64URL.encode(exponent)),
      ]
    }
    json["use"] = use.map { .string($0) }
    json["alg"] = algorithm.map { .string($0.rawValue) }
    json["kid"] = keyID.map { .string($0) }
    return json
  }

  /// The SHA-256 thumbprint in base64url (RFC 7638): names the key whatever its `kid`.
  public var thumbprint: String {
    let required: JSONValue =
      switch material {
      case .p256(let x, let y):
        ["crv": "P-256", "kty": "EC", "x": .string(Base64URL.encode(x)), "y": .string(Base64URL.encode(y))]
      case .rsa(let modulus, let exponent):
        ["e": .string(Base64URL.encode(exponent)), "kty": "RSA", "n": .string(Base64URL.encode(modulus))]
      }
    return Base64URL.encode(SHA256.hash(data: required.serialized))
  }

  /// Whether signatures of `algorithm` can be this key's.
  package func fits(_ algorithm: JWSAlgorithm) -> Bool {
    Self.fits(algorithm, material) && (self.algorithm ?? algorithm) == algorithm
  }

  private static func fits(_ algorithm: JWSAlgorithm, _ material: Material) -> Bool {
    switch material {
    case .p256: algorithm == .es256
    case .rsa: algorithm.isRSA
    }
  }
}

extension JWK {
  private static func text(_ name: String, in json: JSONObject) throws(JOSEError) -> String? {
    guard let value = json[name] else { return nil }
    guard let text = value.stringValue else {
      throw JOSEError(.invalidKey, "The key's member \(name) is no text.")
    }
    return text
  }

  private static func bytes(_ name: String, in json: JSONObject) throws(JOSEError) -> [UInt8] {
    guard let text = try text(name, in: json), let bytes = Base64URL.decode(text) else {
      throw JOSEError(.invalidKey, "The key's member \(name) is missing or no base64url.")
    }
    return bytes
  }

  private static func p256(_ json: JSONObject) throws(JOSEError) -> Material {
    guard json["crv"]?.stringValue == "P-256" else {
      throw JOSEError(.invalidKey, "The curve (crv) is not P-256.")
    }
    let (x, y) = (try bytes("x", in: json), try bytes("y", in: json))
    guard x.count == 32, y.count == 32 else {
      throw JOSEError(.invalidKey, "The coordinates x and y do not have exactly 32 bytes each.")
    }
    try requirePoint(x, y)
    return .p256(x: x, y: y)
  }

  private static func requirePoint(_ x: [UInt8], _ y: [UInt8]) throws(JOSEError) {
    guard (try? P256.Signing.PublicKey(x963Representation: [4] + x + y)) != nil else {
      throw JOSEError(.invalidKey, "The coordinates x and y are no point on P-256.")
    }
  }

  private static func rsa(_ json: JSONObject) throws(JOSEError) -> Material {
    let (modulus, exponent) = (try bytes("n", in: json), try bytes("e", in: json))
    guard let top = modulus.first, top != 0, let last = modulus.last, last & 1 == 1 else {
      throw JOSEError(.invalidKey, "The RSA modulus (n) has leading zeros or is even.")
    }
    let bits = modulus.count * 8 - top.leadingZeroBitCount
    guard (2048...8192).contains(bits) else {
      throw JOSEError(.invalidKey, "The RSA modulus has \(bits) bits, not 2048 to 8192.")
    }
    // The exponents in use are 3, 17 and 65537; a huge one only costs the verifier time.
    guard let first = exponent.first, first != 0, exponent.count <= 4, let low = exponent.last, low & 1 == 1,
      exponent != [1]
    else { throw JOSEError(.invalidKey, "The RSA exponent (e) is not an odd number from 3 to 2^32.") }
    return .rsa(modulus: modulus, exponent: exponent)
  }

  /// At most 10 certificates of 16 KiB; entries are standard Base64 (RFC 7517 §4.7).
  private static func chain(_ json: JSONObject) throws(JOSEError) -> [[UInt8]] {
    guard let member = json["x5c"] else { return [] }
    guard let entries = member.arrayValue, (1...10).contains(entries.count) else {
      throw JOSEError(.invalidKey, "The certificate chain (x5c) is no array of 1 to 10 entries.")
    }
    var chain: [[UInt8]] = []
    for entry in entries {
      guard let text = entry.stringValue, text.utf8.count <= 22_000, let data = Data(base64Encoded: text),
        !data.isEmpty
      else {
        throw JOSEError(.invalidKey, "An entry of the certificate chain (x5c) is no Base64 of up to 16 KiB.")
      }
      chain.append([UInt8](data))
    }
    return chain
  }
}
