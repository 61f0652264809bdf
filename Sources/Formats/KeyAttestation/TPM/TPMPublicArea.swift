internal import Bytes
package import JOSE

/// A TPM object's public part, TPMT_PUBLIC (TPM 2.0 Library, Part 2, §12.2.4), of a P-256 or RSA signing key.
package struct TPMPublicArea: Sendable, Hashable {
  /// Longest accepted encoding in bytes; one of RSA 4096 has about 550.
  static let maximumBytes = 1200

  /// TPMA_OBJECT (§8.3).
  struct Attributes: OptionSet, Sendable, Hashable {
    let rawValue: UInt32

    static let fixedTPM = Attributes(rawValue: 1 << 1)
    static let fixedParent = Attributes(rawValue: 1 << 4)
    static let sensitiveDataOrigin = Attributes(rawValue: 1 << 5)
    static let noDA = Attributes(rawValue: 1 << 10)
    static let restricted = Attributes(rawValue: 1 << 16)
    static let decrypt = Attributes(rawValue: 1 << 17)
    static let sign = Attributes(rawValue: 1 << 18)

    /// The attributes of a key that was made in its TPM and never leaves it, with names for messages.
    private static let ofResidentKeys: [(Attributes, String)] = [
      (.fixedTPM, "fixedTPM"), (.fixedParent, "fixedParent"), (.sensitiveDataOrigin, "sensitiveDataOrigin"),
    ]

    /// Why a key with these attributes may exist outside its TPM, too; `nil` when it cannot.
    fileprivate var residenceFault: String? { fault(lacking: Self.ofResidentKeys) }

    /// Why a key with these attributes is not for signing alone, or may leave its TPM; `nil` when there is no fault.
    var signingFault: String? {
      fault(lacking: Self.ofResidentKeys + [(.sign, "sign")])
        ?? (contains(.decrypt) ? "the key has the attribute decrypt: it is not for signing alone" : nil)
    }

    private func fault(lacking needed: [(Attributes, String)]) -> String? {
      needed.first { !contains($0.0) }.map { "the key lacks the attribute \($0.1)" }
    }
  }

  let attributes: Attributes

  /// Why the private key may exist outside its TPM, too: a TPM also certifies keys that were made elsewhere and loaded. `nil` when it cannot.
  package var residenceFault: String? { attributes.residenceFault }

  package let material: JWK.Material

  /// The object's Name: `nameAlg ‖ H(public area)` (Part 1, §16).
  package let name: [UInt8]

  package init(_ encoded: [UInt8]) throws(AttestationFailure) {
    do throws(TPMReader.Malformed) {
      var reader = try TPMReader(encoded, atMost: Self.maximumBytes)
      let type = try reader.integer(UInt16.self)
      let nameAlgorithm = try reader.hash()
      attributes = Attributes(rawValue: try reader.integer())
      _ = try reader.sized(atMost: 64)
      switch type {
      case TPMAlgorithm.ecc: material = try reader.p256()
      case TPMAlgorithm.rsa: material = try reader.rsa()
      default: throw TPMReader.Malformed(reason: "the object is neither an ECC nor an RSA key")
      }
      try reader.end()
      name = nameAlgorithm.rawValue.bigEndianBytes + nameAlgorithm.digest(of: encoded)
    } catch {
      throw AttestationFailure(.publicAreaMalformed, "pubArea cannot be read: \(error.reason)")
    }
  }
}

extension TPMReader {
  private static let curveP256: UInt16 = 0x0003

  /// TPMS_ECC_PARMS and TPMS_ECC_POINT.
  fileprivate mutating func p256() throws(Malformed) -> JWK.Material {
    try signingScheme(among: [TPMAlgorithm.ecdsa])
    guard try integer(UInt16.self) == Self.curveP256 else {
      throw Malformed(reason: "the curve is not P-256")
    }
    guard try integer(UInt16.self) == TPMAlgorithm.null else {
      throw Malformed(reason: "a signing key has no key derivation scheme")
    }
    return .p256(x: try number(32), y: try number(32))
  }

  /// TPMS_RSA_PARMS and the modulus.
  fileprivate mutating func rsa() throws(Malformed) -> JWK.Material {
    try signingScheme(among: [TPMAlgorithm.rsassa, TPMAlgorithm.rsapss])
    let bits = try integer(UInt16.self)
    let exponent = try integer(UInt32.self)
    let modulus = try sized(atMost: 1024)
    guard modulus.count * 8 == Int(bits), modulus.first.map({ $0 >= 0x80 }) == true else {
      throw Malformed(reason: "the modulus does not have the length that the key states")
    }
    // 0 stands for the usual exponent (§12.2.3.5).
    let bytes = (exponent == 0 ? 65537 : exponent).bigEndianBytes
    return .rsa(modulus: modulus, exponent: Array(bytes.drop { $0 == 0 }))
  }

  /// Requires no symmetric algorithm, which only storage keys have, and either no scheme or one of `schemes` with its hash.
  private mutating func signingScheme(among schemes: [UInt16]) throws(Malformed) {
    guard try integer(UInt16.self) == TPMAlgorithm.null else {
      throw Malformed(reason: "the object is a storage key")
    }
    let scheme = try integer(UInt16.self)
    if scheme == TPMAlgorithm.null { return }
    guard schemes.contains(scheme) else { throw Malformed(reason: "the key's scheme is not for signatures") }
    _ = try hash()
  }
}
