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
      let head = try ledger.head(await transaction.run(EvidenceSQL.head))
      transaction.later("UPDATE evidence_ledger SET seal = ? WHERE id = 1", [try ledger.seal(head)])
    }
  }
}
