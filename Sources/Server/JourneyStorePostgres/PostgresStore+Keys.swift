package import JourneyStore

extension PostgresStore {
  package var databaseTime: String { "extract(epoch FROM now())::float8" }

  package func keyRows<Record: Sendable>(
    _ table: String, _ sql: String, _ values: StatementValues,
    _ decode: @escaping @Sendable (StoredRow) throws -> Record
  ) async throws -> [Record] {
    try await read(sql, values).all(table, decode)
  }

  package func changeKeys(_ subject: String, _ statements: [ServerKeyStatement]) async throws -> [Int] {
    try await write(subject) { transaction in
      try await transaction.run(statements.map { Statement($0.sql, $0.values) }).map(\.count)
    }
  }

  package func changeKeysAlone(
    _ subject: String, unless counts: [ServerKeyStatement], sealsLedger: Bool,
    _ statements: [ServerKeyStatement]
  ) async throws -> [Int]? {
    try await write(subject) { [ledger] transaction in
      // Before the ledger, as everybody who stores something sealed and adds to the ledger.
      let answers = try await transaction.run(
        [Statement(KeyFenceSQL.alone)] + counts.map { Statement($0.sql, $0.values) })
      guard try answers.dropFirst().allSatisfy({ try $0.integer() == 0 }) else { return nil }
      if sealsLedger { try await transaction.sealAgain(ledger) }
      return try await transaction.run(statements.map { Statement($0.sql, $0.values) }).map(\.count)
    }
  }

  package func sealLedgerAgain() async throws {
    try await write("the seal of the evidence ledger") { [ledger] in try await $0.sealAgain(ledger) }
  }

  package func markLedger() throws { try mark.keep(ledger.fingerprint, serverKey) }
}

extension PostgresTransaction {
  /// Seals the ends of all lanes, and what retention has removed, under the key in use. All lanes are held until the end; whoever
  /// adds to one waits for it.
  fileprivate func sealAgain(_ ledger: SealedLedger) async throws {
    let answers = try await run([
      Statement("SELECT id FROM evidence_ledger WHERE id = 1 FOR NO KEY UPDATE"),
      Statement("SELECT lane FROM evidence_lanes ORDER BY lane FOR NO KEY UPDATE"),
      Statement("SELECT removed, seal FROM evidence_retention FOR NO KEY UPDATE"), EvidenceSQL.heads,
    ])
    let removed = try answers[2].all("evidence_retention") { try ledger.removed($0) }.first
    let ends = try ledger.heads(answers).map { (head: $0, seal: try ledger.seal($0)) }
    try await store(
      ends.map { (EvidenceSQL.end($0.head.lane, $0.head.number, seal: $0.seal), $0.seal) }
        + [removed].compactMap(\.self).map {
          let seal = try ledger.seal(removed: $0)
          return (EpochSQL.note(removed: $0, seal), seal)
        })
  }

  /// Carries out statements that store seals.
  ///
  /// - Throws: ``OutdatedKey`` when the key of one is retired.
  func store(_ seals: [(statement: Statement, seal: ServerKey.Code)]) async throws {
    let answers = try await run(seals.map(\.statement))
    for (answer, seal) in zip(answers, seals) where answer.count != 1 {
      throw OutdatedKey(retired: seal.seal.key)
    }
  }
}

/// The lock that whoever stores something sealed under a server key shares, by the tables' triggers (``PostgresSchema``). It is of this
/// database alone, and ends with the transaction.
enum KeyFenceSQL {
  /// "sealring" in ASCII.
  static let lock = 0x7365_616C_7269_6E67

  /// Waits for all who store something sealed.
  static let alone = "SELECT pg_advisory_xact_lock(\(lock))"

  /// Keeps keys from being retired until the end of the transaction.
  static let shared = "SELECT pg_advisory_xact_lock_shared(\(lock))"
}
