internal import StrictJSON

/// Why an answer of an OpenID provider is not accepted.
public struct OpenIDError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of fault. More codes may be added, so compare with the known ones.
  public enum Code: String, Sendable, Hashable {
    /// Not the form that the standard asks for, or larger than what is read.
    case malformed
    /// Made by, or for, another provider or client: issuer, audience, authorized party.
    case otherParty
    /// Signed with a key that the provider does not publish.
    case unknownKey
    /// The signature does not hold, or its algorithm is not accepted.
    case invalidSignature
    /// Expired, or made in the future.
    case outOfTime
    /// Belongs to another sign-in: state, nonce, or the hash of a token or code.
    case otherRequest
    /// The provider refused: ``OpenIDError/providerError`` has its code.
    case refused
  }

  public let code: Code

  /// One sentence for the operator. Contains no tokens.
  public let reason: String

  /// The provider's own error code, such as `access_denied`, when it refused (RFC 6749 §4.1.2.1, §5.2).
  public let providerError: String?

  package init(_ code: Code, _ reason: String, providerError: String? = nil) {
    self.code = code
    self.reason = reason
    self.providerError = providerError
  }

  public var description: String { "\(code): \(reason)" }
}

extension JSONObject {
  /// Reads what a provider sent.
  ///
  /// - Parameters:
  ///   - limit: The most bytes that are read.
  ///   - fault: What is said of anything but a JSON object.
  init(parsingAnswer bytes: some Sequence<UInt8>, limit: Int, orFail fault: String) throws(OpenIDError) {
    do throws(JSONError) {
      try self.init(parsing: bytes, limits: JSONLimits(maximumBytes: limit, maximumDepth: 16))
    } catch {
      throw OpenIDError(.malformed, "\(fault): \(error)")
    }
  }
}
