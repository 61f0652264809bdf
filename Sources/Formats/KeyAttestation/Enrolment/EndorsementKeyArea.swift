internal import Bytes
internal import Crypto
internal import CryptoExtras
package import X509

/// The public area of an endorsement key: a restricted decryption key, RSA or ECC, as the templates of the TCG EK Credential
/// Profile (§B.3, §B.4) make them.
package struct EndorsementKeyArea: Sendable, Hashable {
  /// The key's numbers.
  package enum Key: Sendable, Hashable {
    /// Big-endian, without leading zeros; 2048 to 4096 bits.
    case rsa(modulus: [UInt8], exponent: UInt32)
    /// `04 ‖ x ‖ y`.
    case p256([UInt8])
    case p384([UInt8])
  }

  package let key: Key

  /// The hash of the key's Name, with which the key also protects and derives.
  package let hash: TPMHash

  /// The length in bits of the AES keys that protect data sent to the key: 128 or 256.
  package let symmetricBits: Int

  package let publicKey: Certificate.PublicKey

  /// - Parameter encoded: TPMT_PUBLIC.
  /// - Throws: ``AttestationEnrolmentFailure/Check/endorsementKeyRefused``.
  package init(_ encoded: [UInt8]) throws(AttestationEnrolmentFailure) {
    do throws(TPMReader.Malformed) {
      var reader = try TPMReader(encoded, atMost: TPMPublicArea.maximumBytes)
      let type = try reader.integer(UInt16.self)
      hash = try reader.hash()
      try Self.check(TPMPublicArea.Attributes(rawValue: try reader.integer()))
      _ = try reader.sized(atMost: 64)
      symmetricBits = try reader.storageCipher()
      switch type {
      case TPMAlgorithm.rsa: key = try reader.storageRSA()
      case TPMAlgorithm.ecc: key = try reader.storagePoint()
      default: throw TPMReader.Malformed(reason: "it is neither an ECC nor an RSA key")
      }
      try reader.end()
      publicKey = try Self.publicKey(key)
    } catch {
      throw AttestationEnrolmentFailure(
        .endorsementKeyRefused, "the endorsement key cannot be used: \(error.reason)")
    }
  }

  private static func check(_ attributes: TPMPublicArea.Attributes) throws(TPMReader.Malformed) {
    let demanded: TPMPublicArea.Attributes = [
      .fixedTPM, .fixedParent, .sensitiveDataOrigin, .restricted, .decrypt,
    ]
    guard attributes.isSuperset(of: demanded), !attributes.contains(.sign) else {
      throw TPMReader.Malformed(
        reason: "its attributes are not those of a restricted decryption key that stays in its TPM")
    }
  }

  private static func publicKey(_ key: Key) throws(TPMReader.Malformed) -> Certificate.PublicKey {
    do {
      switch key {
      case .rsa(let modulus, let exponent):
        let exponent = Array(exponent.bigEndianBytes.drop { $0 == 0 })
        return try Certificate.PublicKey(_RSA.Signing.PublicKey(n: modulus, e: exponent))
      case .p256(let point):
        return try Certificate.PublicKey(P256.Signing.PublicKey(x963Representation: point))
      case .p384(let point):
        return try Certificate.PublicKey(P384.Signing.PublicKey(x963Representation: point))
      }
    } catch {
      throw TPMReader.Malformed(reason: "its numbers are not a key: \(error)")
    }
  }
}

extension TPMReader {
  private static let aes: UInt16 = 0x0006
  private static let cfb: UInt16 = 0x0043

  /// TPMT_SYM_DEF_OBJECT, and the absence of a scheme.
  fileprivate mutating func storageCipher() throws(Malformed) -> Int {
    guard try integer() == Self.aes else { throw Malformed(reason: "its symmetric algorithm is not AES") }
    let bits = try integer(UInt16.self)
    guard [128, 256].contains(bits), try integer() == Self.cfb else {
      throw Malformed(reason: "its symmetric algorithm is not AES-128 or AES-256 in CFB mode")
    }
    guard try integer() == TPMAlgorithm.null else {
      throw Malformed(reason: "it has a scheme, and restricted decryption keys have none")
    }
    return Int(bits)
  }

  fileprivate mutating func storageRSA() throws(Malformed) -> EndorsementKeyArea.Key {
    let bits = try integer(UInt16.self)
    let exponent = try integer(UInt32.self)
    let modulus = try sized(atMost: 512)
    guard [2048, 3072, 4096].contains(bits), modulus.count * 8 == Int(bits),
      modulus.first.map({ $0 >= 0x80 }) == true, modulus.last.map({ $0 & 1 == 1 }) == true
    else { throw Malformed(reason: "its modulus is not one of 2048, 3072 or 4096 bits") }
    // 0 stands for the usual exponent (Part 2, §12.2.3.5).
    return .rsa(modulus: modulus, exponent: exponent == 0 ? 65537 : exponent)
  }

  fileprivate mutating func storagePoint() throws(Malformed) -> EndorsementKeyArea.Key {
    let curve = try integer(UInt16.self)
    guard try integer() == TPMAlgorithm.null else {
      throw Malformed(reason: "it has a key derivation scheme")
    }
    switch curve {
    case 0x0003: return .p256([4] + (try number(32)) + (try number(32)))
    case 0x0004: return .p384([4] + (try number(48)) + (try number(48)))
    default: throw Malformed(reason: "its curve is neither P-256 nor P-384")
    }
  }
}
