internal import Concurrency
package import JourneyStore

extension PostgresStore {
  package var identityIndex: IdentityIndex { index.withLock { $0 } }

  package func user(id: String, realm: String) async throws -> UserRecord? {
    try await read(IdentitySQL.byID, [RealmKey(realm).realm, id]).all("users", UserRecord.init).first
  }

  package func users(
    _ lookup: IdentityLookup, realm: String, after username: String?, limit: Int
  ) async throws -> [UserRecord] {
    let key = AccountKey(username: username ?? "", realm: realm)
    return try await read(
      IdentitySQL.lookup, lookup.values(realm: key.realm, after: key.name, limit: limit)
    ).all("users", UserRecord.init)
  }

  package func use(_ index: IdentityIndex) async throws -> [String] {
    self.index.withLock { $0 = index }
    let present = try await read(IdentitySQL.definition, []).all("identity_index") { try $0.text() }
    guard present.first != index.definition else { return [] }
    let (definition, making) = (index.definition, index.making)
    for _ in 1...IdentitySQL.attempts {
      try await change("the index of identities", Statement(IdentitySQL.define, [making]))
      let duplicates = try await remake(index)
      let finished = try await change(
        "the index of identities", Statement(IdentitySQL.finish, [definition, making]))
      if finished[0].count == 1 { return duplicates }
    }
    return []
  }

  private func remake(_ index: IdentityIndex) async throws -> [String] {
    var duplicates: [String] = []
    var last = AccountKey(username: "", realm: "")
    while true {
      let start = last
      let page = try await write("the index of identities") { transaction in
        var found: [String] = []
        let users = try await transaction.all(
          "users", "\(IdentitySQL.accounts) FOR NO KEY UPDATE", [start.realm, start.name, IdentitySQL.batch],
          UserRecord.init)
        for user in users { found += try await transaction.remake(index, of: user) }
        return (end: users.last.map { AccountKey($0.account) }, duplicates: found)
      }
      duplicates += page.duplicates
      guard let end = page.end else { return duplicates }
      last = end
    }
  }
}

extension PostgresTransaction {
  /// Puts the account's values into the index, in the write that changes the account.
  func note(_ user: UserRecord, _ index: IdentityIndex) {
    let key = AccountKey(user.account)
    later(IdentitySQL.forget, [key.realm, key.name])
    for value in index.rows(of: user) { later(.insert(value.row(of: key), into: "identity_values")) }
    later(IdentitySQL.doubt, [index.definition, index.making])
  }

  /// The same for an account that was there before a value was unique: a duplicate is found, and not unique.
  fileprivate func remake(_ index: IdentityIndex, of user: UserRecord) async throws -> [String] {
    let key = AccountKey(user.account)
    later(IdentitySQL.forget, [key.realm, key.name])
    var duplicates: [String] = []
    for value in index.rows(of: user) {
      let added = try await run([
        .insert(value.row(of: key), into: "identity_values", onConflict: "ON CONFLICT DO NOTHING")
      ])
      guard added.first?.count == 0 else { continue }
      duplicates.append("\(value.attribute) of \(user.username) in realm \(user.realm)")
      later(.insert(value.row(of: key, isUnique: false), into: "identity_values"))
    }
    return duplicates
  }
}
