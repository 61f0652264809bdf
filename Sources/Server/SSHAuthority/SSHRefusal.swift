package import StrictJSON

/// Why the authority does not do what it was asked for.
package struct SSHRefusal: Error, Sendable, Hashable, CustomStringConvertible {
  package enum Kind: Sendable, Hashable {
    /// The request means nothing, or names a key that is not certified.
    case invalid

    /// A rule of the realm says no.
    case forbidden

    /// The realm has no authority, or no such key.
    case notFound
  }

  package let kind: Kind

  /// A sentence for the client.
  package let description: String

  /// What the rule demands, for programs.
  package let detail: JSONObject?

  /// More for the operator; the client is not told.
  package let cause: String?

  init(_ kind: Kind, _ description: String, detail: JSONObject? = nil, cause: String? = nil) {
    (self.kind, self.description, self.detail, self.cause) = (kind, description, detail, cause)
  }

  package static let noAuthority = SSHRefusal(.notFound, "This realm has no SSH authority.")
}
