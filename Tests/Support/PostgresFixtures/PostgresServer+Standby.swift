import Foundation
import SoftwareTPM

extension PostgresServer {
  /// Runs `body` with a standby of this server, which follows it by streaming replication.
  ///
  /// - Parameter isSynchronous: whether a commit at this server returns only when the standby has it, too.
  package func withStandby<Value>(
    isSynchronous: Bool, _ body: (PostgresServer) async throws -> Value
  ) async throws -> Value {
    let place = try PostgresFolder.make()
    let copied = try await PostgresFolder.child(
      "pg_basebackup",
      [
        "-h", folder.path, "-p", "\(port)", "-U", "postgres", "-D", "\(place.path)/data", "-R", "-X",
        "stream",
        "-c", "fast", "--no-sync",
      ], place)
    guard await copied.end() == 0 else {
      throw PostgresFixtureError(
        "pg_basebackup failed: \(PostgresFolder.output(of: "pg_basebackup", in: place))")
    }
    let standby = try await Self.serve(place, port: Self.standardPort)
    defer { standby.end() }
    if isSynchronous {
      try await psql("postgres", "ALTER SYSTEM SET synchronous_standby_names = '*'")
      try await psql("postgres", "SELECT pg_reload_conf()")
      try await wait(until: "SELECT count(*) = 1 FROM pg_stat_replication WHERE sync_state = 'sync'")
    }
    return try await body(standby)
  }

  /// Makes a standby the primary, and waits until it takes writes.
  package func promote() async throws {
    try await psql("postgres", "SELECT pg_promote()")
    try await wait(until: "SELECT NOT pg_is_in_recovery()")
  }
}
