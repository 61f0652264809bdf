package import Crypto
package import CryptoExtras
internal import JOSE

/// A public key as the cryptographic library holds it: of a credential, or of an attestation certificate.
package enum SignatureKey: Sendable {
  case p256(P256.Signing.PublicKey)
  case p384(P384.Signing.PublicKey)
  case p521(P521.Signing.PublicKey)
  case ed25519(Curve25519.Signing.PublicKey)
  case rsa(_RSA.Signing.PublicKey)
  /// Checked bytes, because the library that verifies is not available on all systems.
  case ed448([UInt8])
  case mlDSA65([UInt8])

  /// Accepted lengths of an RSA modulus in bits; below, signatures can be forged, above, verifying costs too much.
  package static let modulusBits = 2048...8192

  init(_ material: COSEKey.Material, algorithm: COSEAlgorithm) throws(COSEKeyError) {
    if let reason = algorithm.unavailability {
      throw COSEKeyError(.unsupported, "\(algorithm.name) \(reason)")
    }
    switch material {
    case .ec(let curve, let x, let y):
      guard algorithm.curve == curve else {
        throw COSEKeyError(.algorithmMismatch, "\(algorithm.name) is not for keys on \(curve.name)")
      }
      guard x.count == curve.fieldBytes, y.count == curve.fieldBytes else {
        throw COSEKeyError(.malformed, "the coordinates do not have \(curve.fieldBytes) bytes each")
      }
      var point: [UInt8] = []
      point.reserveCapacity(1 + x.count + y.count)
      point.append(4)
      point.append(contentsOf: x)
      point.append(contentsOf: y)
      self = try Self.library(curve, point)
    case .ed25519(let x):
      guard algorithm == .edDSA else {
        throw COSEKeyError(.algorithmMismatch, "\(algorithm.name) is not for Ed25519 keys")
      }
      guard x.count == 32 else {
        throw COSEKeyError(.malformed, "an Ed25519 key has 32 bytes, not \(x.count)")
      }
      do { self = .ed25519(try Curve25519.Signing.PublicKey(rawRepresentation: x)) } catch {
        throw COSEKeyError(.invalid, "the bytes are not an Ed25519 key")
      }
    case .ed448(let x):
      guard algorithm == .ed448 else {
        throw COSEKeyError(.algorithmMismatch, "\(algorithm.name) is not for Ed448 keys")
      }
      guard x.count == Ed448.keyBytes else {
        throw COSEKeyError(.malformed, "an Ed448 key has 57 bytes, not \(x.count)")
      }
      guard Ed448.isKey(x) else { throw COSEKeyError(.invalid, "the bytes are not an Ed448 key") }
      self = .ed448(x)
    case .mlDSA65(let key):
      guard algorithm == .mlDSA65 else {
        throw COSEKeyError(.algorithmMismatch, "\(algorithm.name) is not for ML-DSA keys")
      }
      guard key.count == MLDSA65Keys.keyBytes else {
        throw COSEKeyError(.malformed, "an ML-DSA-65 key has 1952 bytes, not \(key.count)")
      }
      guard MLDSA65Keys.isKey(key) else { throw COSEKeyError(.invalid, "the bytes are not an ML-DSA-65 key") }
      self = .mlDSA65(key)
    case .rsa(let modulus, let exponent):
      guard algorithm.isRSA else {
        throw COSEKeyError(.algorithmMismatch, "\(algorithm.name) is not for RSA keys")
      }
      self = try Self.library(modulus, exponent)
    }
  }

  private static func library(_ curve: COSECurve, _ point: [UInt8]) throws(COSEKeyError) -> Self {
    do {
      switch curve {
      case .p256: return .p256(try P256.Signing.PublicKey(x963Representation: point))
      case .p384: return .p384(try P384.Signing.PublicKey(x963Representation: point))
      case .p521: return .p521(try P521.Signing.PublicKey(x963Representation: point))
      }
    } catch {
      throw COSEKeyError(.invalid, "the coordinates are not a point on \(curve.name)")
    }
  }

  private static func library(_ modulus: [UInt8], _ exponent: [UInt8]) throws(COSEKeyError) -> Self {
    guard let top = modulus.first, top != 0, let last = modulus.last, last & 1 == 1 else {
      throw COSEKeyError(.invalid, "the modulus is empty, even, or has leading zeros")
    }
    let bits = modulus.count * 8 - top.leadingZeroBitCount
    guard modulusBits.contains(bits) else {
      throw COSEKeyError(.unsuitableSize, "the modulus has \(bits) bits, not 2048 to 8192")
    }
    guard let first = exponent.first, first != 0, exponent.count <= 4, let low = exponent.last, low & 1 == 1,
      exponent != [1]
    else { throw COSEKeyError(.invalid, "the exponent is not an odd number from 3 to 2^32") }
    do { return .rsa(try _RSA.Signing.PublicKey(n: modulus, e: exponent)) } catch {
      throw COSEKeyError(.invalid, "the numbers are not an RSA key")
    }
  }

  /// Whether `signature` is this key's over `message`; also `false` for an algorithm of another kind of key.
  package func isValid(_ signature: [UInt8], over message: [UInt8], algorithm: COSEAlgorithm) -> Bool {
    func raw(_ curve: ECDSASignatureFormat.Curve) throws(JOSEError) -> [UInt8] {
      try ECDSASignatureFormat.raw(fromDER: signature, curve: curve)
    }
    switch (self, algorithm) {
    case (.p256(let key), .es256):
      let parsed = try? P256.Signing.ECDSASignature(rawRepresentation: raw(.p256))
      return parsed.map { key.isValidSignature($0, for: message) } ?? false
    case (.p384(let key), .es384):
      let parsed = try? P384.Signing.ECDSASignature(rawRepresentation: raw(.p384))
      return parsed.map { key.isValidSignature($0, for: message) } ?? false
    case (.p521(let key), .es512):
      let parsed = try? P521.Signing.ECDSASignature(rawRepresentation: raw(.p521))
      return parsed.map { key.isValidSignature($0, for: message) } ?? false
    case (.ed25519(let key), .edDSA):
      return signature.count == 64 && key.isValidSignature(signature, for: message)
    case (.ed448(let key), .ed448): return Ed448.isValid(signature, over: message, by: key)
    case (.mlDSA65(let key), .mlDSA65): return MLDSA65Keys.isValid(signature, over: message, by: key)
    case (.rsa(let key), _) where algorithm.isRSA:
      // Keys from certificates have not been checked before.
      guard Self.modulusBits.contains(key.keySizeInBits) else { return false }
      return Self.isValid(signature, key, message, algorithm)
    default: return false
    }
  }

  private static func isValid(
    _ signature: [UInt8], _ key: _RSA.Signing.PublicKey, _ message: [UInt8], _ algorithm: COSEAlgorithm
  ) -> Bool {
    let signature = _RSA.Signing.RSASignature(rawRepresentation: signature)
    // The RS algorithms are this padding (RFC 8812 §2). It is called insecure because new designs should not use it.
    let v1_5 = _RSA.Signing.Padding.insecurePKCS1v1_5
    return switch algorithm {
    case .rs256: key.isValidSignature(signature, for: SHA256.hash(data: message), padding: v1_5)
    case .rs384: key.isValidSignature(signature, for: SHA384.hash(data: message), padding: v1_5)
    case .rs512: key.isValidSignature(signature, for: SHA512.hash(data: message), padding: v1_5)
    case .ps256: key.isValidSignature(signature, for: SHA256.hash(data: message), padding: .PSS)
    case .ps384: key.isValidSignature(signature, for: SHA384.hash(data: message), padding: .PSS)
    case .ps512: key.isValidSignature(signature, for: SHA512.hash(data: message), padding: .PSS)
    default: false
    }
  }
}
