import Concurrency
import Foundation
import SoftwareTPM

/// A PostgreSQL of one test's own: a new cluster in a temporary folder, which nobody reaches but through a socket in it. The
/// kernel ends it with the test's process.
///
/// PostgreSQL does not run as root, so where tests do, it runs as the user `postgres`.
package final class PostgresServer: Sendable {
  private let folder: URL
  private let process: ChildProcess
  private let databases = Locked(0)

  private init(_ folder: URL, _ process: ChildProcess) {
    self.folder = folder
    self.process = process
  }

  /// The one that tests share which need no more than a database. It ends with the process.
  package static var shared: PostgresServer {
    get async throws { try await sharedStart.value }
  }

  private static let sharedStart = Task { try await start() }

  /// Runs `body` with a server.
  ///
  /// - Parameter settings: `name=value` for its configuration.
  package static func run<Value>(
    _ settings: [String] = [], _ body: (PostgresServer) async throws -> Value
  ) async throws -> Value {
    let server = try await start(settings)
    defer { server.end() }
    return try await body(server)
  }

  private static func start(_ settings: [String] = []) async throws -> PostgresServer {
    removeLeftovers()
    let files = FileManager.default
    let folder = files.temporaryDirectory.appendingPathComponent(
      "sealring-pg-\(ProcessInfo.processInfo.processIdentifier)-\(UInt32.random(in: 0 ... .max))")
    try files.createDirectory(at: folder, withIntermediateDirectories: true)
    try give(folder)
    let made = try await child(
      "initdb",
      [
        "-D", "\(folder.path)/data", "-U", "postgres", "--auth=trust", "-E", "UTF8", "--locale=C",
        "--no-sync",
      ],
      folder)
    guard await made.end() == 0 else { throw PostgresFixtureError(output(of: "initdb")) }
    let fixed = [
      "listen_addresses=", "unix_socket_directories=\(folder.path)", "fsync=off", "max_connections=500",
      "shared_buffers=64MB",
    ]
    let server = try await child(
      "postgres", ["-D", "\(folder.path)/data"] + (fixed + settings).flatMap { ["-c", $0] }, folder)
    let postgres = PostgresServer(folder, server)
    for _ in 0..<600 {
      if try await postgres.psql("postgres", "SELECT 1") == 0 { return postgres }
      guard server.isRunning else { break }
      try await Task.sleep(for: .milliseconds(50))
    }
    throw PostgresFixtureError(output(of: "postgres"))

    func output(of program: String) -> String {
      let text = try? String(contentsOf: folder.appendingPathComponent("\(program).log"), encoding: .utf8)
      return "\(program) failed: \(text ?? "")"
    }
  }

  /// An empty database; what libpq takes to reach it.
  package func createDatabase() async throws -> String { address(of: try await newDatabase()) }

  private func newDatabase() async throws -> String {
    let name = databases.withLock { number in
      number += 1
      return "db\(number)"
    }
    guard try await psql("postgres", "CREATE DATABASE \(name)") == 0 else {
      throw PostgresFixtureError("the database \(name) could not be created")
    }
    return name
  }

  package func address(of database: String) -> String {
    "postgres://postgres@/\(database)?host=\(folder.path)"
  }

  /// Runs `body` with a way to a new database through PgBouncer in transaction mode, which has few connections for all.
  package func withPooler<Value>(
    connections: Int, _ body: (_ address: String) async throws -> Value
  ) async throws -> Value {
    let name = try await newDatabase()
    let place = folder.appendingPathComponent("pooler-\(name)")
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    try Self.give(place)
    let settings = place.appendingPathComponent("pgbouncer.ini")
    try """
    [databases]
    * = host=\(folder.path) user=postgres
    [pgbouncer]
    pool_mode = transaction
    auth_type = any
    unix_socket_dir = \(place.path)
    listen_port = 6432
    default_pool_size = \(connections)
    max_client_conn = 500
    """.write(to: settings, atomically: true, encoding: .utf8)
    let pooler = try await Self.child("pgbouncer", [settings.path], place)
    defer { pooler.kill() }
    for _ in 0..<200 where try await psql(name, "SELECT 1", host: place.path, port: 6432) != 0 {
      try await Task.sleep(for: .milliseconds(50))
    }
    return try await body("postgres://postgres@/\(name)?host=\(place.path)&port=6432")
  }

  /// Carries out statements in the database of an address of ``createDatabase()``.
  package func psql(on address: String, _ sql: String) async throws -> Int32 {
    let name = address.prefix { $0 != "?" }.split(separator: "/").last.map(String.init) ?? ""
    return try await psql(name, sql)
  }

  /// Carries out a statement as somebody else than the store would; its exit code.
  @discardableResult
  package func psql(
    _ database: String, _ sql: String, host: String? = nil, port: Int = 5432
  ) async throws -> Int32 {
    let program = try Self.program("psql")
    return try await ChildProcess.start(
      program,
      [
        "-X", "-q", "-U", "postgres", "-h", host ?? folder.path, "-p", "\(port)", "-d", database, "-v",
        "ON_ERROR_STOP=1", "-c", sql,
      ],
      output: folder.appendingPathComponent("psql.log")
    ).end()
  }

  /// Ends it at once, as a crash does.
  package func end() {
    process.kill()
    try? FileManager.default.removeItem(at: folder)
  }

  /// Gives a folder to the user as whom PostgreSQL runs.
  private static func give(_ folder: URL) throws {
    guard geteuid() == 0 else { return }
    guard let user = getpwnam("postgres"), chown(folder.path, user.pointee.pw_uid, user.pointee.pw_gid) == 0
    else { throw PostgresFixtureError("there is no user 'postgres'; apt-get install postgresql") }
  }

  /// Starts a program of PostgreSQL as a user who may run it.
  private static func child(_ name: String, _ arguments: [String], _ folder: URL) async throws -> ChildProcess
  {
    var words = [try program(name)] + arguments
    if geteuid() == 0 {
      // The kernel forgets whose end ends the program when its user changes, so it is told again.
      words =
        [
          try Program.path(of: "setpriv", package: "util-linux"), "--reuid", "postgres", "--regid",
          "postgres",
          "--clear-groups", "--pdeathsig", "KILL", "--",
        ] + words
    }
    return try await ChildProcess.start(
      words[0], Array(words.dropFirst()), output: folder.appendingPathComponent("\(name).log"))
  }

  /// The path of a program of PostgreSQL; Debian keeps those of the server out of everybody's way.
  private static func program(_ name: String) throws -> String {
    let place = "/usr/lib/postgresql"
    let versions = (try? FileManager.default.contentsOfDirectory(atPath: place)) ?? []
    for version in versions.sorted(by: { (Int($0) ?? 0) > (Int($1) ?? 0) }) {
      let path = "\(place)/\(version)/bin/\(name)"
      if FileManager.default.isExecutableFile(atPath: path) { return path }
    }
    let other = "/usr/sbin/\(name)"
    if FileManager.default.isExecutableFile(atPath: other) { return other }
    return try Program.path(of: name, package: name == "pgbouncer" ? name : "postgresql")
  }

  /// Folders of processes that ended without removing them.
  private static func removeLeftovers() {
    let place = FileManager.default.temporaryDirectory
    let names = (try? FileManager.default.contentsOfDirectory(atPath: place.path)) ?? []
    for name in names where name.hasPrefix("sealring-pg-") {
      let parts = name.split(separator: "-")
      guard parts.count == 4, let process = pid_t(parts[2]), kill(process, 0) != 0, errno == ESRCH else {
        continue
      }
      try? FileManager.default.removeItem(at: place.appendingPathComponent(name))
    }
  }
}

struct PostgresFixtureError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
