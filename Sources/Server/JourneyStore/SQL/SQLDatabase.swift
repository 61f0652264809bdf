package import Foundation

/// A database, as everything above SQL sees it. Each kind has a driver: GRDB carries out statements for ``SQLiteStore``, libpq for
/// PostgreSQL.
package protocol SQLDatabase: Sendable {
  /// Encrypts what is secret in the rows.
  var serverKey: ServerKey { get }

  /// Reads. Each statement sees one moment of the database, the next one perhaps a later one.
  func read<Value>(_ question: SQLQuestion<Value>) async throws -> Value

  /// The same for a few rows that are found by their keys: fast enough for the thread of the task.
  func look<Value>(_ question: SQLQuestion<Value>) async throws -> Value

  /// Carries out an operation in one transaction, durable on return.
  ///
  /// - Parameter subject: what it stores, for errors.
  func transact<Value>(
    _ subject: @autoclosure () -> String, _ operation: SQLOperation<Value>
  ) async throws -> Value

  /// How far a machine's clock is ahead of the database's, which all servers share. Seconds, never negative.
  func lead(of machineTime: Date) async throws -> TimeInterval

  /// Seals the end of the evidence ledger, and what retention has removed, under the key in use, and holds it until the end.
  ///
  /// - Throws: ``StoreError/corrupt(_:)`` when no key that is not retired has sealed it.
  var sealingLedgerAgain: SQLOperation<Void> { get }

  /// Says durably, beside the database, which ledger it has (``LedgerMark``), under the key in use.
  func markLedger() throws
}

extension SQLDatabase {
  package func look<Value>(_ question: SQLQuestion<Value>) async throws -> Value { try await read(question) }

  package func lead(of machineTime: Date) async throws -> TimeInterval { 0 }

  /// Carries out an operation that may store something sealed; ``sealing(_:)`` says what that means.
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
    try await change(subject(), .counts(statements))
  }

  /// Carries out statements in one transaction in which nobody else stores anything sealed: who is about to is waited for, and who
  /// comes later sees what was changed.
  ///
  /// - Parameters:
  ///   - counts: statements that count rows. Unless there are none, nothing is changed.
  ///   - sealsLedger: Whether the end of the evidence ledger is sealed under the key in use, and held until the end.
  /// - Returns: how many rows each statement has changed; `nil` when there were rows to count.
  func changeAlone(
    _ subject: String, unless counts: [SQLStatement], sealsLedger: Bool, _ statements: [SQLStatement]
  ) async throws -> [Int]? {
    let counted = SQLQuestion<(Void, [Int])>.all(.silent([KeyFence.alone]), .each(counts.map(\.integer)))
    let changes = SQLOperation.ask(.counts(statements)) { .done(Optional($0)) }
    return try await write(subject) { [sealingLedgerAgain] in
      .ask(counted) { _, counts in
        // The fence before the ledger, as everybody who stores something sealed and adds to the ledger.
        guard counts.allSatisfy({ $0 == 0 }) else { return .done(nil) }
        return .next(sealsLedger ? sealingLedgerAgain.then { .next(changes) } : changes)
      }
    }
  }

  /// Seals the end of the evidence ledger under the key in use.
  ///
  /// - Throws: ``StoreError/corrupt(_:)`` when no key that is not retired has sealed it.
  func sealLedgerAgain() async throws {
    try await write("the seal of the evidence ledger") { sealingLedgerAgain }
  }

  /// All rows of one statement.
  package func rows<Record: Sendable>(
    _ table: String, _ sql: SQL, _ values: StatementValues,
    _ decode: @escaping @Sendable (StoredRow) throws -> Record
  ) async throws -> [Record] {
    try await read(SQLStatement(sql, values).rows(of: table, decode))
  }
}
