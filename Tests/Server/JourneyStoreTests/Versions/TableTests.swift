import CommonFixtures
import Foundation
import GRDB
import JourneyStorePostgres
import PostgresFixtures
import Testing

@testable import JourneyStore
@testable import JourneyStorePostgres

/// What the descriptions of tables make, beside the tables that servers have in use: `Tests/Server/SchemaVersions` has the statements that
/// made these.
@Suite("The tables that the descriptions make") struct TableTests {
  private static let folder = URL(filePath: #filePath).appending(path: "../../../SchemaVersions").standardized

  // MARK: SQLite

  /// What a SQLite database has, each fact a line.
  private func facts(_ database: DatabaseQueue) throws -> [String] {
    try database.read { db in
      func lines(_ sql: String) throws -> [String] {
        try Row.fetchAll(db, sql: sql).map { row in row.map { "\($1)" }.joined(separator: " ") }
      }
      let named =
        "FROM pragma_table_list AS t WHERE schema = 'main' AND t.name NOT LIKE 'sqlite@_%' ESCAPE '@'"
      let others = "FROM pragma_table_list AS t JOIN"
      let indexes = try lines(
        """
        SELECT 'index', t.name, CASE WHEN i.origin = 'c' THEN i.name ELSE i.origin END, i."unique", i.partial,
            (SELECT group_concat(coalesce(name, '?') || "desc" || coll || key) FROM pragma_index_xinfo(i.name))
          \(others) pragma_index_list(t.name) AS i
        """)
      let texts = try Row.fetchAll(
        db, sql: "SELECT name, sql FROM sqlite_schema WHERE type IN ('index', 'trigger') AND sql IS NOT NULL"
      ).map { row -> String in
        let text: String = row["sql"]
        return "text \(row["name"] as String) \(text.filter { !$0.isWhitespace && $0 != ";" })"
      }
      return
        (try lines("SELECT 'table', name, wr, strict \(named)")
        + lines(
          """
          SELECT 'column', t.name, c.name, c.type, "notnull", dflt_value, pk \(others) pragma_table_xinfo(t.name) AS c
          """)
        + lines(
          """
          SELECT 'reference', t.name, f."table", f."from", f."to", f.on_delete
            \(others) pragma_foreign_key_list(t.name) AS f
          """) + indexes + texts).filter { !$0.contains("grdb_migrations") }.sorted()
    }
  }

  private static func recorded() throws -> [(name: String, sql: String)] {
    let text = try String(contentsOf: folder.appending(path: "sqlite.sql"), encoding: .utf8)
    return text.components(separatedBy: "\n-- Migration ").dropFirst().map { part in
      let name = part.prefix { $0 != "\n" }
      return (String(name), String(part.dropFirst(name.count)))
    }
  }

  @Test func `on SQLite each migration makes what it made when servers were given it`() throws {
    let (recorded, made) = (try DatabaseQueue(), try DatabaseQueue())
    let migrator = StoreSchema.migrator
    let migrations = try Self.recorded()
    #expect(Array(migrator.migrations.prefix(migrations.count)) == migrations.map(\.name))
    for (name, sql) in migrations {
      try recorded.write { try $0.execute(sql: sql) }
      try migrator.migrate(made, upTo: name)
      #expect(try facts(made) == facts(recorded), "\(name)")
    }
  }

  @Test func `on SQLite a new database has what the migrations make`() throws {
    let (new, migrated) = (try DatabaseQueue(), try DatabaseQueue())
    try StoreSchema.migrate(new)
    try StoreSchema.migrator.migrate(migrated)
    #expect(try facts(new) == facts(migrated))
    #expect(try facts(new).count > 300)
    for database in [new, migrated] {
      #expect(try database.read { try StoreSchema.migrator.hasCompletedMigrations($0) })
      #expect(try database.read { try Int.fetchAll($0, sql: "SELECT version FROM realm_version") } == [0])
    }
  }

  // MARK: PostgreSQL

  /// The same of a PostgreSQL database that a script has made.
  private func facts(_ script: String, _ server: PostgresServer) async throws -> [String] {
    let name = try await server.newDatabase()
    let made = try await server.script(script, on: name)
    try #require(made.status == 0, "\(made.output)")
    let facts = try await server.script(
      """
      \\pset tuples_only on
      \\pset format unaligned
      SELECT 'column', table_name, column_name, data_type, collation_name, is_nullable, column_default
        FROM information_schema.columns WHERE table_schema = 'public';
      SELECT 'index', indexname, indexdef FROM pg_indexes WHERE schemaname = 'public';
      SELECT 'constraint', conrelid::regclass, conname, pg_get_constraintdef(oid) FROM pg_constraint
        WHERE connamespace = 'public'::regnamespace;
      SELECT 'trigger', pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal;
      SELECT 'function', proname, prosrc FROM pg_proc WHERE pronamespace = 'public'::regnamespace;
      """, on: name)
    return facts.output.split(separator: "\n").map(String.init).sorted()
  }

  private func script(_ statements: [String]) -> String {
    (PostgresSchema.versionTable + statements).map { "\($0)\n;\n" }.joined()
  }

  @Test func `on PostgreSQL the migrations make what they made when servers were given them`() async throws {
    let server = try await PostgresServer.shared
    let kept = (1...PostgresSchema.version).filter { SchemaRecording.isKept(of: $0) }
    #expect(kept.count > 6)
    for version in kept {
      let recording = try #require(try SchemaRecording(version: version))
      let migrations = PostgresSchema.migrations.prefix(version).flatMap(\.statements)
      let (made, recorded) = (
        try await facts(script(migrations), server), try await facts(recording.tables, server)
      )
      #expect(made == recorded, "version \(version)")
    }
  }

  @Test func `on PostgreSQL a new database has what the migrations make`() async throws {
    let server = try await PostgresServer.shared
    let new = try await facts(script(PostgresSchema.schema.statements), server)
    #expect(try await new == facts(script(PostgresSchema.migrations.flatMap(\.statements)), server))
    #expect(new.count > 400)
  }

  // MARK: The page

  @Test func `the page on the store has the tables as the code has them`() throws {
    let page = URL(filePath: #filePath).appending(path: "../../../../../docs/stores.md").standardized
    let text = try String(contentsOf: page, encoding: .utf8)
    #expect(
      text.contains(StoreTable.documentation), "print StoreTable.documentation, and put it into \(page.path)")
  }
}
