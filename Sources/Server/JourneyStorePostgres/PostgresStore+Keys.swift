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

  package func sealLedgerAgain() async throws {
    try await write("the seal of the evidence ledger") { [ledger] transaction in
      // All lanes are held while they are sealed; whoever adds to one waits for it.
      let answers = try await transaction.run([
        Statement("SELECT id FROM evidence_ledger WHERE id = 1 FOR NO KEY UPDATE"),
        Statement("SELECT lane FROM evidence_lanes ORDER BY lane FOR NO KEY UPDATE"),
        Statement("SELECT removed, seal FROM evidence_retention FOR NO KEY UPDATE"), EvidenceSQL.heads,
      ])
      let removed = try answers[2].all("evidence_retention") { try ledger.removed($0) }.first
      var statements = try ledger.heads(answers).map { head in
        EvidenceSQL.end(head.lane, head.number, seal: try ledger.seal(head))
      }
      if let removed {
        statements.append(
          Statement(
            "UPDATE evidence_retention SET seal = ? WHERE id = 1", [try ledger.seal(removed: removed)]))
      }
      _ = try await transaction.run(statements)
    }
  }
}
