public import StrictJSON

/// A compact JWS whose signature has been verified. Only ``UnverifiedJWS/verified(with:allowing:)`` makes
/// one.
public struct VerifiedJWS: Sendable, Hashable {
  private let token: UnverifiedJWS

  init(_ token: UnverifiedJWS) { self.token = token }

  /// The text as received.
  public var compact: String { token.compact }
  public var header: JWSHeader { token.header }
  public var payload: [UInt8] { token.payload }

  /// What was signed: the text up to the second dot. Unlike the signature it cannot be varied by others.
  public var signingInput: [UInt8] { token.signingInput }

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
