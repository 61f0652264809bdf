package import BindingFormats
package import Foundation

/// Counts the tries of one account within one scope: whether they are refused, what a failure adds, and what a success
/// forgets.
package struct AccountLock: Sendable {
  private let store: any ServerStore
  private let account: UniversalID
  package let scope: LockoutScope
  private let policy: LockoutPolicy
  private let clock: @Sendable () -> Date
  private let lockBegan: @Sendable (_ end: Date) async -> Void

  /// - Parameters:
  ///   - account: the account that is tried, which need not exist.
  ///   - lockBegan: called after a failure that has locked the account, with the end of the lock.
  package init(
    store: any ServerStore, of account: UniversalID, scope: LockoutScope, policy: LockoutPolicy,
    clock: @escaping @Sendable () -> Date, lockBegan: @escaping @Sendable (_ end: Date) async -> Void
  ) {
    self.store = store
    self.account = account
    self.scope = scope
    self.policy = policy
    self.clock = clock
    self.lockBegan = lockBegan
  }

  /// Whether tries are refused without being checked. Only for steps whose own write does not check the lock; ``settle(isRight:)`` and
  /// ``recordSuccess()`` do.
  package func isLocked() async throws -> Bool {
    try await store.lockout(of: account, scope: scope).isLocked(at: clock())
  }

  /// Counts a failure. While a lock lasts nothing is counted.
  package func countFailure() async throws { _ = try await settle(isRight: false) }

  /// Records a try whose proof has been checked: a right one forgets the failures before it, a wrong one is counted.
  ///
  /// - Returns: `false` while a lock lasts; the caller must not reveal the verdict then.
  package func settle(isRight: Bool) async throws -> Bool {
    let counts = try await store.settleAttempt(
      of: account, scope: scope, isRight: isRight, policy: policy, now: clock())
    if counts, !isRight { try await noteLock() }
    return counts
  }

  /// Records a right try and forgets the failures before it; `false` while a lock lasts.
  package func recordSuccess() async throws -> Bool {
    try await store.recordSuccess(of: account, scope: scope, now: clock())
  }

  /// Reports the lock that a failure has begun, if any. Called after a failure was counted while no lock lasted.
  package func noteLock() async throws {
    let state = try await store.lockout(of: account, scope: scope)
    if let end = state.lockedUntil, end > clock() { await lockBegan(end) }
  }
}
