internal import GRDB

extension SQLiteStore {
  package var databaseTime: String { "CAST(strftime('%s', 'now') AS REAL)" }

  package func keyRows<Record: Sendable>(
    _ table: String, _ sql: String, _ values: StatementValues,
    _ decode: @escaping @Sendable (StoredRow) throws -> Record
  ) async throws -> [Record] {
    try await read { try $0.all(table, sql, values, decode) }
  }

  package func changeKeys(_ subject: String, _ statements: [ServerKeyStatement]) async throws -> [Int] {
    try await write(subject) { db in try statements.map { try db.change($0.sql, $0.values) } }
  }

  package func changeKeysAlone(
    _ subject: String, unless counts: [ServerKeyStatement], sealsLedger: Bool,
    _ statements: [ServerKeyStatement]
  ) async throws -> [Int]? {
    // The transaction holds the write lock.
    try await write(subject) { [ledger] db in
      for count in counts {
        guard try db.all("sealed", count.sql, count.values, { try $0.integer() }) == [0] else { return nil }
      }
      if sealsLedger { try ledger.sealAgain(in: db) }
      return try statements.map { try db.change($0.sql, $0.values) }
    }
  }

  package func sealLedgerAgain() async throws {
    try await write("the seal of the evidence ledger") { [ledger] in try ledger.sealAgain(in: $0) }
  }

  package func markLedger() throws { try mark?.keep(ledger.ledger.fingerprint, serverKey) }
}

extension Database {
  /// Tells the key which of its keys the database uses.
  ///
  /// - Throws: ``StoreError/corrupt(_:)`` when that one is not there.
  func takeKeys(into key: ServerKey) throws {
    // A database that a server of this version has not opened yet has no such table.
    guard try tableExists("server_keys") else { return }
    let instant = ContinuousClock.now
    try key.take(all("server_keys", ServerKeySQL.entries, []) { try ServerKeyEntry($0) }, askedAt: instant)
    try key.requireCurrent()
  }

  /// Notes the key of a database that has noted none: the one that opens what is there.
  func registerKey(of key: ServerKey) throws {
    let sealed = try sealedSecret(named: SealedLedger.keyName)
    let id = sealed.map { key.id(opening: $0, named: SealedLedger.keyName) } ?? key.loaded.first?.id
    guard let id else {
      // Says what is wrong.
      _ = try EvidenceTable.signer(in: self, serverKey: key)
      return
    }
    try change(ServerKeySQL.register, [id])
    try takeKeys(into: key)
  }
}
