internal import Crypto

/// The party that checks ceremonies, and where its clients may run.
public struct RelyingParty: Sendable, Hashable {
  /// The id: a domain such as `example.com`, the host of the origins or a suffix of it.
  public let id: String
  public var origins: OriginPolicy

  /// SHA-256 of the id, as authenticators sign it.
  let idHash: [UInt8]

  public init(id: String, origins: OriginPolicy) {
    self.id = id
    self.origins = origins
    idHash = Array(SHA256.hash(data: Array(id.utf8)))
  }
}

/// Whether an authenticator must verify the user.
public enum UserVerificationRequirement: String, Sendable, Hashable, CaseIterable {
  /// The user must be verified: an answer without the flag UV is refused.
  case required
  /// Answers with and without UV are accepted.
  case preferred
  /// As ``preferred``, but the client does not ask.
  case discouraged
}
