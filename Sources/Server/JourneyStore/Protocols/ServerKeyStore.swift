/// What the rotation of server keys asks of a store: its key, and a way to carry out statements of ``ServerKeySQL``, which are
/// the same in every database.
package protocol ServerKeyStore: Sendable {
  var serverKey: ServerKey { get }

  /// An expression that gives the time of the database's machine, in seconds since 1970. It is the one clock that all servers
  /// share.
  var databaseTime: String { get }

  /// All rows of one statement.
  func keyRows<Record: Sendable>(
    _ table: String, _ sql: String, _ values: StatementValues,
    _ decode: @escaping @Sendable (StoredRow) throws -> Record
  ) async throws -> [Record]

  /// Carries out statements in one transaction, durable on return.
  ///
  /// - Returns: how many rows each has changed.
  func changeKeys(_ subject: String, _ statements: [ServerKeyStatement]) async throws -> [Int]

  /// Carries out statements in one transaction in which nobody else stores anything sealed: who is about to is waited for, and who
  /// comes later sees what was changed.
  ///
  /// - Parameters:
  ///   - counts: statements that count rows. Unless there are none, nothing is changed.
  ///   - sealsLedger: Whether the end of the evidence ledger is sealed under the key in use, and held until the end.
  /// - Returns: how many rows each statement has changed; `nil` when there were rows to count.
  func changeKeysAlone(
    _ subject: String, unless counts: [ServerKeyStatement], sealsLedger: Bool,
    _ statements: [ServerKeyStatement]
  ) async throws -> [Int]?

  /// Says durably, beside the database, which ledger it has (``LedgerMark``), under the key in use.
  func markLedger() throws

  /// Seals the end of the evidence ledger under the key in use.
  ///
  /// - Throws: ``StoreError/corrupt(_:)`` when no key that is not retired has sealed it.
  func sealLedgerAgain() async throws
}

/// A statement with places as ``StatementValues`` has them.
package struct ServerKeyStatement: Sendable {
  package let sql: String
  package let values: StatementValues

  package init(_ sql: String, _ values: StatementValues) {
    self.sql = sql
    self.values = values
  }
}
