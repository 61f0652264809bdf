internal import Concurrency

/// The time limit of one `bind()` or `sign()`.
struct Deadline: Sendable {
  /// Returns when the time is up.
  private let wait: @Sendable () async throws -> Void
  private let hasPassed: @Sendable () -> Bool

  /// A limit of `seconds` from now on `clock`.
  init(seconds: Int, clock: some Clock<Duration>) {
    let end = clock.now.advanced(by: .seconds(seconds))
    wait = { try await clock.sleep(until: end, tolerance: nil) }
    hasPassed = { clock.now >= end }
  }

  /// - Throws: ``DeviceBindingError/timeout`` when the time is up, `CancellationError` when the task is cancelled.
  func check() throws {
    try Task.checkCancellation()
    if hasPassed() { throw DeviceBindingError.timeout }
  }

  /// Runs `body` for as long as there is time, in a task of its own that is cancelled then.
  ///
  /// - Parameters:
  ///   - abandoning: Whether to go on at once when the time is up or this task is cancelled, because `body` is an app's
  ///     and may never end; otherwise it is waited for.
  ///   - late: Receives the result of an abandoned `body`.
  /// - Throws: ``DeviceBindingError/timeout``, `CancellationError`, or what `body` throws.
  func run<Result: Sendable>(
    abandoning: Bool, _ body: @escaping @Sendable () async throws -> Result,
    late: @escaping @Sendable (Result) async -> Void = { _ in }
  ) async throws -> Result {
    try check()
    let result = try await untilCancelled(abandoning: abandoning, unless: wait, body, late: late)
    try check()
    return result
  }
}

/// Runs `body` in a task of its own, until it ends, `interrupt` returns, or this task is cancelled.
///
/// - Throws: ``DeviceBindingError/timeout`` when `interrupt` returned first, `CancellationError`, or what `body` throws.
func untilCancelled<Value: Sendable>(
  abandoning: Bool, unless interrupt: (@Sendable () async throws -> Void)? = nil,
  _ body: @escaping @Sendable () async throws -> Value,
  late: @escaping @Sendable (Value) async -> Void = { _ in }
) async throws -> Value {
  let first = FirstAnswer<Result<Value, any Error>>()
  let work = Task {
    do {
      let value = try await body()
      if !first.give(.success(value)) { await late(value) }
    } catch {
      first.give(.failure(error))
    }
  }
  let timer = interrupt.map { interrupt in
    Task {
      try await interrupt()
      first.give(.failure(DeviceBindingError.timeout))
    }
  }
  let result = await withTaskCancellationHandler {
    await first.value
  } onCancel: {
    first.give(.failure(CancellationError()))
  }
  timer?.cancel()
  work.cancel()
  if !abandoning { await work.value }
  return try result.get()
}
