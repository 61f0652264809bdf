/// The result of a load, or of several merged loads.
package struct LoadReport: Sendable, Equatable {
  /// The runs that began during the ramp.
  package struct Ramp: Sendable, Equatable {
    package var completed = 0
    package var failed = 0
  }

  /// How a load ended.
  package enum Ending: String, Sendable, CaseIterable {
    case completed, interrupted, serverGone, failed

    init(_ early: EarlyEnd?) {
      switch early {
      case nil: self = .completed
      case .interrupted: self = .interrupted
      case .serverGone: self = .serverGone
      case .failed: self = .failed
      }
    }
  }

  package var scenario = ""
  package var journey = ""
  /// The sum over all processes, like ``pacing``.
  package var devices = 0
  package var pacing = LoadPlan.Pacing.concurrency(0)
  /// Milliseconds since 1970.
  package var startedAt: Int64 = 0
  package var rampTime = Duration.zero
  /// The time of the ``completed`` runs, without the ramp.
  package var elapsed = Duration.zero
  /// Runs after the ramp; latencies count only these.
  package var completed = 0
  package var failed = 0
  package var ramp = Ramp()
  package var whole = Latencies()
  /// The delay of runs that began late although a device was free. It is this machine's own delay, and a part of ``whole``.
  package var lag = Latencies()
  var latencies: [LoadStep: Latencies] = [:]
  package var errors = LoadErrors()
  package var intervals = LoadIntervals()
  /// One ending for each process.
  package var endings: [Ending] = []

  /// The measured steps, in the order of a journey.
  package var steps: [(step: LoadStep, latencies: Latencies)] {
    LoadStep.allCases.compactMap { step in latencies[step].map { (step, $0) } }
  }

  /// Successful runs per second.
  package var throughput: Double {
    let seconds = elapsed / .seconds(1)
    return seconds > 0 ? Double(completed) / seconds : 0
  }

  /// The 99th percentile of ``lag`` from which a report says that the machine was too slow for its load.
  package static let mostLag = Duration.milliseconds(20)

  /// The percentiles to show.
  package static let percentiles: [(name: String, value: Double)] = [
    ("p50", 50), ("p90", 90), ("p99", 99), ("p99.9", 99.9),
  ]
}

// MARK: Merging

/// The reason why reports cannot be merged.
package struct LoadMergeError: Error, Sendable, Hashable, CustomStringConvertible {
  package let description: String
}

extension LoadReport {
  /// The report of several processes that loaded one server at the same time.
  ///
  /// - Throws: ``LoadMergeError`` for no reports, for different scenarios or kinds of pacing, and for loads that did not run at the same
  ///   time.
  package static func merged(_ reports: [LoadReport]) throws(LoadMergeError) -> LoadReport {
    guard let first = reports.min(by: { $0.startedAt < $1.startedAt }) else {
      throw LoadMergeError(description: "There is nothing to merge.")
    }
    var all = LoadReport(
      scenario: first.scenario, journey: first.journey, pacing: first.pacing, startedAt: first.startedAt,
      rampTime: first.rampTime)
    var pacing: LoadPlan.Pacing?
    var end = Duration.zero
    for report in reports {
      guard report.scenario == first.scenario, report.journey == first.journey else {
        throw LoadMergeError(
          description:
            "One file is of \(first.scenario) by \(first.journey), another of \(report.scenario) by \(report.journey)."
        )
      }
      let delay = Duration.milliseconds(report.startedAt - first.startedAt)
      guard delay < first.rampTime + max(first.elapsed, .seconds(1)) else {
        throw LoadMergeError(
          description:
            "The loads did not run at the same time: one began \(Int(delay / .seconds(1))) s after the other, which had ended. Use "
            + "--start-at."
        )
      }
      pacing = try sum(pacing, report.pacing)
      all.devices += report.devices
      all.endings += report.endings
      all.completed += report.completed
      all.failed += report.failed
      all.ramp.completed += report.ramp.completed
      all.ramp.failed += report.ramp.failed
      all.whole.add(report.whole)
      all.lag.add(report.lag)
      all.errors.add(report.errors)
      for (step, latencies) in report.latencies { all.latencies[step, default: Latencies()].add(latencies) }
      all.intervals.add(report.intervals, delay: Int((delay / .seconds(1)).rounded()))
      all.rampTime = min(all.rampTime, delay + report.rampTime)
      end = max(end, delay + report.rampTime + report.elapsed)
    }
    all.pacing = pacing ?? first.pacing
    all.elapsed = end - all.rampTime
    return all
  }

  private static func sum(
    _ sum: LoadPlan.Pacing?, _ next: LoadPlan.Pacing
  ) throws(LoadMergeError) -> LoadPlan.Pacing {
    switch (sum, next) {
    case (nil, _): return next
    case (.rate(let left), .rate(let right)): return .rate(left + right)
    case (.concurrency(let left), .concurrency(let right)): return .concurrency(left + right)
    default:
      throw LoadMergeError(description: "One load had a rate, and another one a number of busy devices.")
    }
  }
}
