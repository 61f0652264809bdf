internal import Bytes
public import StrictJSON

extension JWK {
  /// Members that only private or symmetric keys have (RFC 7518 §6.2.2, §6.3.2, §6.4.1).
  private static let privateMembers = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"]

  /// Reads a public key.
  ///
  /// - Throws: ``JOSEError/Code/invalidKey`` with the reason: private members, unknown type or curve, wrong
  ///   lengths, a point off the curve, RSA below 2048 or above 8192 bits, an unsuitable exponent, a use other
  ///   than `sig`, `key_ops` without `verify`, an `alg` that does not fit, an `x5c` that is not 1 to 10
  ///   certificates of up to 16 KiB. Members that are not defined for public keys are ignored (RFC 7517 §4).
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
    keyID = try Self.acceptable(keyID: Self.text("kid", in: json))
    use = try Self.text("use", in: json)
    guard use == nil || use == "sig" else {
      throw JOSEError(.invalidKey, "The key is not for signatures (use).")
    }
    guard json["key_ops"].map({ $0.arrayValue?.contains("verify") == true }) ?? true else {
      throw JOSEError(.invalidKey, "The key is not for verifying (key_ops).")
    }
    if let name = try Self.text("alg", in: json) {
      guard let algorithm = JWSAlgorithm(rawValue: name), material.fits(algorithm) else {
        throw JOSEError(.invalidKey, "The key's algorithm (alg) is unknown or does not fit its type.")
      }
      self.algorithm = algorithm
    } else {
      algorithm = nil
    }
    certificateChain = try Self.chain(json)
    publicKey = try PublicKey(material)
  }
}

extension JWK {
  static func acceptable(keyID: String?) throws(JOSEError) -> String? {
    if let keyID, keyID.isEmpty || keyID.utf8.count > 256 {
      throw JOSEError(.invalidKey, "The key id (kid) does not have 1 to 256 bytes.")
    }
    return keyID
  }

  private static func text(_ name: String, in json: JSONObject) throws(JOSEError) -> String? {
    guard let value = json[name] else { return nil }
    guard let text = value.stringValue else {
      throw JOSEError(.invalidKey, "The key's member \(name) is not text.")
    }
    return text
  }

  private static func bytes(_ name: String, in json: JSONObject) throws(JOSEError) -> [UInt8] {
    guard let text = try text(name, in: json), let bytes = Base64URL.decode(text) else {
      throw JOSEError(.invalidKey, "The key's member \(name) is missing or not base64url.")
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
    return .p256(x: x, y: y)
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

  /// The Base64 text of 16 KiB.
  private static let maximumCertificateTextBytes = ((16 << 10) + 2) / 3 * 4

  /// At most 10 certificates of 16 KiB; entries are standard Base64 (RFC 7517 §4.7).
  private static func chain(_ json: JSONObject) throws(JOSEError) -> [[UInt8]] {
    guard let member = json["x5c"] else { return [] }
    guard let entries = member.arrayValue, (1...10).contains(entries.count) else {
      throw JOSEError(.invalidKey, "The certificate chain (x5c) is not an array of 1 to 10 entries.")
    }
    var chain: [[UInt8]] = []
    for entry in entries {
      guard let text = entry.stringValue, text.utf8.count <= maximumCertificateTextBytes,
        let certificate = PaddedBase64.decode(text), !certificate.isEmpty
      else {
        throw JOSEError(.invalidKey, "An entry of the certificate chain (x5c) is not Base64 of up to 16 KiB.")
      }
      chain.append(certificate)
    }
    return chain
  }
}
