internal import Concurrency

extension ServerStore {
  /// The index by which the store finds accounts.
  public var identityIndex: IdentityIndex { context.index.withLock { $0 } }

  /// The account with that ``UserRecord/id``; `nil` when there is none.
  public func user(id: String, realm: String) async throws -> UserRecord? {
    try await read(
      UserRecord.first(where: "realm_key = ? AND account_id = ?", [RealmKey(realm).realm, id]))
  }

  /// Accounts of the realm that the index has for a lookup, by name: at most `limit`, of those whose names come after `username`. The
  /// caller compares the values again, because the index has only the beginnings of long ones.
  public func users(
    _ lookup: IdentityLookup, realm: String, after username: String?, limit: Int
  ) async throws -> [UserRecord] {
    let key = AccountKey(username: username ?? "", realm: realm)
    let (attribute, value, end) =
      switch lookup {
      case .equal(let attribute, let value): (attribute, value, "")
      case .prefix(let attribute, let value): (attribute, value, "\u{10FFFF}")
      }
    let low = IdentityIndex.key(value)
    let values: StatementValues = [
      "realm": key.realm, "attribute": attribute, "low": low, "high": low + end, "after": key.name,
      "limit": max(0, limit),
    ]
    return try await rows("users", IdentitySQL.lookup, values, UserRecord.init)
  }

  /// Switches to another index, and builds it for all accounts unless the database has it already. Called at the start.
  ///
  /// - Returns: a line for the operator for each value that could not be made unique because several accounts have it.
  public func use(_ index: IdentityIndex) async throws -> [String] {
    context.index.withLock { $0 = index }
    let (definition, making) = (index.definition, index.making)
    let present = try await rows("identity_index", "SELECT definition FROM identity_index", []) {
      try $0.text()
    }
    guard present.first != definition else { return [] }
    // The attempts are limited, because servers with another index may keep writing.
    for _ in 1...3 {
      try await change(
        "the index of identities",
        [
          .insert(
            ["id": 1, "definition": making], into: "identity_index",
            onConflict: "ON CONFLICT (id) DO UPDATE SET definition = excluded.definition")
        ])
      let duplicates = try await remake(index)
      // Changes nothing when a server with another index has written meanwhile.
      let finish = SQLStatement(
        "UPDATE identity_index SET definition = ?1 WHERE definition IN (?1, ?2)", [definition, making])
      if try await change("the index of identities", finish.isDone) { return duplicates }
    }
    return []
  }

  private func remake(_ index: IdentityIndex) async throws -> [String] {
    var duplicates: [String] = []
    var last = AccountKey(username: "", realm: "")
    while true {
      // The limit bounds the accounts, of all realms, that are read and written at once.
      let users = UserRecord.all(
        where: """
          realm_key > ?1 OR (realm_key = ?1 AND name_key > ?2) ORDER BY realm_key, name_key LIMIT ?3 \(.held)
          """, [last.realm, last.name, 200])
      let page = try await write("the index of identities") {
        .ask(users) { users in
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
    return [SQLStatement(forget, key.values)]
      + index.rows(of: user).map { .insert($0.row(of: key), into: "identity_values") }
      + [SQLStatement(doubt, [index.definition, index.making])]
  }

  /// Values that several accounts have although they must be unique: as text, and as rows without uniqueness.
  struct Duplicates: Sendable {
    let names: [String]
    let rows: [SQLStatement]
  }

  /// Like ``note(_:_:)``, for an account that existed before a value had to be unique.
  static func remake(_ index: IdentityIndex, of user: UserRecord) -> SQLQuestion<Duplicates> {
    let key = AccountKey(user.account)
    let values = index.rows(of: user)
    let statements = values.map {
      SQLStatement.insert($0.row(of: key), into: "identity_values", onConflict: "ON CONFLICT DO NOTHING")
    }
    let forget = SQLStatement(forget, key.values)
    return SQLQuestion<(Void, [Int])>.all(.silent([forget]), .each(statements.map(\.count))).map {
      _, counts in
      let refused = zip(values, counts).filter { $0.1 == 0 }.map(\.0)
      return Duplicates(
        names: refused.map { "\($0.attribute) of \(user.username) in realm \(user.realm)" },
        rows: refused.map { .insert($0.row(of: key, isUnique: false), into: "identity_values") })
    }
  }
}
