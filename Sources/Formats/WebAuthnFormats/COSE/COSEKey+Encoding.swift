internal import Bytes
public import CBOR
internal import JOSE
public import StrictJSON

extension COSEKey {
  /// Labels of the map (RFC 9053 §7, RFC 8230 §4).
  private enum Label {
    static let type: CBORValue = 1
    static let algorithm: CBORValue = 3
    static let curveOrModulus: CBORValue = -1
    static let xOrExponent: CBORValue = -2
    static let y: CBORValue = -3
  }

  /// The key types. `akp` is for keys of one algorithm alone (draft-ietf-cose-dilithium §3); its public key has the label of a curve.
  private enum KeyType {
    static let okp: CBORValue = 1
    static let ec2: CBORValue = 2
    static let rsa: CBORValue = 3
    static let akp: CBORValue = 7
  }

  /// The curves of EdDSA keys (RFC 9053 §7.1).
  private static let ed25519: CBORValue = 6
  private static let ed448: CBORValue = 7

  /// Longest accepted encoding in bytes: RSA with 8192 bits takes 1,045, ML-DSA-65 1,962.
  static let maximumBytes = 2048

  /// Reads a COSE_Key that is all of `bytes`.
  ///
  /// - Throws: ``COSEKeyError``.
  public init(decoding bytes: some Collection<UInt8>) throws(COSEKeyError) {
    let value: CBORValue
    do throws(CBORError) {
      value = try CBORValue(
        decoding: bytes, limits: CBORLimits(maximumBytes: Self.maximumBytes, maximumDepth: 2))
    } catch {
      throw COSEKeyError(.malformed, error.description)
    }
    try self.init(value)
  }

  /// Reads a COSE_Key.
  ///
  /// Members beyond those of the key type are refused (WebAuthn L3 §6.5.1.1), and so are compressed points.
  public init(_ value: CBORValue) throws(COSEKeyError) {
    guard let map = value.mapValue else { throw COSEKeyError(.malformed, "it is not a CBOR map") }
    guard let type = map[Label.type], let number = map[Label.algorithm]?.intValue else {
      throw COSEKeyError(.malformed, "the key type (1) or the algorithm (3) is missing or not a number")
    }
    guard let algorithm = COSEAlgorithm(rawValue: number) else {
      throw COSEKeyError(.unsupported, "the algorithm \(number) is not supported")
    }
    let material: Material
    let count: Int
    switch type {
    case KeyType.ec2:
      guard let number = map[Label.curveOrModulus]?.intValue else {
        throw COSEKeyError(.malformed, "the curve (-1) is missing or not a number")
      }
      guard let curve = COSECurve(rawValue: number) else {
        throw COSEKeyError(.unsupported, "the curve \(number) is not supported")
      }
      material = .ec(curve, x: try Self.bytes(Label.xOrExponent, map), y: try Self.bytes(Label.y, map))
      count = 5
    case KeyType.okp:
      let x = try Self.bytes(Label.xOrExponent, map)
      switch map[Label.curveOrModulus] {
      case Self.ed25519: material = .ed25519(x)
      case Self.ed448: material = .ed448(x)
      default: throw COSEKeyError(.unsupported, "the curve (-1) is neither Ed25519 nor Ed448")
      }
      count = 4
    case KeyType.akp:
      guard algorithm == .mlDSA65 else {
        throw COSEKeyError(.algorithmMismatch, "\(algorithm.name) is not for keys of the type AKP")
      }
      material = .mlDSA65(try Self.bytes(Label.curveOrModulus, map))
      count = 3
    case KeyType.rsa:
      material = .rsa(
        modulus: try Self.bytes(Label.curveOrModulus, map), exponent: try Self.bytes(Label.xOrExponent, map))
      count = 4
    default: throw COSEKeyError(.unsupported, "the key type is neither EC2 (2), RSA (3), OKP (1) nor AKP (7)")
    }
    guard map.count == count else {
      throw COSEKeyError(.unexpectedMember, "it has \(map.count) members instead of \(count)")
    }
    try self.init(material, algorithm: algorithm)
  }

  private static func bytes(_ label: CBORValue, _ map: CBORMap) throws(COSEKeyError) -> [UInt8] {
    guard let bytes = map[label]?.bytesValue else {
      throw COSEKeyError(.malformed, "the member \(label.intValue ?? 0) is missing or not a byte string")
    }
    return bytes
  }

  /// The COSE_Key as a CBOR value.
  public var cbor: CBORValue {
    let algorithm = CBORValue(algorithm.rawValue)
    return switch material {
    case .ec(let curve, let x, let y):
      [
        Label.type: KeyType.ec2, Label.algorithm: algorithm,
        Label.curveOrModulus: CBORValue(curve.rawValue), Label.xOrExponent: .bytes(x), Label.y: .bytes(y),
      ]
    case .rsa(let modulus, let exponent):
      [
        Label.type: KeyType.rsa, Label.algorithm: algorithm, Label.curveOrModulus: .bytes(modulus),
        Label.xOrExponent: .bytes(exponent),
      ]
    case .ed25519(let x):
      [
        Label.type: KeyType.okp, Label.algorithm: algorithm, Label.curveOrModulus: Self.ed25519,
        Label.xOrExponent: .bytes(x),
      ]
    case .ed448(let x):
      [
        Label.type: KeyType.okp, Label.algorithm: algorithm, Label.curveOrModulus: Self.ed448,
        Label.xOrExponent: .bytes(x),
      ]
    case .mlDSA65(let key):
      [Label.type: KeyType.akp, Label.algorithm: algorithm, Label.curveOrModulus: .bytes(key)]
    }
  }

  /// The COSE_Key in the canonical encoding, as records keep it.
  public var encoded: [UInt8] { cbor.encoded }

  /// The key as a JWK (RFC 7518 §6, RFC 8037 §2), as AM's device records show it. It has no `alg`, except for an ML-DSA key, whose type
  /// requires it.
  public var jwk: JSONObject {
    switch material {
    case .ec(let curve, let x, let y):
      [
        "kty": "EC", "crv": .string(curve.name), "x": .string(Base64URL.encode(x)),
        "y": .string(Base64URL.encode(y)),
      ]
    case .rsa(let modulus, let exponent):
      [
        "kty": "RSA", "n": .string(Base64URL.encode(modulus)), "e": .string(Base64URL.encode(exponent)),
      ]
    case .ed25519(let x): ["kty": "OKP", "crv": "Ed25519", "x": .string(Base64URL.encode(x))]
    case .ed448(let x): ["kty": "OKP", "crv": "Ed448", "x": .string(Base64URL.encode(x))]
    case .mlDSA65(let key):
      ["kty": "AKP", "alg": .string(algorithm.name), "pub": .string(Base64URL.encode(key))]
    }
  }
}
