import BenchmarkReport
import Foundation
import JourneyEngine
import JourneyScripts
import StrictJSON

/// What `docs/scripts.md` promises of scripts that misbehave, and of a busy server.
extension ScriptBench {
  /// How long after its limit an endless script ends, and what it costs those beside it.
  ///
  /// The limit is processor time, which a machine that does much else gives out slowly: what is measured is the time on the wall.
  func endlessScripts() async throws {
    let limits = ScriptLimits()
    let clock = ContinuousClock()
    let endless = ["loop": "for (;;) {}", "regular-expression": "/(a+)+$/.test('a'.repeat(64) + 'b')"]
    for (name, source) in endless.sorted(by: { $0.key < $1.key }) {
      var overshoot: [Double] = []
      for _ in 0..<20 {
        let began = clock.now
        do { _ = try await workers.run(Self.run(source)) } catch let error as ScriptError {
          guard error.reason == .time else { throw error }
        }
        overshoot.append((clock.now - began - limits.time) / .milliseconds(1))
      }
      print(Measurement("endless-\(name)-over-its-limit-p50", overshoot.median, "ms").line)
      print(Measurement("endless-\(name)-over-its-limit-max", overshoot.max() ?? 0, "ms").line)
    }
    // One worker for the neighbour, one that computes without end or does nothing; in turns.
    var ratios: [Double] = []
    var rates: [Double] = []
    for _ in 0..<5 {
      let alone = try await neighbourRate(for: .seconds(2), beside: nil)
      let beside = try await neighbourRate(for: .seconds(2), beside: "for (;;) {}")
      rates.append(alone)
      ratios.append(beside / alone)
    }
    print(Measurement("neighbour-alone", rates.median, "per-second").line)
    print(Measurement("neighbour-beside-endless-of-alone", ratios.median, "ratio").line)
  }

  /// How many runs one journey after the other gets in a time.
  private func neighbourRate(for time: Duration, beside source: String?) async throws -> Double {
    let clock = ContinuousClock()
    let end = clock.now + time
    return try await withThrowingTaskGroup(of: Int.self) { group in
      group.addTask {
        var runs = 0
        while clock.now < end {
          _ = try await workers.run(Self.run("action.goTo('true')"))
          runs += 1
        }
        return runs
      }
      if let source {
        group.addTask {
          while clock.now < end {
            do { _ = try await workers.run(Self.run(source)) } catch let error as ScriptError {
              guard error.reason == .time else { throw error }
            }
          }
          return 0
        }
      }
      var runs = 0
      for try await count in group { runs += count }
      return Double(runs) / (time / .seconds(1))
    }
  }

  /// 200 script nodes a second for ten seconds, each begun at its moment whether earlier ones are done or not.
  func pacedRuns() async throws {
    let node = try node(Self.scripts[1].2, version: Self.scripts[1].1)
    let (rate, seconds) = (200, 10)
    let clock = ContinuousClock()
    let (start, startsBefore) = (clock.now, workers.starts)
    var most = 0
    let times = try await withThrowingTaskGroup(of: Double.self) { group in
      for number in 0..<(rate * seconds) {
        let moment = start + .seconds(1) * number / rate
        try await clock.sleep(until: moment)
        most = max(most, workers.processes.count)
        group.addTask {
          try await evaluate(node)
          return (clock.now - moment) / .milliseconds(1)
        }
      }
      var times: [Double] = []
      for try await time in group { times.append(time) }
      return times.sorted()
    }
    print(Measurement("paced", Double(times.count) / ((clock.now - start) / .seconds(1)), "per-second").line)
    print(Measurement("paced-p50", times[times.count / 2], "ms").line)
    print(Measurement("paced-p99", times[times.count * 99 / 100], "ms").line)
    print(Measurement("paced-workers", Double(max(most, workers.processes.count)), "processes").line)
    print(Measurement("paced-workers-started", Double(workers.starts - startsBefore), "processes").line)
  }

  private static func run(_ source: String) -> ScriptRun {
    ScriptRun(name: "Bench", source: source, isLegacy: false)
  }
}
