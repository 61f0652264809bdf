/// A statement with its values.
package struct SQLStatement: Sendable {
  package let sql: SQL
  package let values: StatementValues

  /// Whether the operation's remaining questions are pointless unless this statement's answer is one row. A database that executes
  /// statements one by one then skips them.
  package private(set) var isDecisive = false

  package init(_ sql: SQL, _ values: StatementValues = []) {
    self.sql = sql
    self.values = values
  }

  var decisive: SQLStatement {
    var statement = self
    statement.isDecisive = true
    return statement
  }
}

// MARK: - Rows

extension SQLStatement {
  package static func insert(_ row: StatementValues, into table: String, onConflict: String = "")
    -> SQLStatement
  {
    SQLStatement(
      SQL("INSERT INTO \(table) (\(row.columns)) VALUES (\(row.places)) \(onConflict)"),
      StatementValues(row.values))
  }

  /// Inserts a row that belongs to an account, with realm and name as the account's own record spells them; no row when
  /// there is no such account.
  ///
  /// - Parameter id: the id that the account must have; `nil` for any.
  static func insert(
    _ row: StatementValues, into table: String, of key: AccountKey, id: String? = nil, onConflict: String = ""
  ) -> SQLStatement {
    insert(
      row, into: table,
      from:
        "users WHERE realm_key = ? AND name_key = ? \(id == nil ? "" : "AND account_id = ? ")\(onConflict)",
      id.map { [key.realm, key.name, $0] } ?? key.values)
  }

  /// Inserts a row that begins with columns of a row of `source`; no row when `source` has none.
  ///
  /// - Parameters:
  ///   - owner: the columns of `source` for the keys and the names of realm and account.
  ///   - source: a table and a condition, whose placeholders take `values`.
  static func insert(
    _ row: StatementValues, into table: String, of owner: String = "realm_key, name_key, realm, username",
    from source: SQL, _ values: StatementValues
  ) -> SQLStatement {
    SQLStatement(
      """
      INSERT INTO \(table) (realm_key, name_key, realm, username, \(row.columns))
      SELECT \(owner), \(row.places) FROM \(source)
      """, StatementValues(row.values) + values)
  }

  /// Deletes the rows of an account, and of nobody else.
  static func delete(from table: String, of key: AccountKey) -> SQLStatement {
    SQLStatement(SQL("DELETE FROM \(table) WHERE realm_key = ? AND name_key = ?"), key.values)
  }

  // MARK: Locks

  /// Locks an account, and what belongs to it, against changes by others. The answer is one row when the account exists and has that id.
  ///
  /// - Parameter id: `nil` for any.
  static func lock(_ key: AccountKey, id: String? = nil) -> SQLStatement {
    SQLStatement(lockAccount, [key.realm, key.name, id])
  }

  private static let lockAccount: SQL = """
    SELECT true FROM users WHERE realm_key = ?1 AND name_key = ?2 AND (?3 IS NULL OR account_id = ?3) \(.held)
    """

  /// Like ``lock(_:id:)``, for callers that do not need the answer. SQLite has nothing to do for it.
  static func hold(_ key: AccountKey) -> SQLStatement {
    SQLStatement(holdAccount, [key.realm, key.name, String?.none])
  }

  private static let holdAccount = SQL(sqlite: "", postgres: lockAccount.postgres)

  /// Locks what is counted for a name against changes by others, whether or not an account has the name. The row stays until
  /// ``ServerStore/removeExpired(now:)``.
  static func lock(name key: AccountKey, _ now: Double) -> SQLStatement {
    SQLStatement(lockName, [key.realm, key.name, now])
  }

  private static let lockName = SQL(
    sqlite: "",
    postgres: """
      INSERT INTO locked_names (realm_key, name_key, latest) VALUES (?1, ?2, ?3)
      ON CONFLICT (realm_key, name_key) DO UPDATE SET latest = ?3
      """)
}

// MARK: - What is asked

extension SQLStatement {
  /// All rows.
  package func rows<Record: Sendable>(
    of table: String, _ decode: @escaping @Sendable (StoredRow) throws -> Record
  ) -> SQLQuestion<[Record]> {
    SQLQuestion([self]) { try $0[$0.startIndex].all(table, decode) }
  }

  /// The first row; `nil` when there is none.
  package func row<Record: Sendable>(
    of table: String, _ decode: @escaping @Sendable (StoredRow) throws -> Record
  ) -> SQLQuestion<Record?> {
    SQLQuestion([self]) { try $0[$0.startIndex].first(table, decode) }
  }

  package func rows<Record: StoredRecord>(of _: Record.Type) -> SQLQuestion<[Record]> {
    rows(of: Record.table.name, Record.init)
  }

  package func row<Record: StoredRecord>(of _: Record.Type) -> SQLQuestion<Record?> {
    row(of: Record.table.name, Record.init)
  }

  /// The only column of the first row, as a flag; `false` without a row.
  package var flag: SQLQuestion<Bool> { row(of: "") { try $0.flag() }.map { $0 ?? false } }

  /// The only column of the first row, as a number; 0 without a row.
  package var integer: SQLQuestion<Int> { row(of: "") { try $0.integer() }.map { $0 ?? 0 } }

  /// How many rows it inserted, updated or deleted.
  package var count: SQLQuestion<Int> { SQLQuestion([self]) { $0[$0.startIndex].count } }

  /// Whether it changed one row.
  package var isDone: SQLQuestion<Bool> { SQLQuestion([self]) { $0[$0.startIndex].count == 1 } }
}
