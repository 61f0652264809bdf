internal import GRDB

extension Database {
  /// All rows of a query, or of a change that ends in `RETURNING`; the statement stays prepared.
  func all<Record>(
    _ table: String, _ sql: String, _ arguments: StatementArguments,
    _ decode: (inout StoredRow) throws -> Record
  ) throws -> [Record] {
    let rows = try Row.fetchCursor(cachedStatement(sql: sql), arguments: arguments)
    var records: [Record] = []
    while let row = try rows.next() {
      var stored = StoredRow(row, of: table)
      records.append(try decode(&stored))
    }
    return records
  }

  /// How many rows the statement inserted, updated or deleted; it stays prepared.
  func change(_ sql: String, _ arguments: StatementArguments) throws -> Int {
    try cachedStatement(sql: sql).execute(arguments: arguments)
    return changesCount
  }
}
