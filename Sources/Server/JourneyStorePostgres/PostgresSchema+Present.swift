internal import JourneyStore

extension PostgresSchema {
  /// What a database says about its tables; the default values stand for a database that says nothing.
  struct Present: Sendable {
    var version = 0

    /// The oldest version of the schema whose servers can use the tables.
    var oldest = 1

    static func question(_ lock: String = "") -> SQLQuestion<Present?> {
      SQLStatement(SQL("SELECT version, oldest FROM sealring_schema WHERE id = 1 \(lock)"))
        .row(of: "sealring_schema") { row in
          Present(version: try row.integer("version"), oldest: try row.integer("oldest"))
        }
    }
  }
}

extension PostgresTransaction {
  /// - Returns: `nil` when the server's tables are not there.
  func schema() async throws -> PostgresSchema.Present? {
    guard try await tables(["sealring_schema"]) == ["sealring_schema"],
      let present = try await ask(PostgresSchema.Present.question()), present.version > 0
    else { return nil }
    return present
  }

  /// The subset of `names` that are tables of the database, in the same order.
  func tables(_ names: [String]) async throws -> [String] {
    let list = names.map { "('\($0)')" }.joined(separator: ", ")
    let there = try await ask(
      SQLStatement("SELECT name FROM (VALUES \(list)) AS t (name) WHERE to_regclass(name) IS NOT NULL")
        .rows(of: "pg_class") { try $0.text() })
    return names.filter(there.contains)
  }

  /// The tables that a server needs and the database does not have.
  func missingTables() async throws -> [String] {
    let present = try await tables(PostgresSchema.tableNames)
    return PostgresSchema.tableNames.filter { !present.contains($0) }
  }
}
