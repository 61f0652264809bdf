internal import Foundation
internal import GRDB
internal import StrictJSON

extension SQLiteStore {
  public func createUser(_ user: UserRecord) async throws {
    let key = AccountKey(username: user.username, realm: user.realm)
    try await write("the user \(user.username) of realm \(user.realm)") { db in
      _ = try db.change(UserSQL.insert, [key.realm, key.name] + user.values)
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

  public func updateUser(_ user: UserRecord) async throws -> Bool {
    let key = AccountKey(username: user.username, realm: user.realm)
    return try await write("the user \(user.username) of realm \(user.realm)") { db in
      try db.change(UserSQL.update, user.values + [key.realm, key.name]) == 1
    }
  }

  public func deleteUser(named username: String, realm: String) async throws -> UserRecord? {
    let key = AccountKey(username: username, realm: realm)
    return try await write("the user \(username) of realm \(realm)") { db in
      // Sessions and devices go by foreign key. Failures are counted for unknown names too, so they have none.
      let removed = try db.all("users", UserSQL.delete, [key.realm, key.name], UserRecord.init).first
      if removed != nil { _ = try db.change(UserSQL.deleteLockout, [key.realm, key.name]) }
      return removed
    }
  }
}

private enum UserSQL {
  static let columns =
    "realm, username, password_hash, is_active, is_administrator, mail, attributes, created_at"
  static let byKey = "realm_key = ? AND name_key = ?"

  static let insert =
    "INSERT INTO users (realm_key, name_key, \(columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
  static let one = "SELECT \(columns) FROM users WHERE \(byKey)"
  /// No name is empty, so that all come after the empty one.
  static let page =
    "SELECT \(columns) FROM users WHERE realm_key = ? AND name_key > ? ORDER BY name_key LIMIT ?"
  static let update = "UPDATE users SET (\(columns)) = (?, ?, ?, ?, ?, ?, ?, ?) WHERE \(byKey)"
  static let delete = "DELETE FROM users WHERE \(byKey) RETURNING \(columns)"
  static let deleteLockout = "DELETE FROM lockouts WHERE \(byKey)"
}

extension UserRecord {
  /// In the order of ``UserSQL/columns``.
  fileprivate var values: StatementArguments {
    [
      realm, username, passwordHash, isActive, isAdministrator,
      JSONValue.array(mail.map { .string($0) }).text,
      JSONValue.object(attributes).text, createdAt.timeIntervalSince1970,
    ]
  }

  fileprivate init(_ row: inout StoredRow) throws {
    self.init(
      realm: try row.text(), username: try row.text(), passwordHash: try row.optionalText(),
      isActive: try row.flag(), isAdministrator: try row.flag(), mail: try row.strings(),
      attributes: try row.object(), createdAt: try row.date())
  }
}
