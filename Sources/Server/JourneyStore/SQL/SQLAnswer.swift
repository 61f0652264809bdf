/// What a statement returned.
package struct SQLAnswer: Sendable {
  /// The command that was executed, such as `UPDATE` or `COMMIT`, if the database reports it.
  package var command = ""

  /// How many rows were inserted, updated, deleted or selected.
  package var count = 0
  package var columns: [String] = []
  package var rows: [[StoredValue]] = []

  package init() {}

  /// The rows, read by `decode`.
  package func all<Record>(_ table: String, _ decode: (StoredRow) throws -> Record) throws -> [Record] {
    try rows.map { try decode(StoredRow(columns, $0, of: table)) }
  }

  package func first<Record>(_ table: String, _ decode: (StoredRow) throws -> Record) throws -> Record? {
    try rows.first.map { try decode(StoredRow(columns, $0, of: table)) }
  }
}
