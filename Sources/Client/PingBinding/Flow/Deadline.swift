internal import Concurrency

/// The time limit of one `bind()` or `sign()`.
struct Deadline: Sendable {
  private let clock: any Clock<Duration>
  private let timeLeft: @Sendable () -> Duration

  /// A limit of `seconds` from now on `clock`.
  init(seconds: Int, clock: some Clock<Duration>) {
    let end = clock.now.advanced(by: .seconds(seconds))
    self.clock = clock
    timeLeft = { clock.now.duration(to: end) }
  }

  /// - Throws: ``DeviceBindingError/timeout`` when the time is up, `CancellationError` when the task is cancelled.
  func check() throws {
    try Task.checkCancellation()
    if timeLeft() <= .zero { throw DeviceBindingError.timeout }
  }

  /// Runs `body` in a task of its own, which is cancelled when the time is up.
  ///
  /// - Parameters:
  ///   - abandoning: Whether to return at once when the time is up or this task is cancelled, because `body` is the app's
  ///     and may never end. Otherwise this method waits until `body` ends.
  ///   - late: Receives the result of an abandoned `body`.
  /// - Throws: ``DeviceBindingError/timeout``, `CancellationError`, or what `body` throws.
  func run<Result: Sendable>(
    abandoning: Bool, _ body: @escaping @Sendable () async throws -> Result,
    late: @escaping @Sendable (Result) async -> Void = { _ in }
  ) async throws -> Result {
    try check()
    let result = try await firstOf(
      body, orAfter: timeLeft(), on: clock, throwing: DeviceBindingError.timeout, abandoning: abandoning,
      late: late)
    try check()
    return result
  }
}
