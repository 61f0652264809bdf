/// One role that an account gets or loses.
public struct RoleChange: Sendable, Hashable {
  public var realm: String
  public var username: String
  public var role: AccountRole

  /// Whether the account gets the role; else it loses it.
  public var isGrant: Bool

  public init(_ role: AccountRole, isGrant: Bool, username: String, realm: String) {
    self.realm = realm
    self.username = username
    self.role = role
    self.isGrant = isGrant
  }
}

/// What became of a ``RoleChange``.
public enum RoleChangeOutcome: Sendable, Hashable {
  /// The record after the change. `isNew` is `false` when the account had, or had not, the role before.
  case changed(UserRecord, isNew: Bool)

  case noSuchUser
}
