internal import Foundation
internal import GRDB
internal import StrictJSON

extension SQLiteStore {
  public func createUser(_ user: UserRecord, by caller: Caller?) async throws {
    let key = AccountKey(username: user.username, realm: user.realm)
    try await write("the user \(user.username) of realm \(user.realm)") { db in
      try Self.require(caller, over: key, in: db)
      try Self.requireRealm(key.realm, in: db)
      try db.insert(user.row(key), into: "users")
    }
  }

  public func user(named username: String, realm: String) async throws -> UserRecord? {
    let key = AccountKey(username: username, realm: realm)
    return try await read { db in try Self.user(key, in: db) }
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
    return try await write("the user \(change.username) of realm \(change.realm)") { db in
      try Self.require(change.caller, over: key, in: db)
      if change.isActive == false { try Self.requireAnotherAdministrator(than: key, in: db) }
      let changed = try db.all("users", UserSQL.update, change.arguments(key), UserRecord.init).first
      guard let changed else {
        let present = try Self.user(key, in: db)
        guard let present, present.id == change.accountID, present.isActive || !change.requiresActive else {
          return .noSuchUser
        }
        return .passwordChanged
      }
      if change.password != nil || change.isActive == false {
        let kept = change.isActive == false ? nil : change.caller.map { Data($0.tokenHash) }
        _ = try db.change(UserSQL.endOtherSessions, [key.realm, key.name, kept])
      }
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

  public func deleteUser(named username: String, realm: String, by caller: Caller?) async throws
    -> UserRecord?
  {
    let key = AccountKey(username: username, realm: realm)
    return try await write("the user \(username) of realm \(realm)") { db in
      try Self.require(caller, over: key, in: db)
      try Self.requireAnotherAdministrator(than: key, in: db)
      // Sessions and devices go by foreign key. Failures are counted for unknown names too, so they have none.
      let removed = try db.all("users", UserSQL.delete, [key.realm, key.name], UserRecord.init).first
      if removed != nil { _ = try db.change(UserSQL.deleteLockout, [key.realm, key.name]) }
      return removed
    }
  }
}

enum UserSQL {
  static let byKey = "realm_key = ? AND name_key = ?"

  static let one = "SELECT * FROM users WHERE \(byKey)"
  /// No name is empty, so that all come after the empty one.
  static let page =
    "SELECT * FROM users WHERE realm_key = ? AND name_key > ? ORDER BY name_key LIMIT ?"

  /// ?1 realm, ?2 name, ?3 account, ?4 mail, ?5 attributes, ?6 status, ?7 hash, ?8 version of the password that was
  /// checked, ?9 whether the password must be changed, ?10 whether its end is set, ?11 that end, ?12 whether the account
  /// must be active.
  static let update = """
    UPDATE users SET mail = coalesce(?4, mail), attributes = coalesce(?5, attributes),
      is_active = coalesce(?6, is_active), password_hash = coalesce(?7, password_hash),
      password_version = password_version + (?7 IS NOT NULL),
      must_change_password = coalesce(?9, must_change_password),
      password_expires_at = CASE WHEN ?10 THEN ?11 ELSE password_expires_at END
    WHERE realm_key = ?1 AND name_key = ?2 AND account_id = ?3
      AND (?8 IS NULL OR password_version = ?8) AND (is_active OR NOT ?12)
    RETURNING *
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
  static let delete = "DELETE FROM users WHERE \(byKey) RETURNING *"
  static let deleteLockout = "DELETE FROM lockouts WHERE \(byKey)"
}

extension UserChange {
  /// In the order of ``UserSQL/update``.
  fileprivate func arguments(_ key: AccountKey) -> StatementArguments {
    var expiry: Double?
    if case .at(let date) = passwordExpiry { expiry = date.timeIntervalSince1970 }
    return [
      key.realm, key.name, accountID, mail.map(UserRecord.text), attributes.map { JSONValue.object($0).text },
      isActive, password?.hash, password?.checkedVersion, mustChangePassword, passwordExpiry != nil, expiry,
      requiresActive,
    ]
  }
}

extension UserRecord {
  fileprivate static func text(_ mail: [String]) -> String { JSONValue.array(mail.map { .string($0) }).text }

  fileprivate func row(_ key: AccountKey) -> NewRow {
    NewRow([
      "realm_key": key.realm, "name_key": key.name, "realm": realm, "username": username,
      "password_hash": passwordHash, "is_active": isActive, "is_administrator": isAdministrator,
      "is_help_desk": roles.contains(.helpDesk), "is_auditor": roles.contains(.auditor),
      "mail": Self.text(mail), "attributes": JSONValue.object(attributes).text,
      "created_at": createdAt.timeIntervalSince1970, "account_id": id, "password_version": passwordVersion,
      "must_change_password": mustChangePassword,
      "password_expires_at": passwordExpiry?.timeIntervalSince1970,
    ])
  }

  init(_ row: StoredRow) throws {
    self.init(
      realm: try row.text("realm"), username: try row.text("username"),
      passwordHash: try row.optionalText("password_hash"), isActive: try row.flag("is_active"),
      mail: try row.strings("mail"), attributes: try row.object("attributes"),
      createdAt: try row.date("created_at"), id: try row.text("account_id"),
      passwordVersion: try row.integer("password_version"),
      mustChangePassword: try row.flag("must_change_password"),
      passwordExpiry: try row.optionalDate("password_expires_at"), roles: try row.roles())
  }
}
