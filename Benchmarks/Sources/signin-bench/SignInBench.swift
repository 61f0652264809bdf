import BenchmarkReport
import Foundation

/// Complete device sign-ins (start, sign, continue; durable in SQLite) driven by many simulated devices, beside a bare
/// Hummingbird program that does only the unavoidable, in the same run.
///
/// `signin-bench [--seconds 5] [--rounds 5] [--connections 32]` starts both servers as processes of their own, takes
/// turns between them and prints JSON lines: `{"name", "value", "unit"}`.
@main
enum SignInBench {
  static func main() async throws {
    let arguments = Array(CommandLine.arguments.dropFirst())
    switch arguments.first {
    case "bare-server": try await BareServer.run(folder: URL(filePath: arguments[1]))
    case "sealring-server": try await SealringServerRole.run(folder: URL(filePath: arguments[1]))
    default:
      try await compare(
        seconds: option("--seconds", in: arguments) ?? 5, rounds: option("--rounds", in: arguments) ?? 5,
        connections: option("--connections", in: arguments) ?? 32)
    }
  }

  private static func option(_ name: String, in arguments: [String]) -> Int? {
    guard let index = arguments.firstIndex(of: name), arguments.indices.contains(index + 1) else {
      return nil
    }
    return Int(arguments[index + 1])
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
    for round in 0...rounds {
      let one = try await Load.run(BareDialogue(), on: bare, fleet: fleet, seconds: seconds)
      let other = try await Load.run(SealringDialogue(), on: sealring, fleet: fleet, seconds: seconds)
      // The first round warms both up.
      if round == 0 { continue }
      bareRounds.append(one)
      sealringRounds.append(other)
    }
    report("bare", bareRounds)
    report("sealring", sealringRounds)
    let pairs = zip(sealringRounds, bareRounds)
    emit("sign-in/rate ratio sealring to bare", median(pairs.map { $0.rate / $1.rate }), "ratio")
    emit(
      "sign-in/server CPU ratio bare to sealring",
      median(pairs.map { $1.serverMicroseconds / $0.serverMicroseconds }), "ratio")
  }

  private static func report(_ name: String, _ rounds: [Round]) {
    emit("sign-in/\(name)", median(rounds.map(\.rate)), "sign-ins/s")
    emit("sign-in/\(name) p50", median(rounds.map { $0.percentile(0.5) }), "ms")
    emit("sign-in/\(name) p99", median(rounds.map { $0.percentile(0.99) }), "ms")
    emit("sign-in/\(name) server CPU", median(rounds.map(\.serverMicroseconds)), "µs")
    emit("sign-in/\(name) refused", Double(rounds.map(\.refused).reduce(0, +)), "answers")
  }

  private static func emit(_ name: String, _ value: Double, _ unit: String) {
    print(Measurement(name, value, unit).line)
  }

  private static func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    return sorted.isEmpty ? .nan : sorted[sorted.count / 2]
  }
}
