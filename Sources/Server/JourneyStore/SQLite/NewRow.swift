internal import GRDB

/// A row to be inserted: every column's name beside its value.
struct NewRow: Sendable {
  private let values: [(column: String, value: DatabaseValue)]

  init(_ values: KeyValuePairs<String, (any DatabaseValueConvertible)?>) {
    self.values = values.map { ($0.key, $0.value?.databaseValue ?? .null) }
  }

  fileprivate var columns: String { values.map(\.column).joined(separator: ", ") }
  fileprivate var places: String { values.map { _ in "?" }.joined(separator: ", ") }
  fileprivate var arguments: StatementArguments { StatementArguments(values.map(\.value)) }

  /// The value of a column; nothing for one that the row does not set.
  subscript(column: String) -> DatabaseValue { values.first { $0.column == column }?.value ?? .null }
}

extension Database {
  func insert(_ row: NewRow, into table: String) throws {
    _ = try change("INSERT INTO \(table) (\(row.columns)) VALUES (\(row.places))", row.arguments)
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
      """, row.arguments + [account.realm, account.name]) == 1
  }
}
