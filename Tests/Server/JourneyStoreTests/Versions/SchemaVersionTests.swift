import BindingFormats
import CommonFixtures
import Foundation
import JourneyStore
import PostgresFixtures
import Testing

@testable import JourneyStorePostgres

/// While several servers are upgraded one after the other, servers of the version before work on the tables of the new one.
///
/// `Tests/Server/SchemaVersions` has, for each version of the schema that servers were released with, the tables that it makes,
/// and a recording of the statements that its servers send on ``StoreTour``. The present version is recorded by the test if it
/// is not yet; the test then fails once, for the new file belongs to the repository.
@Suite("Servers of an earlier version on the tables of this one") struct SchemaVersionTests {
  /// The present one, and those whose servers may still work on its tables.
  private static var versions: [Int] {
    let oldest = PostgresSchema.migrations.last?.oldest ?? 1
    return (oldest...PostgresSchema.version).filter {
      $0 == PostgresSchema.version || SchemaRecording.isKept(of: $0)
    }
  }

  @Test(arguments: versions)
  func `their statements do what they did, after their tables were brought up to date`(version: Int)
    async throws
  {
    let recording: SchemaRecording
    if let kept = try SchemaRecording(version: version) {
      recording = kept
    } else {
      recording = try await SchemaRecording.make()
      Issue.record("\(try recording.keep()) is new: add it to the repository")
    }
    let server = try await PostgresServer.shared
    let (name, folder) = (try await server.newDatabase(), TemporaryFolder())
    defer { withExtendedLifetime(folder) {} }
    let made = try await server.script(recording.tables, on: name)
    try #require(made.status == 0, "\(made.output)")
    try await PostgresStore.open(server.address(of: name), directory: folder.url).close()
    try await recording.replay(on: name, of: server)

    // And this version goes on with what they left.
    let store = try await PostgresStore.open(server.address(of: name), directory: folder.url)
    #expect(try await store.user(StoreTour.account)?.username == StoreTour.account.username)
    #expect(try await store.createSession(.sample(9)).username == StoreTour.account.username)
    try await store.close()
  }

  /// What the first server of a database makes; only whether it is there counts here.
  private static let ledger = """
    INSERT INTO evidence_ledger (id, header, seal) VALUES (1, 'header', 'seal');
    INSERT INTO server_secrets (name, sealed) VALUES ('evidence ledger key', 'sealed');
    """

  /// The migrations that come after a version, and one column more in each table: what the next version may do.
  private static func changes(after version: Int) -> [String] {
    PostgresSchema.migrations.dropFirst(version).flatMap(\.statements)
      + ["UPDATE sealring_schema SET version = \(PostgresSchema.version)"]
      + PostgresSchema.tableNames.map {
        "ALTER TABLE \($0) ADD COLUMN of_the_next_version text NOT NULL DEFAULT 'new'"
      }
  }

  @Test(arguments: versions)
  func `what they prepared before their tables were brought up to date does what it did`(version: Int)
    async throws
  {
    guard let recording = try SchemaRecording(version: version) else { return }
    let server = try await PostgresServer.shared
    let name = try await server.newDatabase()
    let made = try await server.script(recording.tables + Self.ledger, on: name)
    try #require(made.status == 0, "\(made.output)")
    let changes = Self.changes(after: version)
    if version == PostgresSchema.version { #expect(recording.namesColumns) }
    guard recording.namesColumns else {
      // Servers of that time ask for all columns, and end up with errors: `docs/scale.md` says how to get from there.
      await #expect(throws: SchemaRecording.Difference.self) {
        try await recording.replay(on: name, of: server, preparedBefore: changes)
      }
      return
    }
    try await recording.replay(on: name, of: server, preparedBefore: changes)
  }

  @Test func `a column that they cannot fill, and one that they miss, would be found`() async throws {
    let version = PostgresSchema.version
    guard let recording = try SchemaRecording(version: version) else { return }
    let server = try await PostgresServer.shared
    for change in [
      "ALTER TABLE sessions ADD COLUMN place text NOT NULL", "ALTER TABLE users DROP COLUMN mail",
      "ALTER TABLE consumed ADD CHECK (length(key) > 1000)",
    ] {
      let (name, folder) = (try await server.newDatabase(), TemporaryFolder())
      defer { withExtendedLifetime(folder) {} }
      try await PostgresStore.open(server.address(of: name), directory: folder.url).close()
      #expect(try await server.psql(name, change) == 0)
      await #expect(throws: SchemaRecording.Difference.self, "\(change)") {
        try await recording.replay(on: name, of: server)
      }
    }
  }
}
