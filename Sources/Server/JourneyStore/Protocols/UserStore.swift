public import BindingFormats

/// Accounts. Names compare without regard to case.
///
/// Each change is one write that sets what was asked for and nothing else; where a caller is given, the write throws
/// ``StoreError/unauthorized(_:)`` if its right is gone (``Caller``).
public protocol UserStore: Sendable {
  /// Adds the user. Throws ``StoreError/conflict(_:)`` when the name is taken in its realm.
  func createUser(_ user: UserRecord, by caller: Caller?) async throws

  /// The user, or `nil` when there is none.
  func user(_ account: UniversalID) async throws -> UserRecord?

  /// Sets or takes one role, in one conditional write. A caller needs ``Capability/administrate`` over the realm, and grants nothing to its own
  /// account. A new role ends the account's sessions. Throws ``StoreError/lastAdministrator`` rather than leaving the root realm without an active administrator.
  func changeRole(_ change: RoleChange, by caller: Caller?) async throws -> RoleChangeOutcome

  /// Accounts of the realm that have a role, by name, as ``users(realm:after:limit:)``.
  func usersWithRoles(realm: String, after username: String?, limit: Int) async throws -> [UserRecord]

  /// Users of the realm, by name: at most `limit`, of those whose names come after `username`, whatever its case; `nil`
  /// begins with the first.
  func users(realm: String, after username: String?, limit: Int) async throws -> [UserRecord]

  /// Sets what the change names, and ends the sessions that it ends (``UserChange``), in one transaction. Throws
  /// ``StoreError/lastAdministrator`` rather than deactivating the root realm's last active administrator.
  func updateUser(_ change: UserChange) async throws -> UserChangeOutcome

  /// Stores the same password under a new hash, if the account still has the hash of `user`; whether it had.
  func renewPasswordHash(of user: UserRecord, to hash: String) async throws -> Bool

  /// How many accounts have a password hash of each kind: its beginning up to the salt.
  func passwordHashKinds() async throws -> [String: Int]

  /// Removes the user with all sessions, devices and lockout state, in one transaction; the removed record, or `nil`. Throws
  /// ``StoreError/lastAdministrator`` rather than removing the root realm's last active administrator.
  func deleteUser(_ account: UniversalID, by caller: Caller?) async throws -> UserRecord?
}

extension UserStore {
  /// Adds the user on the server's own account.
  public func createUser(_ user: UserRecord) async throws { try await createUser(user, by: nil) }

  /// Removes the user on the server's own account.
  public func deleteUser(_ account: UniversalID) async throws -> UserRecord? {
    try await deleteUser(account, by: nil)
  }

  /// The user of that name, or `nil`.
  public func user(named username: String, realm: String) async throws -> UserRecord? {
    try await user(UniversalID(username: username, realm: realm))
  }

  /// All users of the realm, by name. For tools; a server that answers requests takes them in pages.
  public func users(realm: String) async throws -> [UserRecord] {
    try await users(realm: realm, after: nil, limit: .max)
  }
}
