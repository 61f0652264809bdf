@testable import JourneyStore

extension StoreTable {
  /// The part of `docs/stores.md` that describes the tables.
  static var documentation: String {
    all.map { table in
      let columns = table.columns.map { column in
        let versions = table.kinds.map { ($0, table.version(of: column, in: $0)) }
        let marks = versions.compactMap { kind, version -> String? in
          guard let version else { return "not on \(kind.title)" }
          return version == table.since[kind] ? nil : "since \(kind.title) \(version)"
        }
        return "`\(column.name)` \(column.type.rawValue)\(column.isOptional ? "?" : "")"
          + (marks.isEmpty ? "" : " (\(marks.joined(separator: ", ")))")
      }
      let rules =
        table.constraints.map { ($0.sql, $0.only) }
        + table.indexes.map { index in
          let kinds = StoreKind.allCases.filter { table.version(of: index, in: $0) != nil }
          return ("INDEX \(index.sql)", kinds.count == 1 && table.kinds.count > 1 ? kinds[0] : nil)
        }
      return """
        ### `\(table.name)`

        \(table.note) Since \(table.kinds.map { "\($0.title) \(table.since[$0] ?? 0)" }.joined(separator: ", ")).

        \(columns.joined(separator: ", "))

        \(rules.map { "- `\($0)`\($1.map { " (\($0.title))" } ?? "")" }.joined(separator: "\n"))

        """
    }.joined(separator: "\n")
  }

  private var kinds: [StoreKind] { StoreKind.allCases.filter { since[$0] != nil } }
}

extension StoreKind {
  fileprivate var title: String {
    switch self {
    case .sqlite: "SQLite"
    case .postgres: "PostgreSQL"
    }
  }
}
