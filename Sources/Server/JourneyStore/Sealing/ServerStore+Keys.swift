internal import Bytes

extension ServerStore {
  /// Asks the database which of its keys is in use, and looks for keys that are missing here.
  ///
  /// - Returns: the entries of the database, the first key first, as far as ``ServerKey/take(_:askedAt:)`` accepts them.
  @discardableResult
  package func refreshKeys() async throws -> [ServerKeyEntry] {
    let instant = ContinuousClock.now
    try serverKey.take(try await read(ServerKeySQL.entries), askedAt: instant)
    return serverKey.entries
  }

  /// Carries out `body`, which seals something and stores it, by recent knowledge of the database's keys. When that proves outdated,
  /// nothing was stored: the database is asked again, and `body` is carried out once more.
  package func sealing<Value>(_ body: () async throws -> Value) async throws -> Value {
    if !serverKey.isRecent { try await refreshKeys() }
    let known = serverKey.entries
    do { return try await body() } catch let outdated as OutdatedKey {
      try await refreshKeys()
      if let error = outdated.otherwise, serverKey.entries == known { throw error }
      do { return try await body() } catch let outdated as OutdatedKey {
        throw outdated.otherwise ?? StoreError.unavailable("\(outdated); nothing was stored")
      }
    }
  }

  // MARK: Secrets of a key's generation

  /// A secret that is made anew with each server key, such as the one that seals `authId`. It is encrypted under that key, and
  /// once the key is retired under later ones. All servers get the same bytes.
  ///
  /// - Returns: `nil` when there is none and the key is retired.
  package func secret(
    named name: String, of entry: ServerKeyEntry, generate: @Sendable () -> [UInt8]
  ) async throws -> [UInt8]? {
    let name = entry.name(ofSecret: name)
    if let stored = try await storedSecret(name) { return stored }
    guard !entry.isRetired else { return nil }
    // When two servers do this at once, the first one's secret stays.
    let fresh = try serverKey.seal(generate(), named: name, under: entry.id)
    try await write("the secret \(name)") {
      .certain(.silent([SQLStatement(ServerKeySQL.addSecret, [name, fresh])]))
    }
    return try await storedSecret(name)
  }

  func storedSecret(_ name: String) async throws -> [UInt8]? {
    try await read(ServerKeySQL.sealedSecret(name)).map {
      try serverKey.open($0, named: name, in: "server_secrets")
    }
  }

  // MARK: Which servers have which keys

  /// Records, for ``ServerKeyRotation``, that the server runs and which keys it has.
  package func noteKeys(_ keys: [String], of server: String) async throws {
    let current = serverKey.currentID.flatMap { serverKey.has($0) ? $0 : nil }
    try await change(
      "the keys of this server",
      [
        // Servers that have not been heard of for a day are forgotten.
        SQLStatement("DELETE FROM server_key_holders WHERE seen_at < \(.databaseTime) - 86400"),
        SQLStatement(
          """
          INSERT INTO server_key_holders (server, keys, uses, seen_at) VALUES (?, ?, ?, \(.databaseTime))
          ON CONFLICT (server) DO UPDATE SET keys = excluded.keys, uses = excluded.uses, seen_at = excluded.seen_at
          """, [server, keys.joined(separator: " "), current]),
      ])
  }

  /// Records that the server has stopped.
  package func forgetKeys(of server: String) async throws {
    try await change(
      "the keys of this server", [SQLStatement("DELETE FROM server_key_holders WHERE server = ?", [server])])
  }

  /// The servers that have reported within the last `seconds`.
  package func keyHolders(within seconds: Double) async throws -> [ServerKeyHolder] {
    let sql: SQL =
      "SELECT server, keys, uses FROM server_key_holders WHERE seen_at >= \(.databaseTime) - ? ORDER BY server"
    return try await rows("server_key_holders", sql, [seconds]) { try ServerKeyHolder($0) }
  }

  // MARK: What is encrypted

  /// How many stored secrets each key has encrypted, by its id; those of unknown keys are not counted.
  package func sealedCounts() async throws -> [String: Int] {
    var counts: [String: Int] = [:]
    for entry in serverKey.entries {
      counts[entry.id] = try await read(.each(sealedCounts(of: entry).map(\.integer))).reduce(0, +)
    }
    return counts
  }

  /// Statements that count what the key has encrypted, one for each table.
  func sealedCounts(of entry: ServerKeyEntry) -> [SQLStatement] {
    let later = serverKey.entries.filter { $0.generation > 0 }.map { LoadedServerKey.prefix(of: $0.id) }
    return StoreTable.sealed.map { table in
      entry.generation > 0
        ? table.countUnder(LoadedServerKey.prefix(of: entry.id)) : table.count(besides: later)
    }
  }

  /// Encrypts under the key in use what earlier keys have encrypted, in batches of rows that nobody else has changed meanwhile. It can be
  /// stopped at any time and resumed, and several may run at once.
  ///
  /// - Parameters:
  ///   - batch: the number of rows in a transaction.
  ///   - progress: called after each batch, with the number of secrets encrypted again so far.
  /// - Returns: how many secrets were encrypted again.
  package func encryptAgain(batch: Int = 200, progress: @Sendable (Int) async throws -> Void = { _ in })
    async throws -> Int
  {
    let entries = try await refreshKeys()
    guard let current = entries.last(where: { $0.activatedAt != nil }) else { return 0 }
    // Secrets under an announced key stay as they are: that key may be safer.
    let next = entries.last { $0.activatedAt == nil } ?? current
    let prefixes = (LoadedServerKey.prefix(of: current.id), LoadedServerKey.prefix(of: next.id))
    var total = 0
    // While the first key is in use, nothing has to be encrypted again.
    guard current.generation > 0 else { return 0 }
    for table in StoreTable.sealed {
      var last: [String]?
      while true {
        let page = table.page(after: last, besides: prefixes, limit: batch)
        let rows = try await rows(table.name, page.sql, page.values) { try table.sealedRow($0) }
        if !rows.isEmpty {
          total += try await sealing {
            let updates = try rows.map { row in
              let secret = try serverKey.open(row.sealed, named: row.secretName, in: table.name)
              return table.update(
                row, to: try serverKey.seal(secret, named: row.secretName, under: current.id))
            }
            return try await change("secrets of table \(table.name)", updates).reduce(0, +)
          }
          try await progress(total)
        }
        guard rows.count == batch else { break }
        last = rows.last?.key
      }
    }
    try await sealLedgerAgain()
    return total
  }
}
