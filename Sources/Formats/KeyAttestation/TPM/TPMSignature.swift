internal import Crypto
internal import CryptoExtras
internal import X509

/// A signature as TPMs return it, TPMT_SIGNATURE (TPM 2.0 Library, Part 2, §11.3.4): ECDSA or RSASSA.
struct TPMSignature: Sendable, Hashable {
  /// Longest accepted encoding in bytes: RSASSA with 4096 bits has 518.
  static let maximumBytes = 1100

  private enum Value: Hashable {
    /// r ‖ s, each 32 bytes.
    case ecdsa([UInt8])
    case rsassa([UInt8])
  }

  private let hash: TPMHash
  private let value: Value

  init(_ encoded: [UInt8]) throws(AttestationFailure) {
    do throws(TPMReader.Malformed) {
      var reader = try TPMReader(encoded, atMost: Self.maximumBytes)
      let scheme = try reader.integer(UInt16.self)
      hash = try reader.hash()
      switch scheme {
      case TPMAlgorithm.ecdsa: value = .ecdsa(try reader.number(32) + reader.number(32))
      case TPMAlgorithm.rsassa: value = .rsassa(try reader.sized(atMost: 1024))
      default: throw TPMReader.Malformed(reason: "the scheme is neither ECDSA nor RSASSA")
      }
      try reader.end()
    } catch {
      throw AttestationFailure(.signatureMalformed, "sig cannot be read: \(error.reason)")
    }
  }

  /// Whether this is a valid signature of `key` over `bytes`.
  func isValid(over bytes: [UInt8], by key: Certificate.PublicKey) -> Bool {
    switch hash {
    case .sha256: isValid(SHA256.hash(data: bytes), key)
    case .sha384: isValid(SHA384.hash(data: bytes), key)
    case .sha512: isValid(SHA512.hash(data: bytes), key)
    }
  }

  private func isValid(_ digest: some Digest, _ key: Certificate.PublicKey) -> Bool {
    switch value {
    case .ecdsa(let raw):
      guard let key = P256.Signing.PublicKey(key),
        let signature = try? P256.Signing.ECDSASignature(rawRepresentation: raw)
      else { return false }
      return key.isValidSignature(signature, for: digest)
    case .rsassa(let raw):
      guard let key = _RSA.Signing.PublicKey(key), key.keySizeInBits >= 2048 else { return false }
      // RSASSA is this padding (Part 1, §B.5). It is called insecure because new designs should not use it.
      return key.isValidSignature(
        _RSA.Signing.RSASignature(rawRepresentation: raw), for: digest, padding: .insecurePKCS1v1_5)
    }
  }
}
