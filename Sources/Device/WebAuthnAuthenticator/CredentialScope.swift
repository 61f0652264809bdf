/// The server and realm that a credential belongs to: several servers may share a relying party, and each has its own accounts.
public struct CredentialScope: Sendable, Hashable {
  /// The server's origin, such as `https://example.com`.
  public let server: String

  /// The realm of the server; `nil` where there are none.
  public let realm: String?

  public init(server: String, realm: String? = nil) {
    self.server = server
    self.realm = realm
  }
}

extension CredentialScope? {
  /// Whether a ceremony of this scope may use a credential of `other`. Credentials of earlier
  /// versions, and of programs that keep no scope, have none.
  func reaches(_ other: CredentialScope?) -> Bool { self == nil || other == nil || self == other }
}
