#if os(Linux)
  internal import Concurrency

  /// The place for the one outcome of a verification: the first counts, and one task waits for it.
  final class PAMOutcome: Sendable {
    private struct State {
      var result: Result<Void, any Error>?
      var waiting: CheckedContinuation<Void, any Error>?
    }

    private let state = Locked(State())

    func give(_ result: Result<Void, any Error>) {
      let waiting = state.withLock { state -> CheckedContinuation<Void, any Error>? in
        guard state.result == nil else { return nil }
        state.result = result
        return state.waiting.take()
      }
      waiting?.resume(with: result)
    }

    func value() async throws {
      try await withCheckedThrowingContinuation { continuation in
        let result = state.withLock { state in
          if state.result == nil { state.waiting = continuation }
          return state.result
        }
        if let result { continuation.resume(with: result) }
      }
    }
  }
#endif
