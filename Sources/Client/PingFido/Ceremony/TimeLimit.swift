internal import Concurrency

/// The time limit of a ceremony: 5 to 300 seconds, all prompts included.
struct TimeLimit: Sendable {
  let duration: Duration
  /// Returns when the time is up.
  private let wait: @Sendable () async throws -> Void

  /// A limit from now on `clock`.
  ///
  /// - Parameter milliseconds: The server's limit; one that is no time at all counts as 60 seconds.
  init(milliseconds: Int, clock: some Clock<Duration>) {
    duration = milliseconds > 0 ? .milliseconds(min(max(milliseconds, 5000), 300_000)) : .seconds(60)
    let end = clock.now.advanced(by: duration)
    wait = { try await clock.sleep(until: end, tolerance: nil) }
  }

  /// Runs `body` for as long as there is time, in a task of its own that is cancelled then, and waits for its end.
  ///
  /// - Parameter late: Receives the result of a `body` that succeeded although it was cancelled.
  /// - Throws: ``WebAuthnError/timeout(platformError:message:)``, `CancellationError`, or what `body` throws.
  func run<Value: Sendable>(
    _ body: @escaping @Sendable () async throws -> Value, late: @escaping @Sendable (Value) async -> Void
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
    let timer = Task { [wait] in
      try await wait()
      first.give(
        .failure(WebAuthnError.timeout(platformError: nil, message: "The time for this step ran out.")))
    }
    let result = await withTaskCancellationHandler {
      await first.value
    } onCancel: {
      first.give(.failure(CancellationError()))
    }
    timer.cancel()
    work.cancel()
    await work.value
    return try result.get()
  }
}
