internal import Crypto
package import StrictJSON

/// A key that signatures are verified with, parsed once.
///
/// Public keys and shared secrets are told apart here: a token cannot make a public key, which everybody may
/// know, serve as an HMAC secret (RFC 8725 §2.1).
public struct VerificationKey: Sendable {
  private enum Kind: Sendable {
    case publicKey(PublicKey)
    case secret(SymmetricSecret)
  }

  private let kind: Kind

  /// The algorithms that the key verifies: those of its family, or the only one that the JWK names.
  public let algorithms: Set<JWSAlgorithm>

  /// A public key.
  ///
  /// - Throws: ``JOSEError/Code/invalidKey`` when the cryptographic library refuses it.
  public init(_ jwk: JWK) throws(JOSEError) {
    self.init(try PublicKey(jwk.material), of: jwk)
  }

  /// The public key of a JWK, parsed and imported once.
  ///
  /// - Throws: as ``JWK/init(json:)``.
  package static func imported(_ json: JSONObject) throws(JOSEError) -> (jwk: JWK, key: VerificationKey) {
    let (jwk, key) = try JWK.imported(json)
    return (jwk, VerificationKey(key, of: jwk))
  }

  private init(_ key: PublicKey, of jwk: JWK) {
    kind = .publicKey(key)
    algorithms = jwk.algorithms
  }

  /// A shared secret, for HS256 only.
  public init(secret: SymmetricSecret) {
    kind = .secret(secret)
    algorithms = [.hs256]
  }

  /// Throws unless `signature` is this key's over `input` under `algorithm`.
  func verify(_ signature: [UInt8], over input: [UInt8], algorithm: JWSAlgorithm) throws(JOSEError) {
    guard algorithms.contains(algorithm) else {
      throw JOSEError(.unsupportedAlgorithm, "The algorithm \(algorithm.rawValue) does not fit the key.")
    }
    guard algorithm.signatureCounts.contains(signature.count) else {
      throw JOSEError(
        .invalidSignature, "The signature has \(signature.count) bytes, wrong for \(algorithm.rawValue).")
    }
    let isValid =
      switch kind {
      case .publicKey(let key): key.isValid(signature, over: input, algorithm: algorithm)
      case .secret(let secret):
        HMAC<SHA256>.isValidAuthenticationCode(signature, authenticating: input, using: secret.key)
      }
    guard isValid else { throw JOSEError(.invalidSignature, "The signature does not verify.") }
  }
}
