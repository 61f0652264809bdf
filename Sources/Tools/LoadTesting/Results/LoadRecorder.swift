internal import Concurrency

/// Records a load while it runs. Its memory does not grow with the number of runs.
package final class LoadRecorder: Sendable {
  private struct State {
    var report = LoadReport()
    var underWay = 0
    var lastEnd = Duration.zero
    var end: Duration?
    var early: EarlyEnd?
  }

  private let state = Locked(State())

  package init() {}

  func begin() { state.withLock { $0.underWay += 1 } }

  func record(_ duration: Duration, of step: LoadStep) {
    state.withLock { $0.report.latencies[step, default: Latencies()].record(duration) }
  }

  /// Records how late a run began although a device was free: this machine's own delay.
  func record(lag: Duration) { state.withLock { $0.report.lag.record(lag) } }

  func succeed(_ latency: Duration, at time: Duration, isRamp: Bool) {
    state.withLock { state in
      state.underWay -= 1
      state.lastEnd = max(state.lastEnd, time)
      state.report.intervals.change(at: time) {
        $0.completed += 1
        $0.latencies.record(latency)
      }
      guard !isRamp else { return state.report.ramp.completed += 1 }
      state.report.completed += 1
      state.report.whole.record(latency)
    }
  }

  func fail(
    _ failure: LoadFailure, count: Int = 1, at time: Duration, isRamp: Bool, hasBegun: Bool = false
  ) {
    state.withLock { state in
      if hasBegun { state.underWay -= 1 }
      state.report.intervals.change(at: time) { $0.failed += count }
      state.report.errors.add(failure, count: count)
      if isRamp { state.report.ramp.failed += count } else { state.report.failed += count }
    }
  }

  func end(at time: Duration, early: EarlyEnd?) {
    state.withLock { state in
      state.end = time
      state.early = early
    }
  }

  // MARK: Reading

  /// The numbers of a progress line.
  package struct Progress: Sendable, Equatable {
    package var completed: Int
    package var failed: Int
    package var underWay: Int
    /// Runs that ended in the last full second, and their latencies.
    package var lastRate: Int
    package var p50: Duration
    package var p99: Duration
  }

  package func progress(at time: Duration) -> Progress {
    state.withLock { state in
      let report = state.report
      let index = Int(time / .seconds(1)) / report.intervals.seconds - 1
      let last = report.intervals.list.indices.contains(index) ? report.intervals.list[index] : .init()
      return Progress(
        completed: report.completed + report.ramp.completed, failed: report.failed + report.ramp.failed,
        underWay: state.underWay, lastRate: last.completed / report.intervals.seconds,
        p50: last.latencies.percentile(50), p99: last.latencies.percentile(99))
    }
  }

  /// The report so far; complete once the run has ended.
  ///
  /// - Parameter start: the start of the load, in milliseconds since 1970.
  package func report(of plan: LoadPlan, start: Int64) -> LoadReport {
    state.withLock { state in
      // The rate counts over the planned time and any excess.
      let stopped = state.early == nil ? max(plan.end ?? state.lastEnd, state.lastEnd) : state.end
      var report = state.report
      (report.scenario, report.journey, report.devices) = (plan.scenario.rawValue, plan.journey, plan.devices)
      (report.pacing, report.startedAt, report.rampTime) = (plan.pacing, start, plan.ramp)
      report.elapsed = max(.zero, (stopped ?? state.lastEnd) - plan.ramp)
      report.endings = [LoadReport.Ending(state.early)]
      return report
    }
  }
}
