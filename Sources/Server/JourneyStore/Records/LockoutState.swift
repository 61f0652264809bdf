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
  /// A guess (``isGuess``) is counted twice: with its kind, which only a right try of that kind forgets, and with all guesses, which any
  /// right guess forgets. A lock of either stops all guesses and nothing else.
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

    /// Whether an attacker can guess it in order to sign in as the account.
    public var isGuess: Bool { self != .signatures && self != .deviceCodes }
  }

  public var kind: Kind

  /// The known device that the tries come from, which has a count of its own; `nil` for the count that all other tries share.
  public var device: String?

  public init(_ kind: Kind, device: String? = nil) {
    self.kind = kind
    self.device = device
  }

  /// Passwords from no known device.
  public static let passwords = LockoutScope(.passwords)

  /// Signatures from no known device.
  public static let signatures = LockoutScope(.signatures)

  /// The most known devices of one account that have a count of their own at one time; tries from further devices share one count. This
  /// bounds an attacker who has collected many known devices to fifty guesses before the locks begin to grow.
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

/// The ends of an account's locks; `nil` where there is no lock.
public struct AccountLocks: Sendable, Hashable {
  /// The end of the lock of passwords and codes. It may be the lock of one known device only.
  public var guesses: Date? = nil

  /// The end of the lock of signatures.
  public var signatures: Date? = nil
}
