internal import GRDB

extension Database {
  /// All rows of a query, or of a change that ends in `RETURNING`; the statement stays prepared.
  func all<Record>(
    _ table: String, _ sql: String, _ values: StatementValues, _ decode: (StoredRow) throws -> Record
  ) throws -> [Record] {
    var records: [Record] = []
    try each(table, sql, values) { records.append(try decode($0)) }
    return records
  }

  /// Looks at one row after the other, and holds one at a time.
  func each(
    _ table: String, _ sql: String, _ values: StatementValues, _ visit: (StoredRow) throws -> Void
  ) throws {
    try PreparedStatement(sql, in: self).run(values) { row in try visit(StoredRow(row, of: table)) }
  }

  /// Whether the table has a row that meets the condition.
  func exists(_ table: String, where condition: String, _ values: StatementValues) throws -> Bool {
    try all(table, "SELECT EXISTS (SELECT 1 FROM \(table) WHERE \(condition))", values) { try $0.flag() }
      .first ?? false
  }

  /// The only column of the only row.
  func flag(_ statement: SharedStatement) throws -> Bool {
    try all("", statement.sql, statement.values) { try $0.flag() }.first ?? false
  }

  /// How many rows the statement inserted, updated or deleted; it stays prepared.
  @discardableResult
  func change(_ sql: String, _ values: StatementValues) throws -> Int {
    try PreparedStatement(sql, in: self).run(values) { _ in }
    return changesCount
  }

  func insert(_ row: NewRow, into table: String) throws {
    try change("INSERT INTO \(table) (\(row.columns)) VALUES (\(row.places))", StatementValues(row.values))
  }

  /// Inserts a row that belongs to an account, with realm and name as the account's own record spells them.
  ///
  /// - Returns: whether there is such an account.
  func insert(_ row: NewRow, into table: String, of account: AccountKey) throws -> Bool {
    try change(
      """
      INSERT INTO \(table) (realm_key, name_key, realm, username, \(row.columns))
      SELECT realm_key, name_key, realm, username, \(row.places)
        FROM users WHERE realm_key = ? AND name_key = ?
      """, StatementValues(row.values) + [account.realm, account.name]) == 1
  }
}
