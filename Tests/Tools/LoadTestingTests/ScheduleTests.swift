import Concurrency
@testable import LoadTesting
import Testing

@Suite struct ScheduleTests {
  @Test func `runs begin evenly at the full rate`() {
    let schedule = ArrivalSchedule(rate: 200, ramp: .zero)
    #expect(schedule.time(of: 0) == .zero)
    #expect(schedule.time(of: 1) == .milliseconds(5))
    #expect(schedule.time(of: 2000) == .seconds(10))
    #expect(schedule.count(before: .seconds(10)) == 2000)
    #expect(schedule.count(before: .zero) == 0)
  }

  @Test func `a ramp rises in a straight line to the full rate`() {
    let schedule = ArrivalSchedule(rate: 100, ramp: .seconds(10))
    // Half as many as at the full rate, a quarter of them in the first half.
    #expect(schedule.count(before: .seconds(10)) == 500)
    #expect(schedule.count(before: .seconds(5)) == 125)
    #expect(schedule.count(before: .seconds(11)) == 600)
    let times = (0..<700).map { schedule.time(of: $0) }
    #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
  }

  @Test(arguments: [0.01, 0.3, 7, 333, 99_999.0], [Duration.zero, .seconds(3)])
  func `as many runs begin before a time as have times before it`(rate: Double, ramp: Duration) {
    let schedule = ArrivalSchedule(rate: rate, ramp: ramp)
    for second in [1, 2, 17] {
      let count = schedule.count(before: .seconds(second))
      #expect(count == 0 || schedule.time(of: count - 1) < .seconds(second))
      #expect(schedule.time(of: count) >= .seconds(second))
    }
  }
}

@Suite struct LoadRunTests {
  private static let stall = Duration.seconds(5)

  /// One device at 100 runs a second of 1 ms each; run 500 is answered 5 s late.
  private func stalled(_ pacing: LoadPlan.Pacing) async -> LoadReport {
    let clock = JumpingClock()
    let plan = LoadPlan(scenario: .signIn, devices: 1, pacing: pacing, duration: .seconds(30))
    return await played(
      plan, on: clock,
      ScriptedDriver { _, run, steps in
        try await steps.measure(.sign) { clock.pass(run == 500 ? Self.stall : .milliseconds(1)) }
      })
  }

  @Test func `a stall of the server shows in the percentiles of an open loop`() async {
    let report = await stalled(.rate(100))
    // Nobody who should have begun during the stall is forgotten: a tenth of all waited, half a second and more.
    #expect(report.completed == 3000 && report.failed == 0)
    #expect(report.whole.percentile(50) <= .milliseconds(2))
    #expect(report.whole.percentile(90) > .milliseconds(1500))
    #expect(report.whole.percentile(99) > .milliseconds(4500))
    #expect(report.whole.maximum == Self.stall)
    // The step itself was slow only once: it is the waiting that the whole run counts.
    #expect(report.steps.map(\.step) == [.sign])
    #expect(report.steps[0].latencies.percentile(99.9) <= .milliseconds(2))
  }

  @Test func `a closed loop sees the same stall only once`() async {
    let report = await stalled(.concurrency(1))
    #expect(report.whole.maximum == Self.stall && report.whole.percentile(99.9) <= .milliseconds(2))
  }

  @Test func `a server that is too slow leaves runs that never began, and they count as failures`() async {
    let clock = JumpingClock()
    let plan = LoadPlan(scenario: .signIn, devices: 1, pacing: .rate(100), duration: .seconds(10))
    let report = await played(plan, on: clock, ScriptedDriver { _, _, _ in clock.pass(.milliseconds(20)) })
    #expect(report.completed == 500)
    #expect(report.errors.byKind.map(\.kind) == [.notStarted])
    #expect(report.completed + report.failed == 1000)
    // The last that began should have done so when half of the time was over.
    #expect(report.whole.maximum > .milliseconds(4900))
  }

  @Test func `runs of the ramp are counted apart`() async {
    let clock = JumpingClock()
    let plan = LoadPlan(
      scenario: .signIn, devices: 1, pacing: .rate(100), duration: .seconds(10), ramp: .seconds(10))
    let report = await played(
      plan, on: clock,
      ScriptedDriver { _, run, steps in
        let isRamp = clock.now.offset < .seconds(10)
        try await steps.measure(.start) { clock.pass(isRamp ? .milliseconds(4) : .milliseconds(1)) }
      })
    #expect(report.ramp == LoadReport.Ramp(completed: 500) && report.completed == 1000)
    #expect(report.steps[0].latencies.count == 1000 && report.whole.maximum < .milliseconds(4))
    #expect(report.elapsed == .seconds(10) + .milliseconds(0) || report.elapsed < .milliseconds(10_010))
    #expect(report.intervals.list.reduce(0) { $0 + $1.completed } == 1500)
  }

  @Test func `no device is in two runs at a time, and all take their turn`() async {
    let busy = Locked<[Int]>([])
    let seen = Locked<Set<Int>>([])
    let plan = LoadPlan(scenario: .signIn, devices: 7, pacing: .rate(1000), duration: .seconds(1))
    let report = await played(
      plan,
      ScriptedDriver { device, _, _ in
        let isFree = busy.withLock { busy in
          defer { busy.append(device) }
          return !busy.contains(device)
        }
        #expect(isFree)
        seen.withLock { _ = $0.insert(device) }
        await Task.yield()
        busy.withLock { busy in busy.removeAll { $0 == device } }
      })
    #expect(report.completed > 0 && seen.withLock { $0 } == Set(0..<7))
  }

  @Test(arguments: [LoadPlan.Pacing.rate(50), .concurrency(3)])
  func `each device enrols once, and then the load ends`(pacing: LoadPlan.Pacing) async {
    let devices = Locked<[Int]>([])
    let plan = LoadPlan(scenario: .bind, devices: 20, pacing: pacing, duration: nil)
    let report = await played(
      plan, ScriptedDriver { device, _, _ in devices.withLock { $0.append(device) } })
    #expect(report.completed == 20 && devices.withLock { $0.sorted() } == Array(0..<20))
    #expect(report.endings == [.completed])
  }

  @Test func `an end before its time reports what was done until then`() async {
    let clock = JumpingClock()
    let stop = LoadStop()
    let plan = LoadPlan(scenario: .signIn, devices: 1, pacing: .rate(10), duration: .seconds(1000))
    let report = await played(
      plan, on: clock, stop: stop,
      ScriptedDriver { _, run, _ in
        clock.pass(.milliseconds(1))
        if run == 99 { stop.request(.interrupted) }
      })
    #expect(report.completed == 100 && report.failed == 0 && report.endings == [.interrupted])
    // The rate is that of the time until then, not of the plan's.
    #expect((9.9...10.2).contains(report.throughput), "\(report.throughput)")
  }

  @Test func `a server that was never there is not waited for`() async {
    let stop = LoadStop()
    let plan = LoadPlan(scenario: .signIn, devices: 3, pacing: .rate(10), duration: .seconds(1000))
    let driver = ScriptedDriver { _, _, _ in throw LoadFailure(.unreachable, "no connection can be made") }
    let report = await played(plan, stop: stop, driver)
    #expect(stop.reason == .serverGone(LoadFailure(.unreachable, "no connection can be made")))
    #expect(report.completed == 0 && driver.count <= 3)
  }

  @Test func `a server that goes away ends the load after a while, and one that comes back does not`() async {
    let clock = JumpingClock()
    let plan = LoadPlan(
      scenario: .signIn, devices: 1, pacing: .rate(10), duration: .seconds(60), patience: .seconds(10))
    func failing(in range: Range<Int>) async -> LoadReport {
      let clock = JumpingClock()
      return await played(
        plan, on: clock,
        ScriptedDriver { _, run, _ in
          if range.contains(run) { throw LoadFailure(.unreachable, "no connection can be made") }
          clock.pass(.milliseconds(1))
        })
    }
    let away = await failing(in: 100..<600)
    #expect(away.endings == [.serverGone] && away.completed == 100 && (95...105).contains(away.failed))
    let back = await failing(in: 100..<190)
    #expect(back.endings == [.completed] && back.completed == 510 && back.failed == 90)
    _ = clock
  }

  @Test func `a question that nobody can answer ends the load at once`() async {
    let stop = LoadStop()
    let plan = LoadPlan(scenario: .signIn, devices: 1, pacing: .rate(10), duration: .seconds(60))
    let failure = LoadFailure(.unanswerable, "journey SignIn asks for ChoiceCallback")
    let driver = ScriptedDriver { _, _, _ in throw failure }
    let report = await played(plan, stop: stop, driver)
    #expect(stop.reason == .failed(failure) && driver.count == 1 && report.endings == [.failed])
  }
}
