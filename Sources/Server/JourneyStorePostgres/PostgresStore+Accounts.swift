package import BindingFormats
internal import Foundation
package import JourneyStore

extension PostgresStore {
  package func createUser(_ user: UserRecord, by caller: Caller?) async throws {
    let key = AccountKey(username: user.username, realm: user.realm)
    let index = identityIndex
    try await write("the user \(user.username) of realm \(user.realm)") { transaction in
      try await transaction.require(caller, over: key)
      try await transaction.requireRealm(key.realm)
      _ = try await transaction.run([.insert(user.row(key), into: "users")])
      transaction.note(user, index)
    }
  }

  package func user(_ account: UniversalID) async throws -> UserRecord? {
    let key = AccountKey(account)
    return try await read(UserSQL.one, [key.realm, key.name]).all("users", UserRecord.init).first
  }

  package func users(realm: String, after username: String?, limit: Int) async throws -> [UserRecord] {
    let key = AccountKey(username: username ?? "", realm: realm)
    return try await read(UserSQL.page, [key.realm, key.name, max(0, limit)]).all("users", UserRecord.init)
  }

  package func usersWithRoles(realm: String, after username: String?, limit: Int) async throws -> [UserRecord]
  {
    let key = AccountKey(username: username ?? "", realm: realm)
    return try await read(SharedSQL.accountsWithRoles, [key.realm, key.name, max(0, limit)])
      .all("users", UserRecord.init)
  }

  package func updateUser(_ change: UserChange) async throws -> UserChangeOutcome {
    let key = AccountKey(username: change.username, realm: change.realm)
    let index = identityIndex
    return try await write("the user \(change.username) of realm \(change.realm)") { transaction in
      let administrators =
        change.isActive == false ? try await transaction.lockAdministrators(for: key) : []
      try await transaction.require(change.caller, over: key)
      try administrators.requireAnother(than: key)
      let changed = try await transaction.all("users", UserSQL.update, change.values(key), UserRecord.init)
      guard let changed = changed.first else {
        return change.failure(
          try await transaction.all("users", UserSQL.one, [key.realm, key.name], UserRecord.init).first)
      }
      if change.changesValues { transaction.note(changed, index) }
      let (endsSessions, kept) = change.endsSessions
      if endsSessions { transaction.later(UserSQL.endOtherSessions, [key.realm, key.name, kept]) }
      return .changed(changed)
    }
  }

  package func renewPasswordHash(of user: UserRecord, to hash: String) async throws -> Bool {
    let key = AccountKey(username: user.username, realm: user.realm)
    let values: StatementValues = [hash, key.realm, key.name, user.id, user.passwordHash]
    return try await change(
      "the renewed password hash of \(user.username)", Statement(UserSQL.renewHash, values))[0].count == 1
  }

  package func passwordHashKinds() async throws -> [String: Int] {
    let kinds = try await read(UserSQL.hashKinds, []).all("users") { row in
      (try row.text("kind"), try row.integer("accounts"))
    }
    return Dictionary(kinds) { $0 + $1 }
  }

  package func deleteUser(_ account: UniversalID, by caller: Caller?) async throws -> UserRecord? {
    let key = AccountKey(account)
    return try await write("the user \(account.username) of realm \(account.realm)") { transaction in
      let administrators = try await transaction.lockAdministrators(for: key)
      try await transaction.require(caller, over: key)
      try administrators.requireAnother(than: key)
      // Sessions and devices go by foreign key. Failures are counted for unknown names too, so they have none.
      let removed = try await transaction.all(
        "users", UserSQL.delete, [key.realm, key.name], UserRecord.init
      ).first
      if removed != nil {
        transaction.later(LockoutSQL.forgetAll, [key.realm, key.name])
        transaction.later(ActivitySQL.forget, [key.realm, key.name])
      }
      return removed
    }
  }

  package func changeRole(_ change: RoleChange, by caller: Caller?) async throws -> RoleChangeOutcome {
    let key = AccountKey(username: change.username, realm: change.realm)
    return try await write("the roles of \(change.username) of realm \(change.realm)") { transaction in
      let takes = change.role == .administrator && !change.isGrant
      let administrators = takes ? try await transaction.lockAdministrators(for: key) : []
      let holder = try await transaction.require(caller, over: key)
      if change.isGrant { try caller?.requireAnother(than: holder, key) }
      let before = try await transaction.all(
        "users", "\(UserSQL.one) FOR NO KEY UPDATE", [key.realm, key.name], UserRecord.init
      ).first
      guard let before else { return .noSuchUser }
      guard before.roles.contains(change.role) != change.isGrant else {
        return .changed(before, isNew: false)
      }
      try administrators.requireAnother(than: key)
      // A session that somebody got while the account was ordinary must not become an administrator's.
      if change.isGrant { transaction.later(SessionSQL.endAll, [key.realm, key.name]) }
      let after = try await transaction.all(
        "users", UserSQL.set(change.role), [change.isGrant, key.realm, key.name], UserRecord.init)
      return after.first.map { .changed($0, isNew: true) } ?? .noSuchUser
    }
  }
}

extension PostgresTransaction {
  /// Judges the caller of a change inside the transaction that makes it, and keeps its session and account as they are until
  /// the end.
  ///
  /// - Returns: the account of the caller's session; `nil` without a caller.
  /// - Throws: ``StoreError/unauthorized(_:)`` when session, account or right are gone.
  @discardableResult
  func require(_ caller: Caller?, over account: AccountKey) async throws -> Caller.Holder? {
    guard let caller else { return nil }
    let answers = try await run([
      Statement(UserSQL.holder, [caller.tokenHash, caller.now]),
      Statement(UserSQL.roles, [account.realm, account.name]),
    ])
    let holder = try answers[0].all("sessions", Caller.Holder.init).first
    try caller.require(holder, over: account, with: answers[1].all("users") { try $0.roles() }.first)
    return holder
  }

  /// Locks the active administrators of the root realm, if `key` is of that realm: for a transaction that may take its account
  /// away as one. It comes before every other lock, and in one order, so that of many at once each waits for the one
  /// before.
  ///
  /// - Returns: the keys of their names.
  func lockAdministrators(for key: AccountKey) async throws -> [String] {
    guard key.realm == "root" else { return [] }
    return try await all("users", UserSQL.administrators, []) { try $0.text("name_key") }
  }
}

extension [String] {
  /// Keeps the root realm in somebody's hands.
  ///
  /// - Throws: ``StoreError/lastAdministrator`` when the account of `key` is its only active administrator.
  fileprivate func requireAnother(than key: AccountKey) throws {
    if key.realm == "root", self == [key.name] { throw StoreError.lastAdministrator }
  }
}

enum UserSQL {
  static let byKey = "realm_key = ? AND name_key = ?"
  static let one = "SELECT \(UserRecord.columns) FROM users WHERE \(byKey)"

  /// No name is empty, so that all come after the empty one.
  static let page =
    "SELECT \(UserRecord.columns) FROM users WHERE realm_key = ? AND name_key > ? ORDER BY name_key LIMIT ?"
  static let update = """
    UPDATE users SET mail = coalesce(:mail, mail), attributes = coalesce(:attributes, attributes),
      is_active = coalesce(:isActive, is_active), password_hash = coalesce(:hash, password_hash),
      password_version = password_version + CASE WHEN :hash IS NULL THEN 0 ELSE 1 END,
      must_change_password = coalesce(:mustChange, must_change_password),
      password_expires_at = CASE WHEN :setsExpiry THEN :expiry ELSE password_expires_at END,
      revision = revision + 1
    WHERE realm_key = :realm AND name_key = :name AND account_id = :account
      AND (:checked IS NULL OR password_version = :checked) AND (is_active OR NOT :requiresActive)
      AND (:revision IS NULL OR revision = :revision)
    RETURNING \(UserRecord.columns)
    """
  static let renewHash =
    "UPDATE users SET password_hash = ? WHERE \(byKey) AND account_id = ? AND password_hash = ?"
  static let hashKinds = """
    SELECT substr(password_hash, 1, 15 + strpos(substr(password_hash, 16), '$')) AS kind, count(*) AS accounts
      FROM users WHERE password_hash IS NOT NULL GROUP BY 1
    """
  static let endOtherSessions = "DELETE FROM sessions WHERE \(byKey) AND token_hash IS DISTINCT FROM ?"
  static let delete = "DELETE FROM users WHERE \(byKey) RETURNING \(UserRecord.columns)"

  static func set(_ role: AccountRole) -> String {
    "UPDATE users SET \(role.column) = ? WHERE \(byKey) RETURNING \(UserRecord.columns)"
  }

  static let roles = "SELECT \(AccountRole.columns) FROM users WHERE \(byKey)"
  static let holder = """
    SELECT users.realm_key, users.name_key, \(AccountRole.columns)
      FROM sessions JOIN users USING (realm_key, name_key)
      WHERE sessions.token_hash = ? AND sessions.ends_at > ? AND users.is_active FOR SHARE
    """

  /// In one order, so that two that lock them do not wait for each other.
  static let administrators = """
    SELECT name_key FROM users WHERE realm_key = 'root' AND is_administrator AND is_active
      ORDER BY name_key FOR NO KEY UPDATE
    """
}
