/// The tables of one kind of database, as a list of migrations that only ever grows: the changes that ``StoreTable/all`` describes for each
/// version, and the statements for what descriptions cannot express.
///
/// A new database gets everything at once, others what they lack; both end with the same tables.
package struct TableSchema: Sendable {
  /// What a version needs besides tables, columns and indexes.
  package struct Step: Sendable {
    fileprivate let name: String
    fileprivate let oldest: Int
    fileprivate let before: [String]
    fileprivate let after: [String]
    fileprivate let always: [String]

    /// - Parameters:
    ///   - oldest: The oldest version whose servers can keep using the tables afterwards.
    ///   - before: Statements for existing tables, before all others.
    ///   - after: Statements that need the version's tables and columns.
    ///   - always: Statements that a new database needs, too, such as first rows and triggers.
    package init(
      _ name: String, oldest: Int = 1, before: [String] = [], after: [String] = [], always: [String] = []
    ) {
      (self.name, self.oldest, self.before, self.after, self.always) = (name, oldest, before, after, always)
    }
  }

  package struct Migration: Sendable {
    package let name: String
    package let oldest: Int
    package let statements: [String]
  }

  package let migrations: [Migration]

  /// The statements that make all tables in an empty database.
  package let statements: [String]

  /// The names of the tables. A table comes before those that refer to it.
  package let tableNames: [String]

  package init(_ kind: StoreKind, _ steps: [Step]) {
    let tables = StoreTable.all.filter { $0.since[kind] != nil }
    tableNames = tables.map(\.name)
    statements =
      tables.flatMap { table in [table.creation(in: kind)] + table.indexes(in: kind) { _ in true } }
      + steps.flatMap(\.always)
    migrations = steps.enumerated().map { number, step in
      let changes = tables.map { $0.change(to: number + 1, in: kind) }
      return Migration(
        name: step.name, oldest: step.oldest,
        statements: step.before + changes.flatMap(\.first) + changes.flatMap(\.then) + step.after
          + step.always)
    }
  }
}

extension StoreTable {
  fileprivate func creation(in kind: StoreKind, upTo version: Int = .max) -> String {
    let definitions =
      columns.compactMap { column in
        self.version(of: column, in: kind).flatMap { since in
          since <= version ? column.definition(in: kind, isAdded: since != self.since[kind]) : nil
        }
      } + constraints.filter { $0.only ?? kind == kind }.map(\.sql)
    let options = kind == .sqlite ? " STRICT\(isItsIndex ? ", WITHOUT ROWID" : "")" : ""
    return "CREATE TABLE \(name) (\n  \(definitions.joined(separator: ",\n  ")))\(options)"
  }

  fileprivate func indexes(in kind: StoreKind, _ isMeant: (Int) -> Bool) -> [String] {
    indexes.filter { self.version(of: $0, in: kind).map(isMeant) ?? false }.map {
      "CREATE INDEX \($0.name) ON \(name) \($0.sql)"
    }
  }

  /// The changes of a version to the table. An index of a table that gets no column is made first: it takes time, and the locks that keep
  /// everybody out come after it.
  fileprivate func change(to version: Int, in kind: StoreKind) -> (first: [String], then: [String]) {
    let new = indexes(in: kind) { $0 == version }
    guard since[kind] != version else { return ([], [creation(in: kind, upTo: version)] + new) }
    let columns = columns.filter { self.version(of: $0, in: kind) == version }.map {
      "ALTER TABLE \(name) ADD COLUMN \($0.definition(in: kind, isAdded: true))"
    }
    return columns.isEmpty ? (new, []) : ([], columns + new)
  }
}
