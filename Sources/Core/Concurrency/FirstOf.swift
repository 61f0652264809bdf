/// Runs `body` in a task of its own until it ends, the time is up, or the calling task is cancelled, whichever comes first. In the last
/// two cases `body` is cancelled.
///
/// - Parameters:
///   - body: The work to wait for.
///   - limit: The time limit, counted from this call; `nil` for none.
///   - clock: The clock that measures the time.
///   - timeout: The error to throw when the time is up first.
///   - abandoning: Whether to return at once when `body` is not first, for work that is not ours and may never end. Otherwise the
///     function waits for its end.
///   - late: Receives the result of a `body` that succeeded, but was not the first.
/// - Throws: `timeout`, `CancellationError`, or what `body` throws.
package func firstOf<Value: Sendable>(
  _ body: @escaping @Sendable () async throws -> Value, orAfter limit: Duration?,
  on clock: any Clock<Duration> = ContinuousClock(), throwing timeout: any Error = TimeIsUp(),
  abandoning: Bool = false, late: @escaping @Sendable (Value) async -> Void = { _ in }
) async throws -> Value {
  let wait = limit.map { alarm(in: $0, on: clock) }
  let first = FirstAnswer<Result<Value, any Error>>()
  let work = Task {
    do {
      let value = try await body()
      if !first.give(.success(value)) { await late(value) }
    } catch {
      first.give(.failure(error))
    }
  }
  let timer = wait.map { wait in
    Task {
      try await wait()
      first.give(.failure(timeout))
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

/// The time was up before there was a result.
package struct TimeIsUp: Error, Hashable { package init() {} }

/// Returns a function that waits until `limit` has passed since this call, however late the waiting begins.
private func alarm(in limit: Duration, on clock: some Clock<Duration>) -> @Sendable () async throws -> Void {
  let end = clock.now.advanced(by: limit)
  return { try await clock.sleep(until: end, tolerance: nil) }
}
