internal import Foundation
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
    let statement = try cachedStatement(sql: sql)
    let rows = try Row.fetchCursor(statement, arguments: values.arguments)
    let names = statement.columnNames
    while let row = try rows.next() {
      try visit(StoredRow(SQLiteRow(row: row, columnNames: names), of: table))
    }
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
    try cachedStatement(sql: sql).execute(arguments: values.arguments)
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

extension StatementValues {
  fileprivate var arguments: StatementArguments {
    let values = values.map(\.databaseValue)
    return names.isEmpty
      ? StatementArguments(values) : StatementArguments(Dictionary(uniqueKeysWithValues: zip(names, values)))
  }
}

extension StoredValue {
  var databaseValue: DatabaseValue {
    switch self {
    case .null: .null
    case .flag(let value): value.databaseValue
    case .integer(let value): value.databaseValue
    case .real(let value): value.databaseValue
    case .text(let value): value.databaseValue
    case .bytes(let value): Data(value).databaseValue
    }
  }
}

/// A row of a statement. Records are read in the order of their columns, so the next column is looked at first.
private final class SQLiteRow: RowSource {
  let columnNames: [String]
  private let row: Row
  private var last = 0

  init(row: Row, columnNames: [String]) {
    self.row = row
    self.columnNames = columnNames
  }

  func value(_ column: String) -> StoredValue? {
    guard let index = index(of: column) else { return nil }
    last = index
    return switch (row[index] as DatabaseValue).storage {
    case .null: .null(.text)
    case .int64(let value): .integer(value)
    case .double(let value): .real(value)
    case .string(let value): .text(value)
    case .blob(let value): .bytes([UInt8](value))
    }
  }

  private func index(of column: String) -> Int? {
    for index in last..<min(last + 2, columnNames.count) where columnNames[index] == column { return index }
    return columnNames.firstIndex(of: column)
  }
}
