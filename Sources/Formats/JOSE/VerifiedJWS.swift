package import Crypto
public import StrictJSON

/// A compact JWS whose signature has been verified. Only ``UnverifiedJWS/verified(with:allowing:)`` makes
/// one.
public struct VerifiedJWS: Sendable, Hashable {
  private let token: UnverifiedJWS
  private let digest: SHA256Digest?

  init(_ token: UnverifiedJWS, digest: SHA256Digest?) {
    self.token = token
    self.digest = digest
  }

  /// The text as received.
  public var compact: String { token.compact }
  public var header: JWSHeader { token.header }
  public var payload: [UInt8] { token.payload }

  /// What was signed: the text up to the second dot. Unlike the signature it cannot be varied by others.
  public var signingInput: [UInt8] { token.signingInput }

  /// SHA-256 of ``signingInput``: the digest that was signed, where the algorithm computes it.
  package var signedDigest: SHA256Digest { digest ?? SHA256.hash(data: signingInput) }

  /// The payload as claims (RFC 7519 §4).
  ///
  /// - Throws: ``JOSEError/Code/malformed`` when it is not a JSON object, or has duplicate members or trailing
  ///   bytes.
  public func claims() throws(JOSEError) -> JSONObject {
    do throws(JSONError) { return try JSONObject(parsing: payload, limits: token.limits.json) } catch {
      throw JOSEError(.malformed, "The claims are not a JSON object: \(error)")
    }
  }
}
