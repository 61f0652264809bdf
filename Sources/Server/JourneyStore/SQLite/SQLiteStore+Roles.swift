internal import Foundation
internal import GRDB

extension SQLiteStore {
  public func changeRole(_ change: RoleChange, by caller: Caller?) async throws -> RoleChangeOutcome {
    let key = AccountKey(username: change.username, realm: change.realm)
    return try await write("the roles of \(change.username) of realm \(change.realm)") { db in
      let holder = try Self.require(caller, over: key, in: db)
      if change.isGrant { try caller?.requireAnother(than: holder, key) }
      guard let before = try Self.user(key, in: db) else { return .noSuchUser }
      guard before.roles.contains(change.role) != change.isGrant else {
        return .changed(before, isNew: false)
      }
      if change.role == .administrator, !change.isGrant {
        try Self.requireAnotherAdministrator(than: key, in: db)
      }
      let after = try db.all(
        "users", RoleSQL.set(change.role), [change.isGrant, key.realm, key.name], UserRecord.init)
      // A session that somebody got while the account was ordinary must not become an administrator's.
      if change.isGrant { try db.change(RoleSQL.endSessions, [key.realm, key.name]) }
      return after.first.map { .changed($0, isNew: true) } ?? .noSuchUser
    }
  }

  public func usersWithRoles(realm: String, after username: String?, limit: Int) async throws -> [UserRecord]
  {
    let key = AccountKey(username: username ?? "", realm: realm)
    return try await read { db in
      try db.all("users", SharedSQL.accountsWithRoles, [key.realm, key.name, max(0, limit)], UserRecord.init)
    }
  }

  /// Keeps the root realm in somebody's hands: for a write that takes the account of `key` away as an administrator.
  ///
  /// Part of that write. Writes are made one after the other, so that of many at once the last one is refused.
  ///
  /// - Throws: ``StoreError/lastAdministrator`` when it is the only active administrator of the root realm.
  static func requireAnotherAdministrator(than key: AccountKey, in db: Database) throws {
    guard key.realm == "root" else { return }
    let isLast = try db.all("users", RoleSQL.isLastAdministrator, [key.name]) { try $0.flag() }.first
    if isLast == true { throw StoreError.lastAdministrator }
  }

  /// Judges the caller of a change inside the write that makes it.
  ///
  /// - Returns: the account of the caller's session; `nil` without a caller.
  /// - Throws: ``StoreError/unauthorized(_:)`` when session, account or right are gone.
  @discardableResult
  static func require(
    _ caller: Caller?, over account: AccountKey, in db: Database
  ) throws -> Caller.Holder? {
    guard let caller else { return nil }
    let holder = try db.all(
      "sessions", RoleSQL.holder, [caller.tokenHash, caller.now], Caller.Holder.init
    ).first
    let target = try db.all("users", RoleSQL.ofAccount, [account.realm, account.name]) { try $0.roles() }
    try caller.require(holder, over: account, with: target.first)
    return holder
  }
}

private enum RoleSQL {
  /// ?1 whether the account has the role, ?2 realm, ?3 name.
  static func set(_ role: AccountRole) -> String {
    "UPDATE users SET \(role.column) = ?1 WHERE realm_key = ?2 AND name_key = ?3 RETURNING \(UserRecord.columns)"
  }

  static let endSessions = "DELETE FROM sessions WHERE realm_key = ? AND name_key = ?"

  static let isLastAdministrator = """
    SELECT EXISTS (SELECT 1 FROM users
        WHERE realm_key = 'root' AND name_key = ?1 AND is_administrator AND is_active)
      AND NOT EXISTS (SELECT 1 FROM users
        WHERE realm_key = 'root' AND name_key != ?1 AND is_administrator AND is_active)
    """

  static let ofAccount =
    "SELECT \(AccountRole.columns) FROM users WHERE realm_key = ? AND name_key = ?"

  static let holder = """
    SELECT users.realm_key, users.name_key, \(AccountRole.columns)
      FROM sessions JOIN users USING (realm_key, name_key)
      WHERE sessions.token_hash = ? AND sessions.ends_at > ? AND users.is_active
    """
}
