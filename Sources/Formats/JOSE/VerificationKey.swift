internal import Crypto
internal import CryptoExtras
internal import Foundation

/// A key that signatures are verified with, parsed once.
///
/// Public keys and shared secrets are told apart here: a token cannot make a public key serve as an HMAC secret.
public struct VerificationKey: Sendable {
  private enum Kind: Sendable {
    case p256(P256.Signing.PublicKey)
    case rsa(_RSA.Signing.PublicKey)
    case secret(SymmetricSecret)
  }

  private let kind: Kind

  /// The algorithm that the JWK restricts itself to.
  private let only: JWSAlgorithm?

  /// A public key.
  ///
  /// - Throws: ``JOSEError/Code/invalidKey`` when the cryptographic library refuses it.
  public init(_ jwk: JWK) throws(JOSEError) {
    do {
      switch jwk.material {
      case .p256(let x, let y): kind = .p256(try P256.Signing.PublicKey(x963Representation: [4] + x + y))
      case .rsa(let modulus, let exponent):
        kind = .rsa(try _RSA.Signing.PublicKey(n: modulus, e: exponent))
      }
    } catch {
      throw JOSEError(.invalidKey, "The key is refused by the cryptographic library: \(error)")
    }
    only = jwk.algorithm
  }

  /// A shared secret, for HS256 only.
  public init(secret: SymmetricSecret) {
    kind = .secret(secret)
    only = .hs256
  }

  /// Throws unless `signature` is this key's over `input` under `algorithm`.
  func verify(_ signature: [UInt8], over input: [UInt8], algorithm: JWSAlgorithm) throws(JOSEError) {
    guard only == nil || only == algorithm else { throw unsuitable(algorithm) }
    let isValid: Bool
    switch (kind, algorithm) {
    case (.p256(let key), .es256):
      guard signature.count == 64, let parsed = try? P256.Signing.ECDSASignature(rawRepresentation: signature)
      else {
        throw JOSEError(.invalidSignature, "An ES256 signature has 64 bytes, not \(signature.count).")
      }
      isValid = key.isValidSignature(parsed, for: input)
    case (.rsa(let key), .rs256):
      isValid = Self.isValid(signature, key, SHA256.hash(data: input))
    case (.rsa(let key), .rs384):
      isValid = Self.isValid(signature, key, SHA384.hash(data: input))
    case (.rsa(let key), .rs512):
      isValid = Self.isValid(signature, key, SHA512.hash(data: input))
    case (.secret(let secret), .hs256):
      isValid = HMAC<SHA256>.isValidAuthenticationCode(signature, authenticating: input, using: secret.key)
    default: throw unsuitable(algorithm)
    }
    guard isValid else { throw JOSEError(.invalidSignature, "The signature does not verify.") }
  }

  private static func isValid(_ signature: [UInt8], _ key: _RSA.Signing.PublicKey, _ digest: some Digest)
    -> Bool
  {
    key.isValidSignature(
      _RSA.Signing.RSASignature(rawRepresentation: Data(signature)), for: digest, padding: .insecurePKCS1v1_5)
  }

  private func unsuitable(_ algorithm: JWSAlgorithm) -> JOSEError {
    JOSEError(.unsupportedAlgorithm, "The algorithm \(algorithm.rawValue) does not fit the key.")
  }
}
