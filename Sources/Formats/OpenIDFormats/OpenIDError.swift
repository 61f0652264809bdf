/// Why an answer of an OpenID provider is not accepted.
public struct OpenIDError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of fault. More codes may be added, so compare with the known ones.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    private let name: String
    private init(_ name: String) { self.name = name }

    /// Not the form that the standard asks for, or larger than what is read.
    public static let malformed = Code("malformed")
    /// Made by, or for, another provider or client: issuer, audience, authorized party.
    public static let otherParty = Code("otherParty")
    /// Signed with a key that the provider does not publish.
    public static let unknownKey = Code("unknownKey")
    /// The signature does not hold, or its algorithm is not accepted.
    public static let invalidSignature = Code("invalidSignature")
    /// Expired, or made in the future.
    public static let outOfTime = Code("outOfTime")
    /// Belongs to another sign-in: state, nonce, or the hash of a token or code.
    public static let otherRequest = Code("otherRequest")
    /// The provider refused: ``OpenIDError/providerError`` has its code.
    public static let refused = Code("refused")

    public var description: String { name }
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
