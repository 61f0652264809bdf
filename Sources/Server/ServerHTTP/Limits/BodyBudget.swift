internal import Concurrency
package import Operations

/// The memory for bodies that are being received. Without it, many connections that each send most of a body and stop would take
/// gigabytes.
///
/// An address may hold as much as is still free: one gets half at most, two get two thirds, and something is always left for
/// the next.
package final class BodyBudget: Sendable {
  private struct State {
    var total = 0
    var held: [String: Int] = [:]
  }

  private let limit: Int
  private let metrics: ServerMetrics
  private let state = Locked(State())

  /// - Parameter limit: bytes.
  package init(limit: Int, metrics: ServerMetrics = .none) {
    self.limit = limit
    self.metrics = metrics
  }

  /// Bytes in use.
  package var total: Int { state.withLock { $0.total } }

  /// Takes bytes for a body from `address`. Returns `false`, and takes none, when the address holds its share.
  package func take(_ count: Int, address: String) -> Bool {
    let isTaken = state.withLock { [limit] state in
      let held = state.held[address] ?? 0
      guard held + count <= limit - state.total - count else { return false }
      state.total += count
      state.held[address] = held + count
      return true
    }
    if !isTaken { metrics.count(.limitReached, "bodiesUnderWay") }
    return isTaken
  }

  /// Gives back what was taken.
  func release(_ count: Int, address: String) {
    guard count > 0 else { return }
    state.withLock { state in
      state.total -= count
      let rest = (state.held[address] ?? 0) - count
      state.held[address] = rest > 0 ? rest : nil
    }
  }
}
