import BindingFormats
import CommonFixtures
import Foundation
import JourneyStore
import PostgresFixtures
import Testing

@testable import JourneyStorePostgres

/// While several servers are upgraded one after the other, servers of the version before work on the tables of the new one.
///
/// `Tests/Server/SchemaVersions` has for each version of the schema the tables that it makes, and a recording of the statements
/// that its servers send on ``StoreTour``. A version without a recording is recorded by the test, which then fails once: the
/// new file belongs to the repository.
@Suite("Servers of an earlier version on the tables of this one") struct SchemaVersionTests {
  private static var oldest: Int { PostgresSchema.migrations.last?.oldest ?? 1 }

  @Test(arguments: oldest...PostgresSchema.version)
  func `their statements do what they did, after their tables were brought up to date`(version: Int)
    async throws
  {
    let recording: SchemaRecording
    if let kept = try SchemaRecording(version: version) {
      recording = kept
    } else {
      try #require(version == PostgresSchema.version, "the recording of version \(version) is missing")
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
