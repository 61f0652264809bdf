internal import Concurrency

/// Lets devices play runs by a plan, and records the results.
package struct LoadRun: Sendable {
  private let plan: LoadPlan
  private let driver: any LoadDriver
  private let clock: LoadClock
  private let recorder: LoadRecorder
  private let stop: LoadStop
  private let contact = Locked(Duration?.none)

  /// The indices of the participating devices in the plan, from 0.
  private let devices: [Int]

  /// The time that runs may continue after an early end.
  private static let grace = Duration.seconds(2)
  /// The longest sleep, so that a stop is noticed soon.
  private static let slice = Duration.milliseconds(200)

  /// - Parameter devices: the indices of the participating devices, from 0; `nil` for all.
  package init(
    _ plan: LoadPlan, devices: [Int]? = nil, driver: any LoadDriver, clock: LoadClock,
    recorder: LoadRecorder, stop: LoadStop = LoadStop()
  ) {
    self.plan = plan
    self.devices = devices ?? Array(0..<plan.devices)
    self.driver = driver
    self.clock = clock
    self.recorder = recorder
    self.stop = stop
  }

  /// Plays the plan to its end, or until an early end.
  package func run() async {
    let pool = DevicePool(devices, returns: !plan.scenario.isEnrolment)
    let (limits, limit) = AsyncStream.makeStream(of: Duration.self)
    let work = Task {
      await withDiscardingTaskGroup { group in
        switch plan.pacing {
        case .rate(let rate):
          await offer(at: rate, from: pool, in: &group)
          limit.yield(plan.drain)
        case .concurrency(let count): occupy(count, from: pool, in: &group) { limit.yield(plan.drain) }
        }
      }
    }
    // Runs that take too long after the end are given up. This uses real time, because it measures nothing.
    let reaper = Task {
      await withDiscardingTaskGroup { group in
        for await limit in limits {
          group.addTask {
            do { try await Task.sleep(for: limit) } catch { return }
            work.cancel()
          }
        }
      }
    }
    stop.onRequest {
      limit.yield(Self.grace)
      Task { await pool.close() }
    }
    await work.value
    limit.finish()
    reaper.cancel()
    recorder.end(at: clock.now(), early: stop.reason)
  }

  // MARK: Open loop

  private func offer(at rate: Double, from pool: DevicePool, in group: inout DiscardingTaskGroup) async {
    let schedule = ArrivalSchedule(rate: rate, ramp: plan.ramp)
    let total = plan.end.map { schedule.count(before: $0) } ?? .max
    var next = 0
    while next < total {
      // The device comes first, then the time: a run that waits for a device begins late, and its latency counts from its intended start.
      guard let taken = await pool.take() else { break }
      let intended = schedule.time(of: next)
      let isFreeInTime = !taken.hasWaited || clock.now() <= intended
      guard await wait(until: intended) else { break }
      if isFreeInTime, intended >= plan.ramp { recorder.record(lag: clock.now() - intended) }
      // A run that could not begin before the end does not begin after it.
      if let end = plan.end, clock.now() >= end { break }
      group.addTask { await play(taken.device, from: pool, intended: intended) }
      next += 1
    }
    guard let end = plan.end, clock.now() >= end, next < total else { return }
    recorder.fail(
      LoadFailure(.notStarted, "no device was free before the end"), count: total - next,
      at: clock.now(), isRamp: false)
  }

  // MARK: Closed loop

  private func occupy(
    _ count: Int, from pool: DevicePool, in group: inout DiscardingTaskGroup,
    atEnd end: @escaping @Sendable () -> Void
  ) {
    let count = min(count, devices.count)
    for worker in 0..<count {
      group.addTask {
        guard await wait(until: plan.ramp * worker / count) else { return }
        while stop.reason == nil, !Task.isCancelled {
          if let last = plan.end, clock.now() >= last { return end() }
          guard let taken = await pool.take() else { return }
          await play(taken.device, from: pool, intended: clock.now())
        }
      }
    }
  }

  // MARK: One run

  private func play(_ device: Int, from pool: DevicePool, intended: Duration) async {
    let isRamp = intended < plan.ramp
    recorder.begin()
    do {
      try await driver.run(
        device: device,
        steps: StepTimer(clock: clock, recorder: recorder, isRamp: isRamp) { heard(at: $0) })
      let now = clock.now()
      heard(at: now)
      recorder.succeed(now - intended, at: now, isRamp: isRamp)
    } catch {
      let failure = Self.failure(error)
      recorder.fail(failure, at: clock.now(), isRamp: isRamp, hasBegun: true)
      judge(failure)
    }
    await pool.give(back: device)
  }

  private static func failure(_ error: any Error) -> LoadFailure {
    if let failure = error as? LoadFailure { return failure }
    // Other errors come from the server's data: devices create only valid formats.
    return error is CancellationError
      ? LoadFailure(.unfinished, "given up at the end") : LoadFailure(.malformed, "\(error)")
  }

  /// Stops the load if further runs make no sense.
  private func judge(_ failure: LoadFailure) {
    if failure.isFinal { return stop.request(.failed(failure)) }
    let now = clock.now()
    if failure.isAnswer { return heard(at: now) }
    guard failure.kind != .unfinished, failure.kind != .notStarted else { return }
    // A server that has never answered counts as gone at once.
    let isGone = contact.withLock { contact in contact.map { now - $0 >= plan.patience } ?? true }
    if isGone { stop.request(.serverGone(failure)) }
  }

  private func heard(at now: Duration) {
    contact.withLock { contact in contact = max(contact ?? .zero, now) }
  }

  // MARK: Waiting

  /// Waits until `time`. Returns `false` when the load was stopped.
  private func wait(until time: Duration) async -> Bool {
    while stop.reason == nil, !Task.isCancelled {
      guard clock.now() < time else { return true }
      do { try await clock.sleep(min(time, clock.now() + Self.slice)) } catch { return false }
    }
    return false
  }
}
