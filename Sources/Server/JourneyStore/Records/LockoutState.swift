public import Foundation

/// How many times in a row someone failed to prove an identity, and until when no further try counts.
public struct LockoutState: Sendable, Hashable {
  /// Failures since the last success; reset to zero when a lock begins.
  public var consecutiveFailures: Int

  /// How many locks there were since the last success; chooses the next lock's length.
  public var lockCount: Int

  /// End of the current lock; `nil` or past means not locked.
  public var lockedUntil: Date?

  public init(consecutiveFailures: Int = 0, lockCount: Int = 0, lockedUntil: Date? = nil) {
    self.consecutiveFailures = consecutiveFailures
    self.lockCount = lockCount
    self.lockedUntil = lockedUntil
  }

  public func isLocked(at now: Date) -> Bool { lockedUntil.map { $0 > now } ?? false }
}

/// When consecutive failures lock an account, and for how long.
public struct LockoutPolicy: Sendable, Hashable {
  /// This many failures in a row start a lock.
  public var failureLimit: Int

  /// Lengths of the first, second, … lock in seconds; the last one repeats.
  public var durations: [TimeInterval]

  public init(failureLimit: Int = 5, durations: [TimeInterval] = [60, 300, 900, 3600]) {
    self.failureLimit = failureLimit
    self.durations = durations
  }

  /// Five failures; 1, 5, 15, then 60 minutes.
  public static let standard = LockoutPolicy()
}
