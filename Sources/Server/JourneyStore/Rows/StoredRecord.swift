/// A record that is read from the rows of one table.
package protocol StoredRecord: Sendable {
  static var table: StoreTable { get }

  init(_ row: StoredRow) throws
}

extension StoredRecord {
  /// The columns by name, in the order in which they are read. A column that a later version adds does not change the answer.
  package static var columns: String { table.readColumns }

  /// - Parameter condition: may be followed by an order and a limit.
  static func all(where condition: SQL, _ values: StatementValues) -> SQLQuestion<[Self]> {
    select(condition, values).rows(of: Self.self)
  }

  static func first(where condition: SQL, _ values: StatementValues) -> SQLQuestion<Self?> {
    select(condition, values).row(of: Self.self)
  }

  private static func select(_ condition: SQL, _ values: StatementValues) -> SQLStatement {
    SQLStatement("SELECT \(columns) FROM \(table.name) WHERE \(condition)", values)
  }

  /// The record as a change leaves it, or as it was when it is removed.
  static func first(of change: SQL, _ values: StatementValues) -> SQLQuestion<Self?> {
    SQLStatement("\(change) RETURNING \(columns)", values).row(of: Self.self)
  }
}
