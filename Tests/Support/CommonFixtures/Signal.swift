internal import Concurrency

/// Something that happens, and that a test waits for. Only the first time counts.
package final class Signal: Sendable {
  private let state = Locked<(happened: Bool, waiting: [CheckedContinuation<Void, Never>])>((false, []))

  package init() {}

  package func fire() {
    let waiting = state.withLock { state in
      state.happened = true
      defer { state.waiting = [] }
      return state.waiting
    }
    for continuation in waiting { continuation.resume() }
  }

  /// Waits, and says what did not happen when that takes too long.
  ///
  /// - Parameter what: The awaited state as a clause, for the message: "the server is asked".
  /// - Throws: ``WaitTimeout``, or `CancellationError` when the task is cancelled.
  package func wait(
    until what: String, within limit: Duration = .seconds(60), fileID: String = #fileID, line: Int = #line
  ) async throws {
    let timeout = WaitTimeout(what, within: limit, fileID: fileID, line: line)
    try await firstOf({ await self.wait() }, orAfter: limit, throwing: timeout, abandoning: true)
  }

  /// Waits without a limit, where the test ends another way when it never happens.
  package func wait() async {
    await withCheckedContinuation { continuation in
      let happened = state.withLock { state in
        if !state.happened { state.waiting.append(continuation) }
        return state.happened
      }
      if happened { continuation.resume() }
    }
  }
}
