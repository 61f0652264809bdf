import Concurrency
import LoadTesting

/// A clock whose sleepers wake at once, at the time that they wanted: a load of hours plays in no time, and always the same.
final class JumpingClock: Clock {
  struct Instant: InstantProtocol {
    var offset: Duration = .zero
    func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    func duration(to other: Instant) -> Duration { other.offset - offset }
    static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
  }

  private let state = Locked(Instant())

  var now: Instant { state.withLock { $0 } }
  var minimumResolution: Duration { .nanoseconds(1) }

  func sleep(until end: Instant, tolerance: Duration?) async throws {
    try Task.checkCancellation()
    state.withLock { $0 = max($0, end) }
  }

  /// Time that the server takes.
  func pass(_ duration: Duration) { state.withLock { $0 = $0.advanced(by: duration) } }
}

/// A clock whose sleepers wake too late.
final class LateClock: Clock {
  typealias Instant = JumpingClock.Instant
  private let clock: JumpingClock
  private let delay: Duration

  init(_ clock: JumpingClock, by delay: Duration) { (self.clock, self.delay) = (clock, delay) }

  var now: Instant { clock.now }
  var minimumResolution: Duration { .nanoseconds(1) }

  func sleep(until end: Instant, tolerance: Duration?) async throws {
    try await clock.sleep(until: end.advanced(by: delay), tolerance: nil)
  }
}

/// A server in the place of a driver.
struct ScriptedDriver: LoadDriver {
  let body: @Sendable (_ device: Int, _ run: Int, _ steps: StepTimer) async throws -> Void
  private let runs = Locked(0)

  init(_ body: @escaping @Sendable (_ device: Int, _ run: Int, _ steps: StepTimer) async throws -> Void) {
    self.body = body
  }

  var count: Int { runs.withLock { $0 } }

  func run(device: Int, steps: StepTimer) async throws {
    let run = runs.withLock { runs in
      runs += 1
      return runs - 1
    }
    try await body(device, run, steps)
  }
}

/// Plays a plan in no time.
func played(
  _ plan: LoadPlan, on clock: JumpingClock = JumpingClock(), stop: LoadStop = LoadStop(),
  _ driver: ScriptedDriver
) async -> LoadReport {
  let recorder = LoadRecorder()
  await LoadRun(plan, driver: driver, clock: LoadClock(clock), recorder: recorder, stop: stop).run()
  return recorder.report(of: plan, start: 1_700_000_000_000)
}
