/// Why a DPoP proof was refused.
public struct DPoPError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of fault. More codes may be added, so compare with the known ones.
  public enum Code: String, Sendable, Hashable {
    /// Not a proof: wrong form, type, algorithm, key, signature or claims (RFC 9449 §4.3, checks 1 to 7).
    case malformed
    /// Made for another method or address (checks 8 and 9).
    case otherRequest
    /// Made too long ago, or in the future (check 11).
    case outOfTime
    /// The server's nonce is missing or not the expected one (check 10): answer `use_dpop_nonce`.
    case wrongNonce
    /// Made for another access token, or for none (check 12).
    case otherToken
  }

  public let code: Code

  /// One sentence for the operator. Never contains bytes of the proof.
  public let reason: String

  init(_ code: Code, _ reason: String) {
    self.code = code
    self.reason = reason
  }

  public var description: String { "\(code): \(reason)" }
}
