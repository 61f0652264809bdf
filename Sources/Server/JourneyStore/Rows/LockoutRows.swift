internal import Concurrency
package import Foundation

extension LockoutState {
  package static let columns = "consecutive_failures, lock_count, locked_until"

  package init(_ row: StoredRow) throws {
    self.init(
      consecutiveFailures: try row.integer("consecutive_failures"), lockCount: try row.integer("lock_count"),
      lockedUntil: try row.optionalDate("locked_until"))
  }

  /// The state after one more failure. While a lock lasts nothing is counted.
  ///
  /// A policy without durations, or with a limit below 1, never locks.
  package func afterFailure(_ policy: LockoutPolicy, at now: Date) -> LockoutState {
    guard !isLocked(at: now) else { return self }
    var next = self
    next.consecutiveFailures += 1
    guard let last = policy.durations.indices.last, policy.failureLimit > 0,
      next.consecutiveFailures >= policy.failureLimit
    else { return next }
    next.consecutiveFailures = 0
    next.lockCount += 1
    next.lockedUntil = now + policy.durations[min(lockCount, last)]
    return next
  }
}

extension LockoutScope {
  /// The kind of row that counts one-time codes alone, beside the one that counts all guesses: only a right code forgets
  /// them, or somebody who has the password could guess codes for ever.
  package static let codes = "codes"

  /// The rows whose locks stop tries of the scope: the one that counts them, then the others.
  package var kinds: [String] { kind == .guesses ? [kind.rawValue, Self.codes] : [kind.rawValue] }

  /// What the column `device` has.
  ///
  /// - Parameter hasRoom: whether the device has a count of its own, or can still get one.
  package func column(hasRoom: Bool) -> String { hasRoom ? device ?? "" : "" }
}

/// The rows of one scope.
package struct LockoutCounts: Sendable {
  /// Of the scope's kind.
  package let own: LockoutState
  private let others: [LockoutState]

  /// - Parameter rows: by ``LockoutScope/kinds``.
  package init(_ scope: LockoutScope, _ rows: [String: LockoutState]) {
    own = rows[scope.kind.rawValue] ?? LockoutState()
    others = scope.kinds.dropFirst().compactMap { rows[$0] }
  }

  /// Whether a success has something to forget.
  package var hasFailures: Bool { own != LockoutState() }

  package var state: LockoutState {
    var state = own
    state.lockedUntil = ([own] + others).compactMap(\.lockedUntil).max()
    return state
  }
}

extension [String: AccountLocks] {
  /// Collects the latest locks of several accounts of a realm.
  ///
  /// - Parameters:
  ///   - names: as the caller spells them, by the keys of their accounts.
  ///   - locks: the key of the name, the kind and the end.
  package init(names: [String: String], locks: [(name: String, kind: String, until: Date)]) {
    self.init()
    for lock in locks {
      guard let name = names[lock.name] else { continue }
      var known = self[name] ?? AccountLocks()
      if lock.kind == LockoutScope.Kind.signatures.rawValue {
        known.signatures = lock.until
      } else {
        // One-time codes are guesses, too.
        known.guesses = Swift.max(known.guesses ?? lock.until, lock.until)
      }
      self[name] = known
    }
  }
}

/// Says when failures of names that nobody has are counted and the oldest forgotten. Counting all rows at each failure would
/// cost more than the failure, so it is done after every hundredth part of those that may stay.
package final class StrangerCount: Sendable {
  private let failures = Locked(0)

  package init() {}

  /// Called for each failure.
  package func isTime(of quotas: StoreQuotas) -> Bool {
    let pause = max(1, quotas.failuresOfUnknownNames / 100)
    return failures.withLock { count in
      count = (count + 1) % pause
      return count == 0
    }
  }
}

/// How long records are kept that are of no use to a sign-in any more. Seconds.
package enum Retention {
  /// Failures of names that nobody has, and of single known devices, after the last one.
  package static let unknownNames: TimeInterval = 86_400

  /// What counts once, beyond its end: the server that removes it may be this far ahead of one that would still accept it.
  package static let consumed: TimeInterval = 3600

  /// Transactions after their end: applications can still read them.
  package static let transactions: TimeInterval = 30 * 86_400

  /// Messages after their end, because the journey that sent one may still ask.
  package static let pushMessages: TimeInterval = 900

  /// What became of push messages.
  package static let pushDecisions: TimeInterval = 400 * 86_400

  /// What somebody has added to the ledger on a day, after that day: no clock is so far behind that it would count for it.
  package static let evidenceUse: TimeInterval = 3 * 86_400

  /// Rows removed by one write, so that no sign-in waits long behind it.
  package static let portion = 500
}
