/// Time from the start of the load on.
package struct LoadClock: Sendable {
  /// How long the load has been running.
  package let now: @Sendable () -> Duration

  /// Returns when the load has been running that long.
  package let sleep: @Sendable (_ until: Duration) async throws -> Void

  /// A clock whose time begins now.
  package init<Source: Clock<Duration>>(_ clock: Source = ContinuousClock()) {
    let start = clock.now
    now = { start.duration(to: clock.now) }
    sleep = { time in try await clock.sleep(until: start.advanced(by: time), tolerance: nil) }
  }
}
