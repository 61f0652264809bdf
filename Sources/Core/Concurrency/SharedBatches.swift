/// Items of several tasks that arrive while others are being written share the next write.
///
/// An item that was given here is written even if the task that waits for it is cancelled, because others are written with it.
package final class SharedBatches<Item: Sendable, Value: Sendable>: Sendable {
  package typealias Outcome = Result<Value, any Error>

  private struct Waiting: Sendable {
    let item: Item
    let told: CheckedContinuation<Value, any Error>
  }

  private struct State: Sendable {
    var waiting: [Waiting] = []
    var writes = 0
  }

  private let state = Locked(State())
  private let mostWrites: Int
  private let largest: Int

  /// - Parameters:
  ///   - mostWrites: how many writes may run at once.
  ///   - largest: the most items of one write.
  package init(mostWrites: Int, largest: Int = .max) {
    (self.mostWrites, self.largest) = (mostWrites, largest)
  }

  /// Writes the item, alone or with others.
  ///
  /// - Parameter body: writes the items that it is given, and returns their outcomes in the same order.
  package func write(
    _ item: Item, _ body: @escaping @Sendable ([Item]) async -> [Outcome]
  ) async throws -> Value {
    try await withCheckedThrowingContinuation { told in
      let begins = state.withLock { state in
        state.waiting.append(Waiting(item: item, told: told))
        guard state.writes < mostWrites else { return false }
        state.writes += 1
        return true
      }
      if begins { Task.detached { [self] in await writeWaiting(body) } }
    }
  }

  private func writeWaiting(_ body: @Sendable ([Item]) async -> [Outcome]) async {
    while let batch = takeWaiting() {
      for (waiting, outcome) in zip(batch, await body(batch.map(\.item))) {
        waiting.told.resume(with: outcome)
      }
    }
  }

  /// The items of the next write; `nil` at the end.
  private func takeWaiting() -> [Waiting]? {
    state.withLock { state in
      guard !state.waiting.isEmpty else {
        state.writes -= 1
        return nil
      }
      let batch = Array(state.waiting.prefix(largest))
      state.waiting.removeFirst(batch.count)
      return batch
    }
  }
}
