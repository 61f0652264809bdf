internal import GRDB

extension Database {
  /// All rows of a query, or of a change that ends in `RETURNING`; the statement stays prepared.
  func all<Record>(
    _ table: String, _ sql: String, _ arguments: StatementArguments,
    _ decode: (StoredRow) throws -> Record
  ) throws -> [Record] {
    let rows = try Row.fetchCursor(cachedStatement(sql: sql), arguments: arguments)
    var records: [Record] = []
    while let row = try rows.next() {
      records.append(try decode(StoredRow(row, of: table)))
    }
    return records
  }

  /// Whether the table has a row that meets the condition.
  func exists(_ table: String, where condition: String, _ arguments: StatementArguments) throws -> Bool {
    try all(table, "SELECT EXISTS (SELECT 1 FROM \(table) WHERE \(condition))", arguments) {
      try $0.flag()
    }.first ?? false
  }

  /// How many rows the statement inserted, updated or deleted; it stays prepared.
  func change(_ sql: String, _ arguments: StatementArguments) throws -> Int {
    try cachedStatement(sql: sql).execute(arguments: arguments)
    return changesCount
  }
}
