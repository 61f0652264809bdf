import BenchmarkServer
import Foundation

/// What one stretch of load took of the machine and of PostgreSQL.
struct Usage: Sendable {
  let round: Round

  /// Transactions of the database per sign-in; each statement or pipeline outside of `BEGIN` is one, and one round trip.
  let transactions: Double

  /// Flushes of the write-ahead log to the disk per sign-in. Below the number of commits means that commits share them.
  let flushes: Double

  /// Processor time of all of PostgreSQL's processes per sign-in.
  let postgresMicroseconds: Double

  /// Share of the machine's processors that nobody used.
  let idle: Double
}

/// A cluster that runs, and PostgreSQL's programs for it.
struct PostgresCluster: Sendable {
  /// Holds its socket, and the cluster in `data`.
  let folder: URL

  /// Where psql and pgbench are.
  let programs: URL

  func address(of database: String) -> String {
    "postgres://postgres@/\(database)?host=\(folder.path(percentEncoded: false))"
  }

  /// What a statement returns, as text.
  func psql(_ database: String, _ sql: String) throws -> String {
    try run(
      "psql", ["-X", "-A", "-t", "-q", "-v", "ON_ERROR_STOP=1", "-d", address(of: database), "-c", sql])
  }

  /// Carries out a script again and again on that many connections.
  func pgbench(
    _ script: URL, _ database: String, connections: Int, seconds: Int, _ logs: URL
  ) throws -> Round {
    let prefix = logs.appending(path: "pgbench").path(percentEncoded: false)
    _ = try run(
      "pgbench",
      [
        "-n", "-M", "prepared", "-c", "\(connections)", "-j", "1", "-T", "\(seconds)", "-f",
        script.path(percentEncoded: false), "-l", "--log-prefix=\(prefix)", address(of: database),
      ])
    var durations: [Double] = []
    for file in try FileManager.default.contentsOfDirectory(at: logs, includingPropertiesForKeys: nil)
    where file.lastPathComponent.hasPrefix("pgbench.") {
      // The third column is the duration in microseconds.
      for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
        let columns = line.split(separator: " ")
        if columns.count > 2, let duration = Double(columns[2]) { durations.append(duration / 1000) }
      }
      try FileManager.default.removeItem(at: file)
    }
    guard !durations.isEmpty else { throw BenchError("pgbench did nothing within \(seconds) s") }
    return Round(
      rate: Double(durations.count) / Double(seconds), serverMicroseconds: 0, durations: durations.sorted())
  }

  /// What `body` takes.
  func usage(during body: () async throws -> Round, of database: String) async throws -> Usage {
    let before = try counters(of: database)
    let round = try await body()
    // PostgreSQL's statistics come a second late.
    try await Task.sleep(for: .milliseconds(1200))
    let after = try counters(of: database)
    let count = Double(round.durations.count)
    return Usage(
      round: round, transactions: (after.transactions - before.transactions) / count,
      flushes: (after.flushes - before.flushes) / count,
      postgresMicroseconds: (after.postgres - before.postgres) * 1_000_000 / count,
      idle: (after.idle - before.idle) / (after.machine - before.machine))
  }

  private struct Counters {
    var transactions: Double
    var flushes: Double
    /// Seconds of all processes of PostgreSQL.
    var postgres: Double
    /// Ticks of all processors, and those that nobody used.
    var machine: Double
    var idle: Double
  }

  private func counters(of database: String) throws -> Counters {
    let numbers = try psql(
      "postgres",
      "SELECT xact_commit || ' ' || (SELECT wal_sync FROM pg_stat_wal) FROM pg_stat_database WHERE datname = '\(database)'"
    ).split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
    let ticks = try String(contentsOfFile: "/proc/stat", encoding: .utf8).prefix { $0 != "\n" }
      .split(separator: " ").dropFirst().compactMap { Double($0) }
    guard numbers.count == 2, ticks.count > 7 else { throw BenchError("no counters of \(database)") }
    return Counters(
      transactions: numbers[0], flushes: numbers[1], postgres: try processorTime(),
      machine: ticks.prefix(8).reduce(0, +), idle: ticks[3] + ticks[4])
  }

  /// Of the postmaster and its children, those that have ended included (proc(5), fields 4 and 14 to 17 of stat). Seconds.
  private func processorTime() throws -> Double {
    let file = folder.appending(path: "data/postmaster.pid")
    let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
    guard let postmaster = lines.first.map(String.init) else { throw BenchError("no postmaster") }
    var ticks = 0.0
    for name in try FileManager.default.contentsOfDirectory(atPath: "/proc") where Int(name) != nil {
      let stat = (try? String(contentsOfFile: "/proc/\(name)/stat", encoding: .utf8)) ?? ""
      let fields = stat.components(separatedBy: ") ").last?.split(separator: " ") ?? []
      guard fields.count > 14 else { continue }
      if name == postmaster { ticks += fields[11...14].reduce(0) { $0 + (Double($1) ?? 0) } }
      if fields[1] == postmaster { ticks += fields[11...12].reduce(0) { $0 + (Double($1) ?? 0) } }
    }
    return ticks / Double(sysconf(Int32(_SC_CLK_TCK)))
  }

  /// Runs a program with all signals let through: children inherit what a thread of Swift's runtime blocks, and pgbench, which ends by an
  /// alarm, would go on for ever.
  private static let unblocked = """
    import os, signal, sys
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    os.execv(sys.argv[1], sys.argv[1:])
    """

  private func run(_ program: String, _ arguments: [String]) throws -> String {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/python3")
    let path = programs.appending(path: program).path(percentEncoded: false)
    process.arguments = ["-c", Self.unblocked, path] + arguments
    let (output, errors) = (Pipe(), Pipe())
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    let complaint = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw BenchError("\(program) failed: \(complaint)") }
    return text.trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
