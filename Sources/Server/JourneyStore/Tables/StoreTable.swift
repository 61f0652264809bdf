/// One table of the store, for every kind of database. Both schemas, the columns that are read, the order of a backup and
/// `docs/stores.md` come from these descriptions.
///
/// `realm_key` and `name_key` are the folded names of ``AccountKey``; `realm` and `username` keep the given spelling. In tables whose rows
/// have a realm and an account, every key begins with these, so that the tables can be spread over machines by them; `docs/scale.md` lists
/// the others.
package struct StoreTable: Sendable {
  package let name: String

  /// What it holds, a sentence for the documentation.
  package let note: String
  package let since: SchemaSince

  /// The columns, in the order in which SQLite's tables got them.
  package let columns: [StoreColumn]
  let constraints: [TableConstraint]
  let indexes: [TableIndex]

  /// The columns that a record is read from, as a statement lists them: all but those that only find and sort rows.
  package let readColumns: String

  /// Whether SQLite keeps the rows only in the tree of their key (`WITHOUT ROWID`).
  let isItsIndex: Bool

  init(
    _ name: String, _ note: String, since: SchemaSince = .first, _ columns: [StoreColumns],
    _ constraints: [TableConstraint], isItsIndex: Bool = false, _ indexes: TableIndex...
  ) {
    (self.name, self.note, self.since, self.constraints) = (name, note, since, constraints)
    (self.isItsIndex, self.indexes) = (isItsIndex, indexes)
    self.columns = columns.flatMap(\.all)
    readColumns = self.columns.map(\.name).filter {
      !["realm_key", "name_key", "added_at", "refreshed_at"].contains($0)
    }.joined(separator: ", ")
  }

  /// The columns that tell its rows apart in every kind of database.
  var key: [String] { constraints.last { !$0.key.isEmpty }?.key ?? [] }

  /// When the column appeared in a kind of database; `nil` when it has none.
  package func version(of column: StoreColumn, in kind: StoreKind) -> Int? {
    guard let table = since[kind] else { return nil }
    return column.since.map { $0[kind].map { max($0, table) } } ?? table
  }

  /// When the index appeared in a kind of database; `nil` when it has none.
  func version(of index: TableIndex, in kind: StoreKind) -> Int? {
    index.since.map { $0[kind] } ?? since[kind]
  }
}

/// The migration of each kind of database that made something; the first is 1.
package struct SchemaSince: Sendable, Hashable {
  let sqlite: Int?
  let postgres: Int?

  /// - Parameters:
  ///   - sqlite: `nil` for what SQLite does not have.
  ///   - postgres: `nil` for what PostgreSQL does not have.
  init(_ sqlite: Int?, _ postgres: Int?) { (self.sqlite, self.postgres) = (sqlite, postgres) }

  static let first = SchemaSince(1, 1)

  package subscript(kind: StoreKind) -> Int? {
    switch kind {
    case .sqlite: sqlite
    case .postgres: postgres
    }
  }
}

/// A constraint of a table: its key, its unique values, or the rows of another table that its own belong to.
struct TableConstraint: Sendable {
  let sql: String

  /// The columns of a key; empty for other constraints.
  var key: [String] = []

  /// The one kind of database that has it; `nil` for all.
  var only: StoreKind?

  static func key(_ columns: String..., only: StoreKind? = nil) -> TableConstraint {
    TableConstraint(sql: "PRIMARY KEY (\(columns.joined(separator: ", ")))", key: columns, only: only)
  }

  static func unique(_ columns: String..., only: StoreKind? = nil) -> TableConstraint {
    TableConstraint(sql: "UNIQUE (\(columns.joined(separator: ", ")))", only: only)
  }

  /// The rows are deleted with those of another table.
  static func goesWith(
    _ table: String, _ columns: [String], _ others: [String], only: StoreKind? = nil
  ) -> TableConstraint {
    TableConstraint(
      sql: "FOREIGN KEY (\(columns.joined(separator: ", "))) REFERENCES \(table) "
        + "(\(others.joined(separator: ", "))) ON DELETE CASCADE", only: only)
  }

  static let goesWithAccount = goesWith("users", ["realm_key", "name_key"], ["realm_key", "name_key"])
}

struct TableIndex: Sendable {
  let name: String

  /// The columns or expressions, and the condition.
  let sql: String

  /// `nil` for an index that came with its table.
  let since: SchemaSince?

  init(_ name: String, _ columns: String, where condition: String? = nil, since: SchemaSince? = nil) {
    (self.name, self.since) = (name, since)
    sql = "(\(columns))\(condition.map { " WHERE \($0)" } ?? "")"
  }
}
