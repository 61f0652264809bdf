import Concurrency
import Foundation
import SoftwareTPM

/// A PostgreSQL of one test's own: a new cluster in a temporary folder, which nobody reaches but through a socket in it. The
/// kernel ends it with the test's process.
///
/// PostgreSQL does not run as root, so where tests do, it runs as the user `postgres`.
package final class PostgresServer: Sendable {
  /// Holds the cluster (`data`), its socket and what its programs write.
  let folder: URL

  /// On the loopback address, for a server that ``run(_:tls:_:)`` started with TLS; else only the name of the socket.
  package let port: Int
  private let process: ChildProcess
  private let databases = Locked(0)

  /// Processes that do not notice that their server has ended.
  private let frozen = Locked<[pid_t]>([])

  private init(_ folder: URL, port: Int, _ process: ChildProcess) {
    self.folder = folder
    self.port = port
    self.process = process
  }

  /// The one that tests share which need no more than a database. It ends with the process.
  package static var shared: PostgresServer {
    get async throws { try await sharedStart.value }
  }

  private static let sharedStart = Task { try await start(PostgresFolder.make()) }

  /// Runs `body` with a server.
  ///
  /// - Parameters:
  ///   - settings: `name=value` for its configuration.
  ///   - identity: what it proves itself by to clients that come over the network, by TLS; `nil` for a server that listens at its
  ///     socket only.
  package static func run<Value>(
    _ settings: [String] = [], tls identity: TestAuthority.Identity? = nil,
    _ body: (PostgresServer) async throws -> Value
  ) async throws -> Value {
    let server = try await start(PostgresFolder.make(), settings, tls: identity)
    defer { server.end() }
    return try await body(server)
  }

  private static func start(
    _ folder: URL, _ settings: [String] = [], tls identity: TestAuthority.Identity? = nil
  ) async throws -> PostgresServer {
    try await PostgresFolder.copyCluster(to: folder)
    guard let identity else { return try await serve(folder, port: standardPort, settings) }
    let files = try identity.install(in: folder)
    var latest: (any Error)?
    // Somebody else may take the port before PostgreSQL does.
    for _ in 0..<5 {
      do {
        let settings =
          settings + ["ssl=on", "ssl_cert_file=\(files.certificate)", "ssl_key_file=\(files.key)"]
        return try await serve(folder, port: LoopbackPort.free(), settings, listens: true)
      } catch { latest = error }
    }
    throw latest ?? PostgresFixtureError("no free port")
  }

  /// The port that gives the socket its name; every folder has one of its own.
  static let standardPort = 5432

  /// Starts a server on the cluster in `folder`, and waits until it answers.
  static func serve(
    _ folder: URL, port: Int, _ settings: [String] = [], listens: Bool = false
  ) async throws -> PostgresServer {
    let fixed = [
      "listen_addresses=\(listens ? "127.0.0.1" : "")", "port=\(port)",
      "unix_socket_directories=\(folder.path)", "fsync=off", "max_connections=500", "shared_buffers=64MB",
    ]
    let process = try await PostgresFolder.child(
      "postgres", ["-D", "\(folder.path)/data"] + (fixed + settings).flatMap { ["-c", $0] }, folder)
    let server = PostgresServer(folder, port: port, process)
    for _ in 0..<600 {
      if try await server.psql("postgres", "SELECT 1") == 0 { return server }
      guard process.isRunning else { break }
      try await Task.sleep(for: .milliseconds(50))
    }
    process.kill()
    throw PostgresFixtureError("postgres failed: \(PostgresFolder.output(of: "postgres", in: folder))")
  }

  // MARK: Databases

  /// An empty database; what libpq takes to reach it.
  package func createDatabase() async throws -> String { address(of: try await newDatabase()) }

  /// An empty database; its name.
  package func newDatabase() async throws -> String {
    let name = databases.withLock { number in
      number += 1
      return "db\(number)"
    }
    guard try await psql("postgres", "CREATE DATABASE \(name)") == 0 else {
      throw PostgresFixtureError("the database \(name) could not be created")
    }
    return name
  }

  package func address(of database: String) -> String { Self.address(of: database, on: [self]) }

  /// The address of a database on several servers, which libpq tries in this order.
  ///
  /// - Parameter options: further ones, such as `target_session_attrs=read-write`.
  package static func address(
    of database: String, on servers: [PostgresServer], _ options: String...
  ) -> String {
    let hosts = servers.map(\.folder.path).joined(separator: ",")
    let ports = servers.map { "\($0.port)" }.joined(separator: ",")
    return "postgres://postgres@/\(database)?"
      + (["host=\(hosts)", "port=\(ports)"] + options).joined(separator: "&")
  }

  /// The address of a database behind a first host whose socket in `silent` nobody answers at.
  package func address(of database: String, behind silent: String, _ option: String) -> String {
    "postgres://postgres@/\(database)?host=\(silent),\(folder.path)&port=\(Self.standardPort),\(port)&\(option)"
  }

  // MARK: Statements

  /// Carries out statements in the database of an address of ``createDatabase()``.
  package func psql(on address: String, _ sql: String) async throws -> Int32 {
    let name = address.prefix { $0 != "?" }.split(separator: "/").last.map(String.init) ?? ""
    return try await psql(name, sql)
  }

  /// Carries out a statement as somebody else than the store would; its exit code.
  @discardableResult
  package func psql(
    _ database: String, _ sql: String, host: String? = nil, port: Int? = nil
  ) async throws -> Int32 {
    try await psql(database, ["-q", "-c", sql], output: "psql", host: host, port: port)
  }

  /// Carries out a script: its exit code, and what psql said to it.
  package func script(_ sql: String, on database: String) async throws -> (status: Int32, output: String) {
    let name = "script-\(UInt32.random(in: 0 ... .max))"
    let file = folder.appendingPathComponent("\(name).sql")
    try sql.write(to: file, atomically: true, encoding: .utf8)
    let status = try await psql(database, ["-f", file.path], output: name)
    return (status, PostgresFolder.output(of: name, in: folder))
  }

  private func psql(
    _ database: String, _ arguments: [String], output: String, host: String? = nil, port: Int? = nil
  ) async throws -> Int32 {
    try await ChildProcess.start(
      PostgresFolder.program("psql"),
      [
        "-X", "-U", "postgres", "-h", host ?? folder.path, "-p", "\(port ?? self.port)", "-d", database, "-v",
        "ON_ERROR_STOP=1",
      ] + arguments, output: folder.appendingPathComponent("\(output).log")
    ).end()
  }

  /// Waits until `condition`, an expression that is true or false, is true.
  package func wait(until condition: String, on database: String = "postgres") async throws {
    for _ in 0..<600 {
      if try await psql(database, "SELECT 1 / (\(condition))::int") == 0 { return }
      try await Task.sleep(for: .milliseconds(50))
    }
    throw PostgresFixtureError("it did not come to pass that \(condition)")
  }

  // MARK: The end

  /// Ends it at once, as a crash does; its files stay.
  package func crash() { process.kill() }

  /// Stops it and its processes where they are: connections stay, new ones are accepted by the system, and nobody answers.
  package func freeze() throws {
    let processes = try processes()
    frozen.withLock { $0 += processes }
    for process in processes { Foundation.kill(process, SIGSTOP) }
  }

  /// Its process, and those that it has started.
  private func processes() throws -> [pid_t] {
    let file = folder.appendingPathComponent("data/postmaster.pid")
    let first = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").first
    guard let postmaster = first.flatMap({ pid_t($0) }) else {
      throw PostgresFixtureError("\(file.path) names no process")
    }
    let numbers = try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap { pid_t($0) }
    return [postmaster]
      + numbers.filter { number in
        let status = (try? String(contentsOfFile: "/proc/\(number)/status", encoding: .utf8)) ?? ""
        return status.contains("\nPPid:\t\(postmaster)\n")
      }
  }

  /// Ends it at once, and removes its files.
  package func end() {
    process.kill()
    for process in frozen.withLock({ $0 }) { Foundation.kill(process, SIGKILL) }
    try? FileManager.default.removeItem(at: folder)
  }
}

struct PostgresFixtureError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

extension PostgresServer {
  /// What is in a file of the server's own log, once `mark` is.
  package func log(_ name: String, until mark: String) async throws -> String {
    let file = folder.appendingPathComponent("data/log/\(name)")
    for _ in 0..<600 {
      if let text = try? String(contentsOf: file, encoding: .utf8), text.contains(mark), text.hasSuffix("\n")
      {
        return text
      }
      try await Task.sleep(for: .milliseconds(50))
    }
    throw PostgresFixtureError("the log \(name) has nothing of \(mark)")
  }
}
