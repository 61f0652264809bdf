internal import Concurrency

/// Lets a number of tasks send at once, and fewer of one lane. The others wait, first come first served.
final class SendSlots: Sendable {
  private struct Waiter {
    let lane: String
    let continuation: CheckedContinuation<Void, Never>
  }

  private struct State {
    var free: Int
    var used: [String: Int] = [:]
    var waiting: [Waiter] = []

    mutating func take(_ lane: String, laneLimit: Int) -> Bool {
      guard free > 0, used[lane, default: 0] < laneLimit else { return false }
      free -= 1
      used[lane, default: 0] += 1
      return true
    }
  }

  private let state: Locked<State>
  private let laneLimit: Int

  init(count: Int, perLane: Int) {
    state = Locked(State(free: count))
    laneLimit = perLane
  }

  /// Waits for a slot. A cancelled task gets its turn like any other, and gives it back.
  func acquire(_ lane: String) async {
    let laneLimit = laneLimit
    await withCheckedContinuation { continuation in
      let isTaken = state.withLock { state in
        if state.take(lane, laneLimit: laneLimit) { return true }
        state.waiting.append(Waiter(lane: lane, continuation: continuation))
        return false
      }
      if isTaken { continuation.resume() }
    }
  }

  func release(_ lane: String) {
    let laneLimit = laneLimit
    let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
      state.free += 1
      state.used[lane, default: 1] -= 1
      if state.used[lane] == 0 { state.used[lane] = nil }
      // One slot came free, so at most one can go: the first whose lane has room.
      guard let index = state.waiting.firstIndex(where: { state.used[$0.lane, default: 0] < laneLimit })
      else { return nil }
      let waiter = state.waiting.remove(at: index)
      return state.take(waiter.lane, laneLimit: laneLimit) ? waiter.continuation : nil
    }
    next?.resume()
  }
}
