internal import Crypto
internal import CryptoExtras

/// A public key as the cryptographic library holds it.
enum PublicKey: Sendable {
  case p256(P256.Signing.PublicKey)
  case rsa(_RSA.Signing.PublicKey)

  /// - Throws: ``JOSEError/Code/invalidKey`` for a point off the curve and for numbers that the library
  ///   refuses.
  init(_ material: JWK.Material) throws(JOSEError) {
    do {
      switch material {
      case .p256(let x, let y):
        var point: [UInt8] = []
        point.reserveCapacity(1 + x.count + y.count)
        point.append(4)
        point.append(contentsOf: x)
        point.append(contentsOf: y)
        self = .p256(try P256.Signing.PublicKey(x963Representation: point))
      case .rsa(let modulus, let exponent): self = .rsa(try _RSA.Signing.PublicKey(n: modulus, e: exponent))
      }
    } catch {
      throw JOSEError(.invalidKey, "The coordinates or numbers of the key are not a public key: \(error)")
    }
  }

  /// Whether `signature` is this key's over `input`; also `false` for an algorithm of another family.
  ///
  /// - Parameter digest: set to the SHA-256 of `input` by algorithms that compute it.
  func isValid(
    _ signature: [UInt8], over input: [UInt8], algorithm: JWSAlgorithm, digest: inout SHA256Digest?
  ) -> Bool {
    switch (self, algorithm) {
    case (.p256(let key), .es256):
      guard let parsed = try? P256.Signing.ECDSASignature(rawRepresentation: signature) else { return false }
      let hash = SHA256.hash(data: input)
      digest = hash
      return key.isValidSignature(parsed, for: hash)
    case (.rsa(let key), .rs256):
      let hash = SHA256.hash(data: input)
      digest = hash
      return Self.isValid(signature, by: key, over: hash)
    case (.rsa(let key), .rs384): return Self.isValid(signature, by: key, over: SHA384.hash(data: input))
    case (.rsa(let key), .rs512): return Self.isValid(signature, by: key, over: SHA512.hash(data: input))
    default: return false
    }
  }

  private static func isValid(
    _ signature: [UInt8], by key: _RSA.Signing.PublicKey, over digest: some Digest
  ) -> Bool {
    // The RS algorithms are this padding (RFC 7518 §3.3). It is called insecure because new designs should not use it.
    key.isValidSignature(
      _RSA.Signing.RSASignature(rawRepresentation: signature), for: digest, padding: .insecurePKCS1v1_5)
  }
}
