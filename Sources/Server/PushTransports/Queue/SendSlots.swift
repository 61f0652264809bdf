internal import Concurrency

/// Limits how many tasks send at once, in total and in each lane. The others wait in order.
///
/// A stalled lane holds its slots until they time out, and a client that can choose lanes can stall many. So each lane gets a quarter of
/// the free slots: one stalled lane holds at most 13 of 64, and eight leave at least 12. A lane that was slow the last time gets one slot
/// until it is faster, and all slow lanes together get at most half of the slots.
final class SendSlots: Sendable {
  private struct Waiter {
    let lane: String
    let continuation: CheckedContinuation<Void, Never>
  }

  private struct Lane {
    var used = 0
    var isSlow = false
  }

  private struct State {
    let limitsLanes: Bool
    var free: Int

    /// The slots that slow lanes may still take.
    var freeToSlow: Int
    var lanes: [String: Lane] = [:]
    var waiting: [Waiter] = []

    func hasPlace(for name: String) -> Bool {
      guard free > 0, limitsLanes else { return free > 0 }
      let lane = lanes[name] ?? Lane()
      return lane.isSlow ? lane.used == 0 && freeToSlow > 0 : lane.used < max(1, free / 4)
    }

    mutating func take(_ name: String) {
      free -= 1
      var lane = lanes[name] ?? Lane()
      if lane.isSlow { freeToSlow -= 1 }
      lane.used += 1
      lanes[name] = lane
    }

    mutating func give(back name: String, wasSlow: Bool) {
      free += 1
      var lane = lanes[name] ?? Lane()
      if lane.isSlow { freeToSlow += lane.used }
      lane.used -= 1
      lane.isSlow = wasSlow
      if wasSlow { freeToSlow -= lane.used }
      lanes[name] = lane.used > 0 || wasSlow ? lane : nil
      // Slow lanes are remembered, but only a limited number of them.
      if lanes.count > SendSlots.mostRemembered { lanes = lanes.filter { $0.value.used > 0 } }
    }
  }

  private static let mostRemembered = 1000

  private let state: Locked<State>

  /// - Parameter limitsLanes: whether a lane gets only a part of the slots; `false` where others cannot choose lanes.
  init(count: Int, limitsLanes: Bool) {
    state = Locked(State(limitsLanes: limitsLanes, free: count, freeToSlow: count / 2))
  }

  /// Waits for a slot. A cancelled task gets its turn like any other, and gives it back.
  func acquire(_ lane: String) async {
    await withCheckedContinuation { continuation in
      let isTaken = state.withLock { state in
        if state.hasPlace(for: lane) {
          state.take(lane)
          return true
        }
        state.waiting.append(Waiter(lane: lane, continuation: continuation))
        return false
      }
      if isTaken { continuation.resume() }
    }
  }

  /// - Parameter wasSlow: whether the attempt held its slot for long.
  func release(_ lane: String, wasSlow: Bool) {
    let next = state.withLock { state in
      state.give(back: lane, wasSlow: wasSlow)
      var next: [CheckedContinuation<Void, Never>] = []
      while let index = state.waiting.firstIndex(where: { state.hasPlace(for: $0.lane) }) {
        let waiter = state.waiting.remove(at: index)
        state.take(waiter.lane)
        next.append(waiter.continuation)
      }
      return next
    }
    for continuation in next { continuation.resume() }
  }
}
