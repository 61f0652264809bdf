internal import Concurrency
internal import JourneyStore

/// Proofs of this server that arrive while others are being written share the next transaction.
///
/// A proof is chained to the one before it under the lock of a lane of the ledger, and holds that lock until it is on disk. One by one,
/// proofs take a flush each, however many commits PostgreSQL could flush at once; together they take one.
///
/// A proof that was given here is written even if the task that waits for it is cancelled, because others are
/// written with it.
final class SharedProofs: Sendable {
  typealias Outcome = Result<AcceptedProof, any Error>

  private struct Waiting: Sendable {
    let proof: LedgerProof
    let told: CheckedContinuation<AcceptedProof, any Error>
  }

  private struct State: Sendable {
    var waiting: [Waiting] = []
    var transactions = 0
  }

  /// Bounds how long one transaction holds its locks.
  private static let largestTransaction = 64

  private let state = Locked(State())
  private let mostTransactions: Int

  /// Two transactions for each lane may run at once: while one is flushed the next one is prepared, and a connection that is lost silently
  /// stops only the proofs that were sent on it.
  ///
  /// - Parameter lanes: how many chains this server writes to.
  init(lanes: Int) { mostTransactions = 2 * max(lanes, 1) }

  /// Writes the proof, alone or with others.
  ///
  /// - Parameter write: writes the proofs that it is given, and returns their outcomes in the same order.
  func accept(
    _ proof: LedgerProof,
    _ write: @escaping @Sendable ([LedgerProof]) async -> [Outcome]
  ) async throws -> AcceptedProof {
    try await withCheckedThrowingContinuation { told in
      let begins = state.withLock { state in
        state.waiting.append(Waiting(proof: proof, told: told))
        guard state.transactions < mostTransactions else { return false }
        state.transactions += 1
        return true
      }
      if begins { Task.detached { [self] in await writeWaiting(write) } }
    }
  }

  private func writeWaiting(
    _ write: @Sendable ([LedgerProof]) async -> [Outcome]
  ) async {
    while let proofs = takeWaiting() {
      for (waiting, outcome) in zip(proofs, await write(proofs.map(\.proof))) {
        waiting.told.resume(with: outcome)
      }
    }
  }

  /// The proofs of the next transaction; `nil` at the end.
  private func takeWaiting() -> [Waiting]? {
    state.withLock { state in
      guard !state.waiting.isEmpty else {
        state.transactions -= 1
        return nil
      }
      let proofs = Array(state.waiting.prefix(Self.largestTransaction))
      state.waiting.removeFirst(proofs.count)
      return proofs
    }
  }
}
