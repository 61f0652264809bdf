/// Lets one task at a time run a section of code that awaits; the others wait, first come first served.
///
/// A cancelled task waits for its turn and gets it like any other, because cleaning up after a cancellation needs the
/// same storage. Not re-entrant: a body that locks the same mutex again waits for itself.
package final class AsyncMutex: Sendable {
  private struct State {
    var isHeld = false
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Locked(State())

  package init() {}

  /// Runs `body`, on the caller's actor, while no other body of this mutex runs.
  package func withLock<Result>(
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
  ) async rethrows -> Result {
    await acquire()
    defer { release() }
    return try await body()
  }

  private func acquire(isolation: isolated (any Actor)? = #isolation) async {
    await withCheckedContinuation { continuation in
      let isFree = state.withLock { state in
        if state.isHeld {
          state.waiting.append(continuation)
          return false
        }
        state.isHeld = true
        return true
      }
      if isFree { continuation.resume() }
    }
  }

  private func release() {
    let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
      guard !state.waiting.isEmpty else {
        state.isHeld = false
        return nil
      }
      return state.waiting.removeFirst()  // The lock passes on without ever being free.
    }
    next?.resume()
  }
}
