package import StrictJSON

/// Why the authority refused a request.
package struct SSHRefusal: Error, Sendable, Hashable, CustomStringConvertible {
  package enum Kind: Sendable, Hashable {
    /// The request is invalid, or names a key that is not certified.
    case invalid

    /// A rule of the realm refuses the request.
    case forbidden

    /// The realm has no authority, or no such key.
    case notFound

    /// What is there, or was changed meanwhile, stands in the way.
    case conflict
  }

  package let kind: Kind

  /// A sentence for the client.
  package let description: String

  /// The rule's requirements, for programs.
  package let detail: JSONObject?

  /// A further reason for the operator, which the client does not see.
  package let cause: String?

  init(_ kind: Kind, _ description: String, detail: JSONObject? = nil, cause: String? = nil) {
    (self.kind, self.description, self.detail, self.cause) = (kind, description, detail, cause)
  }

  package static let authorityExists = SSHRefusal(.conflict, "This realm has an SSH authority already.")
  package static let noAuthority = SSHRefusal(.notFound, "This realm has no SSH authority.")
}
