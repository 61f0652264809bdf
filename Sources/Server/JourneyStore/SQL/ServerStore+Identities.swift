internal import Concurrency

extension ServerStore {
  /// What the store finds accounts by.
  public var identityIndex: IdentityIndex { context.index.withLock { $0 } }

  /// The account with that ``UserRecord/id``; `nil` when there is none.
  public func user(id: String, realm: String) async throws -> UserRecord? {
    try await read(
      SQLStatement(IdentitySQL.byID, [RealmKey(realm).realm, id]).row(of: "users", UserRecord.init))
  }

  /// Accounts of the realm that the index has for a lookup, by name: at most `limit`, of those whose names come after `username`.
  /// The values are to be compared again: the index has the beginnings of long ones.
  public func users(
    _ lookup: IdentityLookup, realm: String, after username: String?, limit: Int
  ) async throws -> [UserRecord] {
    let key = AccountKey(username: username ?? "", realm: realm)
    let values = lookup.values(realm: key.realm, after: key.name, limit: limit)
    return try await rows("users", IdentitySQL.lookup, values, UserRecord.init)
  }

  /// Takes another index, and makes it for all accounts unless the database has it already. Called at the start.
  ///
  /// - Returns: what could not be made unique because several accounts have it: a line each, for the operator.
  public func use(_ index: IdentityIndex) async throws -> [String] {
    context.index.withLock { $0 = index }
    let present = try await rows("identity_index", IdentitySQL.definition, []) { try $0.text() }
    guard present.first != index.definition else { return [] }
    let (definition, making) = (index.definition, index.making)
    for _ in 1...IdentitySQL.attempts {
      try await change("the index of identities", [SQLStatement(IdentitySQL.define, [making])])
      let duplicates = try await remake(index)
      let finish = SQLStatement(IdentitySQL.finish, [definition, making])
      if try await change("the index of identities", finish.isDone) { return duplicates }
    }
    return []
  }

  private func remake(_ index: IdentityIndex) async throws -> [String] {
    var duplicates: [String] = []
    var last = AccountKey(username: "", realm: "")
    while true {
      let users = SQLStatement(IdentitySQL.accounts, [last.realm, last.name, IdentitySQL.batch])
      let page = try await write("the index of identities") {
        .ask(users.rows(of: "users", UserRecord.init)) { users in
          .next(
            .ask(.each(users.map { IdentitySQL.remake(index, of: $0) })) { found in
              .done(
                (users.last.map { AccountKey($0.account) }, found.flatMap(\.names)), found.flatMap(\.rows))
            })
        }
      }
      duplicates += page.1
      guard let end = page.0 else { return duplicates }
      last = end
    }
  }
}

extension IdentitySQL {
  /// Puts the account's values into the index, in the write that changes the account.
  static func note(_ user: UserRecord, _ index: IdentityIndex) -> [SQLStatement] {
    let key = AccountKey(user.account)
    return [SQLStatement(forget, [key.realm, key.name])]
      + index.rows(of: user).map { .insert($0.row(of: key), into: "identity_values") }
      + [SQLStatement(doubt, [index.definition, index.making])]
  }

  /// Values that two accounts have and only one may have: in words, and as rows that are not unique.
  struct Duplicates: Sendable {
    let names: [String]
    let rows: [SQLStatement]
  }

  /// The same as ``note(_:_:)`` for an account that was there before a value was unique.
  static func remake(_ index: IdentityIndex, of user: UserRecord) -> SQLQuestion<Duplicates> {
    let key = AccountKey(user.account)
    let values = index.rows(of: user)
    let statements = values.map {
      SQLStatement.insert($0.row(of: key), into: "identity_values", onConflict: "ON CONFLICT DO NOTHING")
    }
    return SQLQuestion<[Int]>.counts([SQLStatement(forget, [key.realm, key.name])] + statements).map {
      let refused = zip(values, $0.dropFirst()).filter { $0.1 == 0 }.map(\.0)
      return Duplicates(
        names: refused.map { "\($0.attribute) of \(user.username) in realm \(user.realm)" },
        rows: refused.map { .insert($0.row(of: key, isUnique: false), into: "identity_values") })
    }
  }
}
