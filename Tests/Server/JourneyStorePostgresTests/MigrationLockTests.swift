import CommonFixtures
import Concurrency
import Foundation
import JourneyStore
import JourneyStorePostgres
import Logging
import PostgresFixtures
import Testing

@Suite("A server that starts while another one changes the tables") struct MigrationLockTests {
  /// Runs `body` while somebody else holds the lock that a migration holds; `release` ends that.
  private func withLock(
    _ body: (_ address: String, _ folder: URL, _ release: @Sendable () async throws -> Void) async throws ->
      Void
  ) async throws {
    let server = try await PostgresServer.shared
    let (address, folder) = (try await server.createDatabase(), TemporaryFolder())
    defer { withExtendedLifetime(folder) {} }
    try await PostgresStore.open(address, directory: folder.url).close()
    let holder = Task {
      try await server.psql(
        on: address,
        "BEGIN; SELECT 1 FROM sealring_schema FOR UPDATE; UPDATE sealring_schema SET version = version; "
          + "SELECT pg_sleep(300); COMMIT")
    }
    let sleeper = "FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'"
    while try await server.psql(on: address, "SELECT 1 / count(*) \(sleeper)") != 0 {}
    let release: @Sendable () async throws -> Void = {
      _ = try await server.psql(on: address, "SELECT pg_terminate_backend(pid) \(sleeper)")
    }
    do { try await body(address, folder.url, release) } catch {
      try await release()
      throw error
    }
    try await release()
    _ = try await holder.value
  }

  @Test func `waits for it, says so, and starts when it is done`() async throws {
    try await withLock { address, folder, release in
      let lines = Locked<[String]>([])
      var logger = Logger(label: "test") { _ in LogRecorder(lines: lines) }
      logger.logLevel = .notice
      let opening = Task { [logger] in
        try await PostgresStore.open(address, directory: folder, logger: logger)
      }
      try await eventually("it says that it waits") {
        lines.withLock { $0.contains { $0.contains("another server") } }
      }
      try await release()
      try await opening.value.close()
      #expect(lines.withLock { $0.count { $0.contains("waiting up to 600 seconds") } } == 1)
    }
  }

  @Test func `gives up after the time that it may wait, and says for what`() async throws {
    try await withLock { address, folder, _ in
      await #expect {
        try await PostgresStore.open(address, directory: folder, limits: PostgresLimits(migration: 1)).close()
      } throws: { error in
        "\(error)".contains("for 1 seconds another server has been bringing the tables up to date")
          && "\(error)".contains("--migration-timeout")
      }
    }
  }
}
