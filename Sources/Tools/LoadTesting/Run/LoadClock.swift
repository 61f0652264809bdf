/// The time since the start of the load.
package struct LoadClock: Sendable {
  /// The time since the start.
  package let now: @Sendable () -> Duration

  /// Sleeps until the load has been running for a duration.
  package let sleep: @Sendable (_ until: Duration) async throws -> Void

  /// Creates a clock that starts now.
  package init<Source: Clock<Duration>>(_ clock: Source = ContinuousClock()) {
    let start = clock.now
    now = { start.duration(to: clock.now) }
    sleep = { time in try await clock.sleep(until: start.advanced(by: time), tolerance: nil) }
  }
}
