import BenchmarkReport
import BenchmarkServer
import Foundation

/// Complete device sign-ins (start, sign, continue; durable in SQLite) driven by many simulated devices, beside a bare
/// Hummingbird program that does only the unavoidable, in the same run.
///
/// `signin-bench [--seconds 5] [--rounds 5] [--connections 32]` starts both servers as processes of their own, takes
/// turns between them and prints JSON lines: `{"name", "value", "unit"}`.
///
/// `signin-bench --others N`, `--entries N`, `--half`, `--passwords` and `--operations` measure Sealring alone under other
/// conditions (``DeviceBench``).
///
/// `signin-bench --cluster DIR --programs DIR …` measures sign-ins by password on that PostgreSQL cluster instead
/// (``PostgresBench``), with `--bound-keys` by bound key; `scripts/bench sign-in --database postgres` makes one and calls it. With
/// `--server-processors 0.25` each server has that much of a processor, as on a small machine of its own, so that the database is not
/// the limit.
@main
enum SignInBench {
  static func main() async throws {
    let options = BenchmarkOptions.ofProgram
    let arguments = options.words
    switch arguments.first {
    case "bare-server": try await BareServer.run(folder: URL(filePath: arguments[1]))
    case "sealring-server": try await SealringServerRole.run(folder: URL(filePath: arguments[1]))
    case "postgres-server": try await PostgresServerRole.run(folder: URL(filePath: arguments[1]))
    case _ where options.has("--cluster"):
      guard let cluster = options.text("--cluster"), let programs = options.text("--programs")
      else { throw BenchError("--cluster and --programs each need a folder") }
      try await PostgresBench(
        cluster: URL(filePath: cluster), programs: URL(filePath: programs),
        seconds: options.number("--seconds") ?? 5,
        connections: options.number("--connections") ?? 32,
        serverProcessors: try options.text("--server-processors").map(processors),
        byBoundKey: options.has("--bound-keys")
      ).run(rounds: options.number("--rounds") ?? 3)
    case _ where options.has("--others"):
      try await DeviceBench(options).growth()
    case _ where options.has("--entries"):
      try await DeviceBench(options).entries()
    case _ where options.has("--half"):
      try await DeviceBench(options).half()
    case _ where options.has("--passwords"):
      try await DeviceBench(options).passwords()
    case _ where options.has("--operations"):
      try await DeviceBench(options).operations()
    default:
      try await compare(
        seconds: options.number("--seconds") ?? 5, rounds: options.number("--rounds") ?? 5,
        connections: options.number("--connections") ?? 32)
    }
  }

  private static func processors(_ text: String) throws -> Double {
    guard let processors = Double(text), processors >= 0.05 else {
      throw BenchError("--server-processors is how many a server may use, 0.05 or more, and not '\(text)'")
    }
    return processors
  }

  private static func compare(seconds: Int, rounds: Int, connections: Int) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "signin-bench-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let fleet = Fleet(count: connections)
    try fleet.write(to: folder.appending(path: "fleet.json"))
    let bare = try ServerChild(role: "bare-server", folder: folder)
    defer { bare.stop() }
    let sealring = try ServerChild(role: "sealring-server", folder: folder)
    defer { sealring.stop() }

    var bareRounds: [Round] = []
    var sealringRounds: [Round] = []
    func loadBare() async throws {
      bareRounds.append(try await Load.run(BareDialogue(), on: bare, fleet: fleet, seconds: seconds))
    }
    func loadSealring() async throws {
      sealringRounds.append(
        try await Load.run(SealringDialogue(), on: sealring, fleet: fleet, seconds: seconds))
    }
    // Who begins alternates.
    for round in 0...rounds {
      if round.isMultiple(of: 2) {
        try await loadBare()
        try await loadSealring()
      } else {
        try await loadSealring()
        try await loadBare()
      }
    }
    // The first round warms both up and does not count.
    bareRounds.removeFirst()
    sealringRounds.removeFirst()
    report("bare", bareRounds)
    report("sealring", sealringRounds)
    let pairs = zip(sealringRounds, bareRounds)
    Measurement.emit("sign-in-rate-of-bare", pairs.map { $0.rate / $1.rate }.median, "ratio")
    Measurement.emit(
      "sign-in-server-cpu-bare-to-sealring",
      pairs.map { $1.serverMicroseconds / $0.serverMicroseconds }.median, "ratio")
  }

  private static func report(_ name: String, _ rounds: [Round]) {
    report("sign-in-\(name)", rounds, "sign-ins/s")
    let allocations = rounds.compactMap(\.allocations)
    if !allocations.isEmpty {
      Measurement.emit("sign-in-\(name)-allocations", allocations.median, "per sign-in")
    }
  }

  static func report(_ name: String, _ rounds: [Round], _ unit: String) {
    Measurement.emit(name, rounds.map(\.rate).median, unit)
    Measurement.emit("\(name)-p50", rounds.map { $0.percentile(0.5) }.median, "ms")
    Measurement.emit("\(name)-p99", rounds.map { $0.percentile(0.99) }.median, "ms")
    Measurement.emit("\(name)-server-cpu", rounds.map(\.serverMicroseconds).median, "us")
  }
}
