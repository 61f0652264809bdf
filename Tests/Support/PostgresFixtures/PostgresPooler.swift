import Concurrency
import Foundation
import SoftwareTPM

/// A PgBouncer in transaction mode before one database of a server.
package final class PostgresPooler: Sendable {
  /// What libpq takes to reach the database through it.
  package let address: String
  private let database: String
  private let server: PostgresServer
  private let place: URL
  private let process: Locked<ChildProcess>

  private static let port = 6432

  fileprivate init(of server: PostgresServer, connections: Int) async throws {
    self.server = server
    database = try await server.newDatabase()
    place = server.folder.appendingPathComponent("pooler-\(database)")
    address = "postgres://postgres@/\(database)?host=\(place.path)&port=\(Self.port)"
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    try PostgresFolder.give(place)
    try """
    [databases]
    * = host=\(server.folder.path) port=\(server.port) user=postgres
    [pgbouncer]
    pool_mode = transaction
    auth_type = any
    unix_socket_dir = \(place.path)
    listen_port = \(Self.port)
    default_pool_size = \(connections)
    max_client_conn = 500
    """.write(to: place.appendingPathComponent("pgbouncer.ini"), atomically: true, encoding: .utf8)
    process = Locked(try await Self.start(place))
    try await waitForAnswer()
  }

  private static func start(_ place: URL) async throws -> ChildProcess {
    try await PostgresFolder.child(
      "pgbouncer", [place.appendingPathComponent("pgbouncer.ini").path], place)
  }

  private func waitForAnswer() async throws {
    for _ in 0..<600 {
      if try await server.psql(database, "SELECT 1", host: place.path, port: Self.port) == 0 { return }
      try await Task.sleep(for: .milliseconds(50))
    }
    throw PostgresFixtureError("pgbouncer failed: \(PostgresFolder.output(of: "pgbouncer", in: place))")
  }

  /// Ends it as a crash does, with all connections through it, and starts it again.
  package func restart() async throws {
    let old = process.withLock { $0 }
    old.kill()
    _ = await old.end()
    let new = try await Self.start(place)
    process.withLock { $0 = new }
    try await waitForAnswer()
  }

  fileprivate func end() { process.withLock { $0 }.kill() }
}

extension PostgresServer {
  /// Runs `body` with a way to a new database through PgBouncer, which has few connections for all.
  package func withPooler<Value>(
    connections: Int, _ body: (PostgresPooler) async throws -> Value
  ) async throws -> Value {
    let pooler = try await PostgresPooler(of: self, connections: connections)
    defer { pooler.end() }
    return try await body(pooler)
  }
}
