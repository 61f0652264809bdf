#if os(Linux)
  internal import Concurrency

  /// The time that has to pass after a failure before the next try.
  struct PauseAfterFailure: Sendable {
    private let waitUntilOver: @Sendable () async throws -> Void
    private let beginPause: @Sendable (Duration) -> Void

    init<C: Clock<Duration>>(clock: C) {
      let end = Locked<C.Instant?>(nil)
      waitUntilOver = {
        // Another try may fail meanwhile and extend the pause.
        while let over = end.withLock({ $0 }), clock.now < over {
          try await clock.sleep(until: over, tolerance: nil)
        }
      }
      beginPause = { duration in
        let over = clock.now.advanced(by: duration)
        end.withLock { $0 = max($0 ?? over, over) }
      }
    }

    /// - Throws: `CancellationError` when the task is cancelled before the pause is over.
    func wait() async throws { try await waitUntilOver() }

    func begin(_ duration: Duration) { beginPause(duration) }
  }
#endif
