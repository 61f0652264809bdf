/// Whose a credential is beside its relying party: several servers may have one relying party, and each has accounts of its own.
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
  /// Whether a ceremony of this scope may use a credential of `other`. One without a scope is of a time when none was kept, or of
  /// a program that keeps none.
  func reaches(_ other: CredentialScope?) -> Bool { self == nil || other == nil || self == other }
}
