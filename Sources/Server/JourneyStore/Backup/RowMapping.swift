package import EvidenceLedger

/// How rows of a backup become rows of a table in another database.
package struct RowMapping: Sendable {
  /// The columns that get a value, and the index of the value in a row of the backup.
  private let places: [(index: Int, column: StoredTable.Column)]
  private let table: String

  /// Tables and columns that only one kind of database has, and the other does not need: rows that are locked, and the order of rows.
  private static let (ownTables, ownColumns): (Set, Set) = (["locked_names"], ["added_at"])

  /// Tables that SQLite does not have, and whose rows cannot be left out.
  private static let ofLanes: Set = ["evidence_lanes", "evidence_epochs"]

  /// The error for a ledger with several lanes, which SQLite does not have.
  package static var hasLanes: StoreError {
    .unavailable(
      "the backup's ledger has several lanes (--ledger-lanes), which SQLite does not have; restore it into PostgreSQL, "
        + "or check it with --check --database and an empty database")
  }

  /// - Throws: ``StoreError/unavailable(_:)`` for a row of a table that the database does not have and cannot leave out.
  package static func requireNoRow(of table: StoredTable) throws {
    guard ofLanes.contains(table.name) else { return }
    throw hasLanes
  }

  /// - Parameter known: the table of the database; `nil` when it has none.
  /// - Throws: ``StoreError/unavailable(_:)`` when something in the backup has no place in the database.
  package static func make(_ archived: StoredTable, to known: StoredTable?) throws -> RowMapping? {
    guard let known else {
      guard ownTables.contains(archived.name) || ofLanes.contains(archived.name) else {
        throw StoreError.unavailable(
          "the backup has a table \(archived.name), which this version does not know")
      }
      return nil
    }
    let places = try archived.columns.enumerated().compactMap { index, column in
      if let own = known.columns.first(where: { $0.name == column.name }) { return (index, own) }
      guard ownColumns.contains(column.name) else {
        throw StoreError.unavailable(
          "the backup's table \(archived.name) has a column \(column.name), which this version does not know")
      }
      return nil
    }
    return RowMapping(places: places, table: archived.name)
  }

  package func row(_ row: [StoredValue]) throws -> [StoredValue] {
    try places.map { index, column in
      guard index < row.count, let value = row[index].converted(to: column.kind) else {
        throw StoreError.corrupt("the backup: a value of \(table).\(column.name) is of another type")
      }
      return value
    }
  }

  /// The index of the column in the values of ``row(_:)``; `nil` when they do not have it.
  func index(of column: String) -> Int? { places.firstIndex { $0.column.name == column } }

  package var insertion: String {
    let names = places.map(\.column.name).joined(separator: ", ")
    let marks = places.map { _ in "?" }.joined(separator: ", ")
    return "INSERT INTO \(table) (\(names)) VALUES (\(marks))"
  }
}

/// The ledger in a database that was restored: its whole chain was verified.
package struct RestoredLedger: Sendable, Hashable {
  package let fingerprint: String
  package let entries: Int64
  package let head: String

  package init(_ ledger: SealedLedger, _ chain: EvidenceChain) {
    (fingerprint, entries, head) = (ledger.fingerprint.text, chain.count, chain.head.text)
  }
}
