public import BindingFormats
internal import Foundation
internal import GRDB

extension SQLiteStore {
  public func createUser(_ user: UserRecord, by caller: Caller?) async throws {
    let key = AccountKey(username: user.username, realm: user.realm)
    let index = identityIndex
    try await write("the user \(user.username) of realm \(user.realm)") { db in
      try Self.require(caller, over: key, in: db)
      try Self.requireRealm(key.realm, in: db)
      try db.insert(user.row(key), into: "users")
      try Self.note(user, index, in: db)
    }
  }

  public func user(_ account: UniversalID) async throws -> UserRecord? {
    let key = AccountKey(account)
    return try await look { db in try Self.user(key, in: db) }
  }

  static func user(_ key: AccountKey, in db: Database) throws -> UserRecord? {
    try db.all("users", UserSQL.one, [key.realm, key.name], UserRecord.init).first
  }

  public func users(realm: String, after username: String?, limit: Int) async throws -> [UserRecord] {
    let key = AccountKey(username: username ?? "", realm: realm)
    return try await read { db in
      try db.all("users", UserSQL.page, [key.realm, key.name, max(0, limit)], UserRecord.init)
    }
  }

  public func updateUser(_ change: UserChange) async throws -> UserChangeOutcome {
    let key = AccountKey(username: change.username, realm: change.realm)
    let index = identityIndex
    return try await write("the user \(change.username) of realm \(change.realm)") { db in
      try Self.require(change.caller, over: key, in: db)
      if change.isActive == false { try Self.requireAnotherAdministrator(than: key, in: db) }
      let changed = try db.all("users", UserSQL.update, change.values(key), UserRecord.init).first
      guard let changed else {
        return change.failure(try Self.user(key, in: db))
      }
      if change.changesValues { try Self.note(changed, index, in: db) }
      let (endsSessions, kept) = change.endsSessions
      if endsSessions { try db.change(UserSQL.endOtherSessions, [key.realm, key.name, kept]) }
      return .changed(changed)
    }
  }

  public func renewPasswordHash(of user: UserRecord, to hash: String) async throws -> Bool {
    let key = AccountKey(username: user.username, realm: user.realm)
    return try await write("the renewed password hash of \(user.username)") { db in
      try db.change(UserSQL.renewHash, [hash, key.realm, key.name, user.id, user.passwordHash]) == 1
    }
  }

  public func passwordHashKinds() async throws -> [String: Int] {
    try await read { db in
      let kinds = try db.all("users", UserSQL.hashKinds, []) { row in
        (try row.text("kind"), try row.integer("accounts"))
      }
      return Dictionary(kinds) { $0 + $1 }
    }
  }

  public func deleteUser(_ account: UniversalID, by caller: Caller?) async throws -> UserRecord? {
    let key = AccountKey(account)
    return try await write("the user \(account.username) of realm \(account.realm)") { db in
      try Self.require(caller, over: key, in: db)
      try Self.requireAnotherAdministrator(than: key, in: db)
      // Sessions and devices go by foreign key. Failures are counted for unknown names too, so they have none.
      let removed = try db.all("users", UserSQL.delete, [key.realm, key.name], UserRecord.init).first
      if removed != nil {
        try db.change(UserSQL.deleteLockout, [key.realm, key.name])
        try db.change(ActivitySQL.forget, [key.realm, key.name])
      }
      return removed
    }
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
      password_version = password_version + (:hash IS NOT NULL),
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
  /// Read from the index of the same expression.
  static let hashKinds = """
    SELECT substr(password_hash, 1, 15 + instr(substr(password_hash, 16), '$')) AS kind,
      count(*) AS accounts FROM users
      WHERE substr(password_hash, 1, 15 + instr(substr(password_hash, 16), '$')) IS NOT NULL GROUP BY kind
    """
  static let endOtherSessions = "DELETE FROM sessions WHERE \(byKey) AND token_hash IS NOT ?"
  static let delete = "DELETE FROM users WHERE \(byKey) RETURNING \(UserRecord.columns)"
  static let deleteLockout = "DELETE FROM lockouts WHERE \(byKey)"
}
