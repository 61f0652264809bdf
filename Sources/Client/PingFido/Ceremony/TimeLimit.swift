internal import Concurrency

/// The time limit of a ceremony: 5 to 300 seconds, all prompts included.
struct TimeLimit: Sendable {
  let duration: Duration
  private let clock: any Clock<Duration>

  /// - Parameter milliseconds: The server's limit; one that is not a time at all counts as 60 seconds.
  init(milliseconds: Int, clock: any Clock<Duration>) {
    duration = milliseconds > 0 ? .milliseconds(min(max(milliseconds, 5000), 300_000)) : .seconds(60)
    self.clock = clock
  }

  /// Runs `body` for as long as there is time, in a task of its own that is cancelled then, and waits for its end.
  ///
  /// - Parameter late: Receives the result of a `body` that succeeded although it was cancelled.
  /// - Throws: ``WebAuthnError/timeout(platformError:message:)``, `CancellationError`, or what `body` throws.
  func run<Value: Sendable>(
    _ body: @escaping @Sendable () async throws -> Value, late: @escaping @Sendable (Value) async -> Void
  ) async throws -> Value {
    try await firstOf(
      body, orAfter: duration, on: clock,
      throwing: WebAuthnError.timeout(platformError: nil, message: "The time for this step ran out."),
      late: late)
  }
}
