/// What a statement returned.
package struct SQLAnswer: Sendable {
  /// The command that was executed, such as `UPDATE` or `COMMIT`, if the database reports it.
  package let command: String

  /// How many rows were inserted, updated, deleted or selected.
  package let count: Int
  package let columns: [String]
  package let rows: [[StoredValue]]

  package init(
    command: String = "", count: Int = 0, columns: [String] = [], rows: [[StoredValue]] = []
  ) {
    self.command = command
    self.count = count
    self.columns = columns
    self.rows = rows
  }

  /// The rows, read by `decode`.
  package func all<Record>(_ table: String, _ decode: (StoredRow) throws -> Record) throws -> [Record] {
    try rows.map { try decode(StoredRow(columns, $0, of: table)) }
  }

  package func first<Record>(_ table: String, _ decode: (StoredRow) throws -> Record) throws -> Record? {
    try rows.first.map { try decode(StoredRow(columns, $0, of: table)) }
  }
}
