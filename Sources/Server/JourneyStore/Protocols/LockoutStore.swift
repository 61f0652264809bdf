public import BindingFormats
public import Foundation

/// Consecutive failures, counted for known and unknown names alike.
///
/// Of an account's known devices at most ``LockoutScope/maximumDevices`` have a count of their own; a scope of a further
/// one means the common count of its kind.
public protocol LockoutStore: Sendable {
  /// The failures of the scope's kind; never-failed names have the empty state. Guesses are locked while those of any kind
  /// are.
  func lockout(of account: UniversalID, scope: LockoutScope) async throws -> LockoutState

  /// Counts one failure and begins a lock when the policy says so, in one conditional write; the state after. While a
  /// lock lasts nothing is counted, so that it ends when it was said to end.
  func recordFailure(
    of account: UniversalID, scope: LockoutScope, policy: LockoutPolicy, now: Date
  ) async throws -> LockoutState

  /// Judges one try whose proof has been checked, in one conditional write: under a lock it does not count, whether it
  /// was right or not; else a right one forgets the failures before it, and a wrong one is counted. Tries made at once
  /// are judged one after the other, so that none outruns the lock that others begin.
  ///
  /// - Returns: whether the try counts. If not, its verdict must not be told.
  func settleAttempt(
    of account: UniversalID, scope: LockoutScope, isRight: Bool, policy: LockoutPolicy, now: Date
  ) async throws -> Bool

  /// Forgets the failures of the scope unless they lock it at `now`: one conditional write, so that a right guess among
  /// many sent at once does not outrun the count. Writes nothing when there is nothing to forget.
  ///
  /// - Returns: `false` while a lock lasts: then the try does not count as a success.
  func recordSuccess(of account: UniversalID, scope: LockoutScope, now: Date) async throws -> Bool

  /// Forgets all failures and locks of the name, of every kind and device. Whether there were any.
  func unlock(of account: UniversalID, by caller: Caller?) async throws -> Bool

  /// The locks that last at `now`, by name; names without a lock are left out. At most a few hundred names.
  func locks(usernames: [String], realm: String, now: Date) async throws -> [String: AccountLocks]
}

extension LockoutStore {
  /// Forgets them on the server's own account.
  public func unlock(of account: UniversalID) async throws -> Bool {
    try await unlock(of: account, by: nil)
  }
}

/// The same for passwords in common.
extension LockoutStore {
  public func lockout(of account: UniversalID) async throws -> LockoutState {
    try await lockout(of: account, scope: .passwords)
  }

  public func recordFailure(
    of account: UniversalID, policy: LockoutPolicy, now: Date
  ) async throws -> LockoutState {
    try await recordFailure(of: account, scope: .passwords, policy: policy, now: now)
  }

  /// Forgets failures and locks, even one that lasts.
  public func recordSuccess(of account: UniversalID) async throws {
    _ = try await recordSuccess(of: account, scope: .passwords, now: .distantFuture)
  }

  public func settleAttempt(
    of account: UniversalID, isRight: Bool, policy: LockoutPolicy, now: Date
  ) async throws -> Bool {
    try await settleAttempt(
      of: account, scope: .passwords, isRight: isRight, policy: policy, now: now)
  }
}
