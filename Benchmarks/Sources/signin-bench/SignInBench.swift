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
    let arguments = Array(CommandLine.arguments.dropFirst())
    switch arguments.first {
    case "bare-server": try await BareServer.run(folder: URL(filePath: arguments[1]))
    case "sealring-server": try await SealringServerRole.run(folder: URL(filePath: arguments[1]))
    case "postgres-server": try await PostgresServerRole.run(folder: URL(filePath: arguments[1]))
    case _ where arguments.contains("--cluster"):
      guard let cluster = text("--cluster", in: arguments), let programs = text("--programs", in: arguments)
      else { throw BenchError("--cluster and --programs each need a folder") }
      try await PostgresBench(
        cluster: URL(filePath: cluster), programs: URL(filePath: programs),
        seconds: option("--seconds", in: arguments) ?? 5,
        connections: option("--connections", in: arguments) ?? 32,
        serverProcessors: try text("--server-processors", in: arguments).map(processors),
        byBoundKey: arguments.contains("--bound-keys")
      ).run(rounds: option("--rounds", in: arguments) ?? 3)
    case _ where arguments.contains("--others"):
      try await DeviceBench(arguments: arguments).growth()
    case _ where arguments.contains("--entries"):
      try await DeviceBench(arguments: arguments).entries()
    case _ where arguments.contains("--half"):
      try await DeviceBench(arguments: arguments).half()
    case _ where arguments.contains("--passwords"):
      try await DeviceBench(arguments: arguments).passwords()
    case _ where arguments.contains("--operations"):
      try await DeviceBench(arguments: arguments).operations()
    default:
      try await compare(
        seconds: option("--seconds", in: arguments) ?? 5, rounds: option("--rounds", in: arguments) ?? 5,
        connections: option("--connections", in: arguments) ?? 32)
    }
  }

  private static func processors(_ text: String) throws -> Double {
    guard let processors = Double(text), processors >= 0.05 else {
      throw BenchError("--server-processors is how many a server may use, 0.05 or more, and not '\(text)'")
    }
    return processors
  }

  static func option(_ name: String, in arguments: [String]) -> Int? {
    text(name, in: arguments).flatMap { Int($0) }
  }

  static func text(_ name: String, in arguments: [String]) -> String? {
    guard let index = arguments.firstIndex(of: name), arguments.indices.contains(index + 1) else {
      return nil
    }
    return arguments[index + 1]
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
    emit("sign-in-rate-of-bare", pairs.map { $0.rate / $1.rate }.median, "ratio")
    emit(
      "sign-in-server-cpu-bare-to-sealring",
      pairs.map { $1.serverMicroseconds / $0.serverMicroseconds }.median, "ratio")
  }

  private static func report(_ name: String, _ rounds: [Round]) {
    report("sign-in-\(name)", rounds, "sign-ins/s")
    let allocations = rounds.compactMap(\.allocations)
    if !allocations.isEmpty { emit("sign-in-\(name)-allocations", allocations.median, "per sign-in") }
  }

  static func report(_ name: String, _ rounds: [Round], _ unit: String) {
    emit(name, rounds.map(\.rate).median, unit)
    emit("\(name)-p50", rounds.map { $0.percentile(0.5) }.median, "ms")
    emit("\(name)-p99", rounds.map { $0.percentile(0.99) }.median, "ms")
    emit("\(name)-server-cpu", rounds.map(\.serverMicroseconds).median, "us")
  }

  static func emit(_ name: String, _ value: Double, _ unit: String) {
    print(Measurement(name, value, unit).line)
  }
}
