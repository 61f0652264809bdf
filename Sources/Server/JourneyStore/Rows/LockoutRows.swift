internal import Concurrency
package import Foundation

extension LockoutState {
  package static let columns = "consecutive_failures, lock_count, locked_until"

  package init(_ row: StoredRow) throws {
    try self.init(
      consecutiveFailures: row.integer("consecutive_failures"), lockCount: row.integer("lock_count"),
      lockedUntil: row.optionalDate("locked_until"))
  }

  /// The state after one more failure. A policy without durations, or with a limit below 1, never locks.
  fileprivate func afterFailure(_ policy: LockoutPolicy, at now: Date) -> LockoutState {
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
  /// The row that counts guesses of every kind.
  private static let guesses = "guesses"

  /// The rows of the column `kind` whose locks stop tries of the scope.
  fileprivate static let ofGuesses = Set([guesses] + Kind.allCases.filter(\.isGuess).map(\.rawValue))

  /// The rows that a failure adds to and a success forgets.
  var counted: [String] { kind.isGuess ? [kind.rawValue, Self.guesses] : [kind.rawValue] }
}

/// The stored counts that concern the tries of one scope.
struct LockoutCounts: Sendable {
  private let scope: LockoutScope

  /// The column `device`.
  private let device: String
  private let rows: [String: LockoutState]

  /// - Parameter rows: the rows of the account and the device, by kind; rows that do not concern the scope are ignored.
  init(_ scope: LockoutScope, device: String, _ rows: [String: LockoutState]) {
    (self.scope, self.device) = (scope, device)
    self.rows = rows.filter {
      scope.kind.isGuess ? LockoutScope.ofGuesses.contains($0.key) : $0.key == scope.kind.rawValue
    }
  }

  /// Whether a success has something to forget.
  var hasFailures: Bool { scope.counted.contains { rows[$0] != nil } }

  /// The failures of the scope's kind, and the latest lock of those that stop it.
  var state: LockoutState {
    var state = rows[scope.kind.rawValue] ?? LockoutState()
    state.lockedUntil = rows.values.compactMap(\.lockedUntil).max()
    return state
  }

  /// Counts one more failure, while no lock lasts.
  func addingFailure(_ key: AccountKey, _ policy: LockoutPolicy, at now: Date) -> [SQLStatement] {
    scope.counted.map {
      let state = (rows[$0] ?? LockoutState()).afterFailure(policy, at: now)
      return LockoutSQL.write(state, key, kind: $0, device: device, now)
    }
  }

  func forgetting(_ key: AccountKey) -> [SQLStatement] {
    scope.counted.map { LockoutSQL.forget(key, kind: $0, device: device) }
  }
}

extension [String: AccountLocks] {
  /// Collects the latest locks of several accounts of a realm.
  ///
  /// - Parameters:
  ///   - names: the names as the caller spells them, by the keys of their accounts.
  ///   - locks: the key of the name, the kind and the end.
  package init(names: [String: String], locks: [(name: String, kind: String, until: Date)]) {
    self.init()
    for lock in locks {
      guard let name = names[lock.name] else { continue }
      var known = self[name] ?? AccountLocks()
      if lock.kind == LockoutScope.Kind.signatures.rawValue {
        known.signatures = lock.until
      } else if LockoutScope.ofGuesses.contains(lock.kind) {
        known.guesses = Swift.max(known.guesses ?? lock.until, lock.until)
      } else {
        continue
      }
      self[name] = known
    }
  }
}

/// Decides when failures of names without an account are counted and the oldest forgotten. Counting all rows at each failure would cost
/// more than the failure, so it is done once per hundredth part of the names that may stay.
final class StrangerCount: Sendable {
  private let failures = Locked(0)

  /// Called for each failure.
  func isTime(of quotas: StoreQuotas) -> Bool {
    let pause = max(1, quotas.failuresOfUnknownNames / 100)
    return failures.withLock { count in
      count = (count + 1) % pause
      return count == 0
    }
  }
}

/// How long records are kept that no sign-in needs any more. Seconds.
package enum Retention {
  /// Failures of names without an account and of single known devices, after the last failure.
  package static let unknownNames: TimeInterval = 86_400

  /// Consumed keys after their expiry: the server that removes one may be this far ahead of one that would still accept it.
  package static let consumed: TimeInterval = 3600

  /// Transactions after their end: applications can still read them.
  package static let transactions: TimeInterval = 30 * 86_400

  /// Messages after their end, because the journey that sent one may still ask.
  package static let pushMessages: TimeInterval = 900

  /// Decisions on push messages.
  package static let pushDecisions: TimeInterval = 400 * 86_400

  /// The bytes that somebody has added to the ledger on a day, after that day: no clock is so far behind that it would count for the day.
  package static let evidenceUse: TimeInterval = 3 * 86_400

  /// SSH certificates after their end: a revoked one is still listed for hosts whose clocks are late.
  package static let sshCertificates: TimeInterval = 86_400

  /// Rows removed by one write, so that no sign-in waits long behind it.
  package static let portion = 500
}
