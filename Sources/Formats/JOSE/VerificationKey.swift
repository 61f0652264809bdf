internal import Crypto
package import StrictJSON

/// A key that signatures are verified with, parsed once.
///
/// Public keys and shared secrets are told apart here: a token cannot cause a public key, which everybody may know, to be used as an HMAC
/// secret (RFC 8725 §2.1).
public struct VerificationKey: Sendable {
  private enum Kind: Sendable {
    case publicKey(PublicKey)
    case secret(SymmetricSecret)
  }

  private let kind: Kind

  /// The only algorithm that the JWK names; `nil` when it names none.
  private let algorithm: JWSAlgorithm?

  /// The algorithms that the key verifies: those of its family, or the only one that the JWK names.
  public var algorithms: Set<JWSAlgorithm> { Set(JWSAlgorithm.allCases.filter(fits)) }

  /// A public key.
  ///
  /// - Throws: nothing today, because the cryptographic library accepted the key when the `JWK` was made.
  public init(_ jwk: JWK) throws(JOSEError) {
    kind = .publicKey(jwk.publicKey)
    algorithm = jwk.algorithm
  }

  /// The public key of a JWK, with the JWK.
  ///
  /// - Throws: as ``JWK/init(json:)``.
  package static func imported(_ json: JSONObject) throws(JOSEError) -> (jwk: JWK, key: VerificationKey) {
    let jwk = try JWK(json: json)
    return (jwk, try VerificationKey(jwk))
  }

  /// A shared secret, for HS256 only.
  public init(secret: SymmetricSecret) {
    kind = .secret(secret)
    algorithm = .hs256
  }

  private func fits(_ algorithm: JWSAlgorithm) -> Bool {
    guard (self.algorithm ?? algorithm) == algorithm else { return false }
    return switch kind {
    case .publicKey(.p256): algorithm == .es256
    case .publicKey(.rsa): algorithm.isRSA
    case .secret: algorithm == .hs256
    }
  }

  /// Throws unless `signature` is this key's over `input` under `algorithm`.
  ///
  /// - Returns: the SHA-256 of `input`, if the algorithm has computed it.
  @discardableResult
  func verify(
    _ signature: [UInt8], over input: [UInt8], algorithm: JWSAlgorithm
  ) throws(JOSEError) -> SHA256Digest? {
    guard fits(algorithm) else {
      throw JOSEError(.unsupportedAlgorithm, "The algorithm \(algorithm.rawValue) does not fit the key.")
    }
    guard algorithm.signatureCounts.contains(signature.count) else {
      throw JOSEError(
        .invalidSignature, "The signature has \(signature.count) bytes, wrong for \(algorithm.rawValue).")
    }
    var digest: SHA256Digest?
    let isValid =
      switch kind {
      case .publicKey(let key):
        key.isValid(signature, over: input, algorithm: algorithm, digest: &digest)
      case .secret(let secret):
        HMAC<SHA256>.isValidAuthenticationCode(signature, authenticating: input, using: secret.key)
      }
    guard isValid else { throw JOSEError(.invalidSignature, "The signature does not verify.") }
    return digest
  }
}
