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

/// Which failures of an account are counted together, and what their lock stops.
public struct LockoutScope: Sendable, Hashable {
  /// What a try proves, or fails to.
  ///
  /// What can be guessed (``isGuess``) is counted twice: with its kind, which only a right try of that kind forgets, and with
  /// all guesses, which any right guess forgets. A lock of either stops all guesses and nothing else.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    case passwords

    /// One-time codes that were mailed.
    case mailedCodes

    /// One-time codes of an authenticator (OATH).
    case authenticatorCodes = "codes"

    /// Answers to push messages, with the number or code that they ask for.
    case pushAnswers
    case recoveryCodes

    /// What a key signs: proofs of bound devices, and assertions of WebAuthn credentials.
    case signatures

    /// Codes of devices that a signed-in account looks up (RFC 8628 §3.3).
    case deviceCodes

    /// Whether it can be guessed by somebody who wants to be taken for the account.
    public var isGuess: Bool { self != .signatures && self != .deviceCodes }
  }

  public var kind: Kind

  /// The known device that the tries come from, which has a count of its own; `nil` counts in common with everybody
  /// else's tries.
  public var device: String?

  public init(_ kind: Kind, device: String? = nil) {
    self.kind = kind
    self.device = device
  }

  /// Passwords that come from nowhere in particular.
  public static let passwords = LockoutScope(.passwords)

  /// Signatures that come from nowhere in particular.
  public static let signatures = LockoutScope(.signatures)

  /// Known devices of one account that have a count of their own at one time; the tries of further ones count in common.
  /// It bounds what somebody can try who has collected many: fifty guesses, before the locks begin to grow.
  public static let maximumDevices = 10
}

/// When consecutive failures lock an account, and for how long.
public struct LockoutPolicy: Sendable, Hashable {
  /// This many failures in a row start a lock.
  public var failureLimit: Int = 5

  /// Lengths of the first, second, … lock in seconds; the last one repeats.
  public var durations: [TimeInterval] = [60, 300, 900, 3600]

  /// Five failures; 1, 5, 15, then 60 minutes.
  public static let standard = LockoutPolicy()
}

/// Until when tries of an account do not count; what has no lock is `nil`.
public struct AccountLocks: Sendable, Hashable {
  /// Of passwords and codes. A lock may be of one known device alone, while others go on.
  public var guesses: Date? = nil

  /// Of what keys sign.
  public var signatures: Date? = nil
}
