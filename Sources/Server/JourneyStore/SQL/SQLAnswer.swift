/// What a statement returned.
package struct SQLAnswer: Sendable {
  /// What was done, such as `UPDATE` or `COMMIT`, where the database says it.
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
    try rows.map { try decode(StoredRow(AnswerRow(columns: columns, values: $0), of: table)) }
  }

  package func first<Record>(_ table: String, _ decode: (StoredRow) throws -> Record) throws -> Record? {
    try rows.first.map { try decode(StoredRow(AnswerRow(columns: columns, values: $0), of: table)) }
  }

  /// The only column of the first row, as a flag; `false` without a row.
  package func flag() throws -> Bool { try first("") { try $0.flag() } ?? false }

  /// The only column of the first row, as a number; 0 without a row.
  package func integer() throws -> Int { try first("") { try $0.integer() } ?? 0 }
}

/// Records are read in the order of their columns, so the next column is looked at first.
private final class AnswerRow: RowSource {
  let columnNames: [String]
  private let values: [StoredValue]
  private var next = 0

  init(columns: [String], values: [StoredValue]) {
    columnNames = columns
    self.values = values
  }

  func value(_ column: String) -> StoredValue? {
    guard let index = index(of: column) else { return nil }
    next = index + 1
    return values[index]
  }

  private func index(of column: String) -> Int? {
    if next < columnNames.count, columnNames[next] == column { return next }
    // Of a column that is read twice, such as one that may be absent.
    if next > 0, columnNames[next - 1] == column { return next - 1 }
    return columnNames.firstIndex(of: column)
  }
}
