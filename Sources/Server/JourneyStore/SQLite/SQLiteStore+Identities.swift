internal import Concurrency
internal import GRDB

extension SQLiteStore {
  public var identityIndex: IdentityIndex { index.withLock { $0 } }

  public func user(id: String, realm: String) async throws -> UserRecord? {
    let realm = RealmKey(realm).realm
    return try await read { db in
      try db.all("users", IdentitySQL.byID, [realm, id], UserRecord.init).first
    }
  }

  public func users(
    _ lookup: IdentityLookup, realm: String, after username: String?, limit: Int
  ) async throws -> [UserRecord] {
    let key = AccountKey(username: username ?? "", realm: realm)
    let values = lookup.values(realm: key.realm, after: key.name, limit: limit)
    return try await read { try $0.all("users", IdentitySQL.lookup, values, UserRecord.init) }
  }

  public func use(_ index: IdentityIndex) async throws -> [String] {
    self.index.withLock { $0 = index }
    let present = try await read {
      try $0.all("identity_index", IdentitySQL.definition, []) { try $0.text() }
    }
    guard present.first != index.definition else { return [] }
    let (definition, making) = (index.definition, index.making)
    for _ in 1...IdentitySQL.attempts {
      _ = try await write("the index of identities") { try $0.change(IdentitySQL.define, [making]) }
      let duplicates = try await remake(index)
      let finished = try await write("the index of identities") {
        try $0.change(IdentitySQL.finish, [definition, making])
      }
      if finished == 1 { return duplicates }
    }
    return []
  }

  private func remake(_ index: IdentityIndex) async throws -> [String] {
    var duplicates: [String] = []
    var last = AccountKey(username: "", realm: "")
    while true {
      let start = last
      let page = try await write("the index of identities") { db in
        var found: [String] = []
        let users = try db.all(
          "users", IdentitySQL.accounts, [start.realm, start.name, IdentitySQL.batch], UserRecord.init)
        for user in users { found += try Self.remake(index, of: user, in: db) }
        return (end: users.last.map { AccountKey($0.account) }, duplicates: found)
      }
      duplicates += page.duplicates
      guard let end = page.end else { return duplicates }
      last = end
    }
  }

  /// Puts the account's values into the index, in the write that changes the account.
  static func note(_ user: UserRecord, _ index: IdentityIndex, in db: Database) throws {
    let key = AccountKey(user.account)
    try db.change(IdentitySQL.forget, [key.realm, key.name])
    for value in index.rows(of: user) { try db.insert(value.row(of: key), into: "identity_values") }
    try db.change(IdentitySQL.doubt, [index.definition, index.making])
  }

  /// The same for an account that was there before a value was unique: a duplicate is found, and not unique.
  private static func remake(_ index: IdentityIndex, of user: UserRecord, in db: Database) throws -> [String]
  {
    let key = AccountKey(user.account)
    try db.change(IdentitySQL.forget, [key.realm, key.name])
    var duplicates: [String] = []
    for value in index.rows(of: user) {
      let row = value.row(of: key)
      let added = try db.change(
        "INSERT OR IGNORE INTO identity_values (\(row.columns)) VALUES (\(row.places))",
        StatementValues(row.values))
      guard added == 0 else { continue }
      duplicates.append("\(value.attribute) of \(user.username) in realm \(user.realm)")
      try db.insert(value.row(of: key, isUnique: false), into: "identity_values")
    }
    return duplicates
  }
}
