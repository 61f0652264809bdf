internal import Bytes
public import StrictJSON

extension JWK {
  /// Reads a public key.
  ///
  /// - Throws: ``JOSEError/Code/invalidKey`` with the reason: private members, unknown type or curve, wrong
  ///   lengths, a point off the curve, RSA below 2048 or above 8192 bits, an unsuitable exponent, a use other
  ///   than `sig`, `key_ops` without `verify`, an `alg` that does not fit, an `x5c` that is not 1 to 10
  ///   certificates of up to 16 KiB. Members that are not defined for public keys are ignored (RFC 7517 §4).
  public init(json: JSONObject) throws(JOSEError) {
    let members = Members(of: json)
    if let member = members.privateMember {
      throw JOSEError(.invalidKey, "The key carries the private member \(member).")
    }
    material =
      switch members.type?.stringValue {
      case "EC": try Self.p256(members)
      case "RSA": try Self.rsa(members)
      default: throw JOSEError(.invalidKey, "The key type (kty) is neither EC nor RSA.")
      }
    keyID = try Self.acceptable(keyID: Self.text(members.keyID, named: "kid"))
    use = try Self.text(members.use, named: "use")
    guard use == nil || use == "sig" else {
      throw JOSEError(.invalidKey, "The key is not for signatures (use).")
    }
    guard members.operations.map({ $0.arrayValue?.contains("verify") == true }) ?? true else {
      throw JOSEError(.invalidKey, "The key is not for verifying (key_ops).")
    }
    if let name = try Self.text(members.algorithm, named: "alg") {
      guard let algorithm = JWSAlgorithm(rawValue: name), material.fits(algorithm) else {
        throw JOSEError(.invalidKey, "The key's algorithm (alg) is unknown or does not fit its type.")
      }
      self.algorithm = algorithm
    } else {
      algorithm = nil
    }
    certificateChain = try Self.chain(members.chain)
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

  private static func text(_ member: JSONValue?, named name: String) throws(JOSEError) -> String? {
    guard let member else { return nil }
    guard let text = member.stringValue else {
      throw JOSEError(.invalidKey, "The key's member \(name) is not text.")
    }
    return text
  }

  private static func bytes(_ member: JSONValue?, named name: String) throws(JOSEError) -> [UInt8] {
    guard let text = try text(member, named: name), let bytes = Base64URL.decode(text) else {
      throw JOSEError(.invalidKey, "The key's member \(name) is missing or not base64url.")
    }
    return bytes
  }

  private static func p256(_ members: Members) throws(JOSEError) -> Material {
    guard members.curve?.stringValue == "P-256" else {
      throw JOSEError(.invalidKey, "The curve (crv) is not P-256.")
    }
    let (x, y) = (try bytes(members.x, named: "x"), try bytes(members.y, named: "y"))
    guard x.count == 32, y.count == 32 else {
      throw JOSEError(.invalidKey, "The coordinates x and y do not have exactly 32 bytes each.")
    }
    return .p256(x: x, y: y)
  }

  private static func rsa(_ members: Members) throws(JOSEError) -> Material {
    let (modulus, exponent) = (
      try bytes(members.modulus, named: "n"), try bytes(members.exponent, named: "e")
    )
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
  private static func chain(_ member: JSONValue?) throws(JOSEError) -> [[UInt8]] {
    guard let member else { return [] }
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

/// The members of a key that have a meaning, found in one pass instead of one lookup each.
private struct Members {
  private(set) var type, curve, x, y, modulus, exponent: JSONValue?
  private(set) var keyID, use, operations, algorithm, chain: JSONValue?

  /// The name of a member that only private or symmetric keys have (RFC 7518 §6.2.2, §6.3.2, §6.4.1).
  private(set) var privateMember: String?

  /// Swift's `==` equates no other text with one of these names, because nothing but itself has the normal form of a small Latin
  /// letter, a digit or `_`.
  init(of json: JSONObject) {
    for (name, value) in json {
      switch name {
      case "kty": type = value
      case "crv": curve = value
      case "x": x = value
      case "y": y = value
      case "n": modulus = value
      case "e": exponent = value
      case "kid": keyID = value
      case "use": use = value
      case "alg": algorithm = value
      case "key_ops": operations = value
      case "x5c": chain = value
      case "d", "p", "q", "dp", "dq", "qi", "oth", "k": privateMember = name
      default: break
      }
    }
  }
}
