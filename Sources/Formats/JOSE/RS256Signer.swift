internal import Crypto
internal import CryptoExtras
internal import StrictJSON

/// Signs RS256 with an RSA key in memory (RFC 7518 §3.3): for verifiers that know nothing newer.
package struct RS256Signer: JWSSigner {
  private let privateKey: _RSA.Signing.PrivateKey

  /// - Parameter der: the private key in DER, of 2048 bits at least, as ``newKey()`` makes it.
  /// - Throws: ``JOSEError/Code/invalidKey``.
  package init(der: [UInt8]) throws(JOSEError) {
    do { privateKey = try _RSA.Signing.PrivateKey(derRepresentation: der) } catch {
      throw JOSEError(.invalidKey, "The bytes are not an RSA private key of at least 2048 bits.")
    }
  }

  /// A new private key of 2048 bits in DER. Takes up to a second of processor time.
  ///
  /// - Throws: ``JOSEError/Code/invalidKey`` when the library can make none.
  package static func newKey() throws(JOSEError) -> [UInt8] {
    do { return [UInt8](try _RSA.Signing.PrivateKey(keySize: .bits2048).derRepresentation) } catch {
      throw JOSEError(.invalidKey, "An RSA key could not be made: \(error)")
    }
  }

  package var algorithm: JWSAlgorithm { .rs256 }

  package func signature(for signingInput: [UInt8]) throws -> [UInt8] {
    // RS256 is this padding. It is called insecure because new designs should not use it.
    let signature = try privateKey.signature(
      for: SHA256.hash(data: signingInput), padding: .insecurePKCS1v1_5)
    return [UInt8](signature.rawRepresentation)
  }

  /// The public key, for RS256 alone, named by its thumbprint (RFC 7638).
  ///
  /// - Throws: ``JOSEError/Code/invalidKey`` when the library does not give its numbers.
  package func publicJWK() throws(JOSEError) -> JWK {
    guard let numbers = try? privateKey.publicKey.getKeyPrimitives() else {
      throw JOSEError(.invalidKey, "The RSA key has no public numbers.")
    }
    let (modulus, exponent) = ([UInt8](numbers.modulus), [UInt8](numbers.publicExponent))
    let thumbprint = try JWK(rsaModulus: modulus, exponent: exponent, keyID: nil).thumbprint
    return try JWK(rsaModulus: modulus, exponent: exponent, keyID: thumbprint)
  }
}
