internal import Concurrency

/// A clock that stands still until it is told to go on.
package final class ManualClock: Clock {
  package struct Instant: InstantProtocol {
    package var offset: Duration = .zero
    package func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    package func duration(to other: Instant) -> Duration { other.offset - offset }
    package static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
  }

  private struct Sleeper {
    let id: Int
    let end: Instant
    let continuation: CheckedContinuation<Void, any Error>
  }

  private struct State {
    var now = Instant()
    var nextID = 0
    var sleepers: [Sleeper] = []
    var cancelled: Set<Int> = []
  }

  private let state = Locked(State())

  package init() {}

  package var now: Instant { state.withLock { $0.now } }

  /// How many sleep now. Once somebody does, the end of that sleep is fixed, and ``advance(by:)`` reaches it.
  package var sleeperCount: Int { state.withLock { $0.sleepers.count } }

  package var minimumResolution: Duration { .nanoseconds(1) }

  package func sleep(until end: Instant, tolerance: Duration?) async throws {
    let id = state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let result = state.withLock { state -> Result<Void, any Error>? in
          if state.cancelled.contains(id) { return .failure(CancellationError()) }
          if state.now >= end { return .success(()) }
          state.sleepers.append(Sleeper(id: id, end: end, continuation: continuation))
          return nil
        }
        if let result { continuation.resume(with: result) }
      }
    } onCancel: {
      let sleeper = state.withLock { state -> Sleeper? in
        state.cancelled.insert(id)
        guard let index = state.sleepers.firstIndex(where: { $0.id == id }) else { return nil }
        return state.sleepers.remove(at: index)
      }
      sleeper?.continuation.resume(throwing: CancellationError())
    }
  }

  package func advance(by duration: Duration) {
    let due = state.withLock { state in
      state.now = state.now.advanced(by: duration)
      let due = state.sleepers.filter { $0.end <= state.now }
      state.sleepers.removeAll { $0.end <= state.now }
      return due
    }
    for sleeper in due { sleeper.continuation.resume() }
  }
}
