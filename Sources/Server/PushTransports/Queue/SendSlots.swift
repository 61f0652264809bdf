internal import Concurrency

/// Limits how many tasks send at once, in total and in each lane. The others wait in order.
///
/// A stalled lane holds its slots until they time out, and a client that can choose lanes can stall many. So each lane gets a quarter of
/// the free slots, up to a limit: eight stalled lanes leave ten slots of 64. A lane that was slow the last time gets one slot until it
/// is faster, and all slow lanes together get at most half of the slots.
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
    var free: Int

    /// The slots that slow lanes may still take.
    var freeToSlow: Int
    var lanes: [String: Lane] = [:]
    var waiting: [Waiter] = []

    func hasPlace(for name: String, _ limit: Int?) -> Bool {
      guard free > 0, let limit else { return free > 0 }
      let lane = lanes[name] ?? Lane()
      return lane.isSlow ? lane.used == 0 && freeToSlow > 0 : lane.used < min(limit, max(1, free / 4))
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

  /// The most slots of a lane; `nil` when there is only one lane.
  private let laneLimit: Int?

  /// - Parameter perLane: the most slots of one lane; the value of `count` where others cannot choose lanes.
  init(count: Int, perLane: Int) {
    state = Locked(State(free: count, freeToSlow: count / 2))
    laneLimit = perLane < count ? perLane : nil
  }

  /// Waits for a slot. A cancelled task gets its turn like any other, and gives it back.
  func acquire(_ lane: String) async {
    let laneLimit = laneLimit
    await withCheckedContinuation { continuation in
      let isTaken = state.withLock { state in
        if state.hasPlace(for: lane, laneLimit) {
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
    let laneLimit = laneLimit
    let next = state.withLock { state in
      state.give(back: lane, wasSlow: wasSlow)
      var next: [CheckedContinuation<Void, Never>] = []
      while let index = state.waiting.firstIndex(where: { state.hasPlace(for: $0.lane, laneLimit) }) {
        let waiter = state.waiting.remove(at: index)
        state.take(waiter.lane)
        next.append(waiter.continuation)
      }
      return next
    }
    for continuation in next { continuation.resume() }
  }
}
