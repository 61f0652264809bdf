internal import Concurrency

/// The values of the keys that were noted last, up to a limit, because a server may send any number of messages.
final class RecentValues<Value: Sendable>: Sendable {
  private struct State {
    var values: [String: Value] = [:]
    /// In the order of their arrival; `next` is the place of the oldest once there are `limit` of them.
    var keys: [String] = []
    var next = 0
  }

  private let limit: Int
  private let state = Locked(State())

  init(limit: Int) { self.limit = limit }

  var count: Int { state.withLock { $0.values.count } }

  subscript(key: String) -> Value? { state.withLock { $0.values[key] } }

  /// Stores `value` for the key, replacing an earlier one; returns `true` when there was none.
  @discardableResult
  func note(_ key: String, _ value: Value) -> Bool {
    state.withLock { [limit] state in
      guard state.values.updateValue(value, forKey: key) == nil else { return false }
      if state.keys.count < limit {
        state.keys.append(key)
      } else {
        state.values[state.keys[state.next]] = nil
        state.keys[state.next] = key
        state.next = (state.next + 1) % limit
      }
      return true
    }
  }
}
