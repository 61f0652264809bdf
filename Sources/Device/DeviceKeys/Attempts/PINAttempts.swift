internal import Bytes
internal import Concurrency
package import Foundation

/// Counts the wrong PINs of one key, and refuses to try more than its policy allows.
///
/// A try is counted before it is evaluated, in one conditional write: killing the process, or starting many at once, gains no try. Tries
/// take turns, and one that waits for its turn is not counted yet: right PINs at the same time do not lock one another out.
///
/// The record is a file beside the key. Anybody who may change files there can remove it; the key stays encrypted under the PIN.
package struct PINAttempts: Sendable {
  private let records: PINAttemptRecords
  private let policy: PINAttemptPolicy
  private let patience: Int
  private let clock: @Sendable () -> Date

  /// - Parameters:
  ///   - file: The file that counts for all processes and across restarts; its folder must exist. Without a file, the count lives as long
  ///     as the value and its copies.
  ///   - patience: How often a try asks for its turn, about every 10 ms, before it goes ahead beside another; ten seconds by default.
  package init(
    file: URL? = nil, policy: PINAttemptPolicy, patience: Int = 1000, clock: @escaping @Sendable () -> Date
  ) {
    records = file.map { .file($0) } ?? .memory(Locked(nil))
    self.policy = policy
    self.patience = patience
    self.clock = clock
  }

  /// Runs `attempt`, which tries a PIN on the key `tag`, unless too many were wrong.
  ///
  /// - Parameter attempt: Throws ``DeviceKeyError/wrongPIN(tag:)`` exactly when the PIN is wrong. Any other error says
  ///   nothing about the PIN, and the try is given back: once the PIN is known to be wrong, no other error may be thrown.
  /// - Throws: What `attempt` throws; ``DeviceKeyError/lockedOut(tag:retryAfter:)``; ``DeviceKeyError/disabled(tag:)``,
  ///   also instead of the last wrong PIN; ``DeviceKeyError/unreadable(path:reason:)`` when the count is damaged:
  ///   nothing is tried then.
  nonisolated(nonsending) package func evaluate<Result: Sendable>(
    tag: String, _ attempt: nonisolated(nonsending) () async throws -> Result
  ) async throws -> Result {
    try await records.inTurn(patience: patience) { try await counted(tag: tag, attempt) }
  }

  nonisolated(nonsending) private func counted<Result: Sendable>(
    tag: String, _ attempt: nonisolated(nonsending) () async throws -> Result
  ) async throws -> Result {
    try Task.checkCancellation()
    let ticket = try await count(tag: tag)
    let result: Result
    do {
      result = try await attempt()
    } catch DeviceKeyError.wrongPIN(let wrong) {
      if try await confirmLast(ticket) { throw DeviceKeyError.disabled(tag: tag) }
      throw DeviceKeyError.wrongPIN(tag: wrong)
    } catch {
      // If this fails too, the try stays counted; the first failure is reported.
      try? await giveBack(ticket)
      throw error
    }
    guard try await forgive(ticket) else { throw DeviceKeyError.disabled(tag: tag) }
    return result
  }

  /// Returns the tries that are left, without trying a PIN.
  package func tries() async throws -> PINTries {
    let (policy, clock) = (policy, clock)
    return try await records.withRecord { policy.tries(after: $0, now: clock().roundedToMilliseconds) }
  }

  /// A try that was counted.
  private struct Ticket: Sendable {
    /// The record before the try.
    let before: PINAttemptRecord?
    /// The record that counts the try.
    let counted: PINAttemptRecord
  }

  nonisolated(nonsending) private func count(tag: String) async throws -> Ticket {
    let (policy, clock) = (policy, clock)
    let admission = try await records.withRecord { record -> Result<Ticket, DeviceKeyError> in
      let now = clock().roundedToMilliseconds
      // The clock was set back: restart the delay now. With a time in the future it would not end.
      if let last = record?.lastFailure, last > now { record?.lastFailure = now }
      switch policy.decision(after: record, now: now) {
      case .wait(let seconds):
        return .failure(.lockedOut(tag: tag, retryAfter: seconds))
      case .disabled:
        return .failure(.disabled(tag: tag))
      case .allowed:
        let counted = PINAttemptRecord(failures: (record?.failures ?? 0) + 1, lastFailure: now)
        let before = record
        record = counted
        return .success(Ticket(before: before, counted: counted))
      }
    }
    return try admission.get()
  }

  /// Disables the key after a wrong PIN if that was the last one that the policy allows, and returns whether it was.
  nonisolated(nonsending) private func confirmLast(_ ticket: Ticket) async throws -> Bool {
    let limit = policy.failuresUntilDisabled
    guard ticket.counted.failures >= limit else { return false }
    return try await records.withRecord { record in
      guard var disabled = record, disabled.failures >= limit else { return false }
      disabled.isDisabled = true
      record = disabled
      return true
    }
  }

  /// Forgets all failures after the right PIN, including those of other processes. Returns `false` when the key was disabled meanwhile,
  /// which cannot be undone.
  nonisolated(nonsending) private func forgive(_ ticket: Ticket) async throws -> Bool {
    let limit = policy.failuresUntilDisabled
    return try await records.withRecord { record in
      if let now = record, now.isDisabled || (now.failures >= limit && ticket.counted.failures < limit) {
        return false
      }
      record = nil
      return true
    }
  }

  nonisolated(nonsending) private func giveBack(_ ticket: Ticket) async throws {
    try await records.withRecord { record in
      guard let now = record, !now.isDisabled else { return }
      if now == ticket.counted {
        record = ticket.before
      } else {
        // Other tries were counted since; the time of the last one remains.
        record =
          now.failures > 1 ? PINAttemptRecord(failures: now.failures - 1, lastFailure: now.lastFailure) : nil
      }
    }
  }
}
