internal import Crypto
internal import CryptoExtras

/// The public key of a credential (RFC 9052 §7, WebAuthn L3 §6.5.1.1), with the one algorithm that it is for.
///
/// A value of this type was checked: type, curve and algorithm belong together, the point is on the curve, an RSA modulus has 2048 to
/// 8192 bits. It says nothing of who holds the private key.
public struct COSEKey: Sendable {
  /// The key itself; numbers are big-endian.
  public enum Material: Sendable, Hashable {
    /// Affine coordinates, each as long as the curve's field.
    case ec(COSECurve, x: [UInt8], y: [UInt8])
    /// Modulus and public exponent without leading zeros.
    case rsa(modulus: [UInt8], exponent: [UInt8])
    /// An Ed25519 point, 32 bytes (RFC 8032 §5.1.2).
    case ed25519([UInt8])
    /// An Ed448 point, 57 bytes (RFC 8032 §5.2.2).
    case ed448([UInt8])
    /// An ML-DSA-65 public key, 1952 bytes (FIPS 204 §7.2).
    case mlDSA65([UInt8])
  }

  public let algorithm: COSEAlgorithm
  public let material: Material

  /// The key as the cryptographic library holds it.
  package let signatureKey: SignatureKey

  /// - Throws: ``COSEKeyError`` when the algorithm is not the material's, or the numbers are not an acceptable key.
  public init(_ material: Material, algorithm: COSEAlgorithm) throws(COSEKeyError) {
    signatureKey = try SignatureKey(material, algorithm: algorithm)
    self.algorithm = algorithm
    self.material = material
  }

  /// Whether `signature` is this key's over `message`. ECDSA signatures are strict DER (WebAuthn L3 §6.5.5), the others
  /// raw bytes: 64 of Ed25519, 114 of Ed448, 3309 of ML-DSA-65.
  public func isValidSignature(_ signature: [UInt8], over message: [UInt8]) -> Bool {
    signatureKey.isValid(signature, over: message, algorithm: algorithm)
  }
}

extension COSEKey: Hashable {
  public static func == (lhs: Self, rhs: Self) -> Bool {
    lhs.algorithm == rhs.algorithm && lhs.material == rhs.material
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(algorithm)
    hasher.combine(material)
  }
}

/// Why bytes or numbers are not an acceptable credential key.
public struct COSEKeyError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of fault. More codes may be added, so compare with the known ones.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    private let name: String
    private init(_ name: String) { self.name = name }

    /// The value is not a CBOR map, or a member is missing or of the wrong type or length.
    public static let malformed = Code("malformed")
    /// A member that WebAuthn does not allow, such as a private one.
    public static let unexpectedMember = Code("unexpectedMember")
    /// An unknown key type, curve or algorithm, or one that this machine cannot verify.
    public static let unsupported = Code("unsupported")
    /// Key type or curve do not fit the algorithm.
    public static let algorithmMismatch = Code("algorithmMismatch")
    /// A point off the curve, or numbers that are not an RSA key.
    public static let invalid = Code("invalid")
    /// An RSA modulus below 2048 bits or above 8192.
    public static let unsuitableSize = Code("unsuitableSize")

    public var description: String { name }
  }

  public let code: Code
  public let reason: String

  init(_ code: Code, _ reason: String) {
    self.code = code
    self.reason = reason
  }

  public var description: String { "The credential's key is not acceptable (\(code)): \(reason)" }
}
