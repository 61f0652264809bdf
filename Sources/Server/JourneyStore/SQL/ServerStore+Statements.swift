public import Foundation

extension ServerStore {
  public func look<Value>(_ question: SQLQuestion<Value>) async throws -> Value { try await read(question) }

  public func lead(of machineTime: Date) async throws -> TimeInterval { 0 }

  /// Carries out an operation that may store something sealed, as ``sealing(_:)`` explains.
  package func write<Value>(
    _ subject: @autoclosure () -> String, _ operation: () throws -> SQLOperation<Value>
  ) async throws -> Value {
    try await sealing { try await transact(subject(), operation()) }
  }

  /// Changes that need no decision and seal nothing.
  @discardableResult
  package func change<Value>(
    _ subject: @autoclosure () -> String, _ changes: SQLQuestion<Value>
  ) async throws -> Value {
    try await transact(subject(), .certain(changes))
  }

  /// - Returns: how many rows each statement has changed.
  @discardableResult
  package func change(
    _ subject: @autoclosure () -> String, _ statements: [SQLStatement]
  ) async throws -> [Int] {
    try await change(subject(), .each(statements.map(\.count)))
  }

  /// Carries out statements in one transaction during which nothing else stores anything sealed: it waits for earlier writes that seal, and
  /// later ones see its changes.
  ///
  /// - Parameters:
  ///   - counts: statements that count rows. Nothing is changed unless all counts are 0.
  ///   - sealsLedger: whether the end of the evidence ledger is sealed under the key in use, and locked until the end.
  /// - Returns: how many rows each statement has changed; `nil` when there were rows to count.
  func changeAlone(
    _ subject: String, unless counts: [SQLStatement], sealsLedger: Bool, _ statements: [SQLStatement]
  ) async throws -> [Int]? {
    let counted = SQLQuestion<(Void, [Int])>.all(.silent([KeyFence.alone]), .each(counts.map(\.integer)))
    let changes = SQLOperation.ask(.each(statements.map(\.count))) { .done(Optional($0)) }
    return try await write(subject) { [ledger] in
      .ask(counted) { _, counts in
        // The fence is locked before the ledger, as in every write that stores something sealed and adds to the ledger.
        guard counts.allSatisfy({ $0 == 0 }) else { return .done(nil) }
        return .next(sealsLedger ? EvidenceSQL.sealAgain(ledger).then { .next(changes) } : changes)
      }
    }
  }

  /// Seals the end of the evidence ledger under the key in use.
  ///
  /// - Throws: ``StoreError/corrupt(_:)`` when the present seal is not by a key that is still in force.
  func sealLedgerAgain() async throws {
    try await write("the seal of the evidence ledger") { EvidenceSQL.sealAgain(ledger) }
  }

  /// All rows of one statement.
  package func rows<Record: Sendable>(
    _ table: String, _ sql: SQL, _ values: StatementValues,
    _ decode: @escaping @Sendable (StoredRow) throws -> Record
  ) async throws -> [Record] {
    try await read(SQLStatement(sql, values).rows(of: table, decode))
  }
}
