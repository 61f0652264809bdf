public import Foundation

/// Until when tries of an account do not count; what has no lock is `nil`.
public struct AccountLocks: Sendable, Hashable {
  /// Of passwords and codes. A lock may be of one known device alone, while others go on.
  public var guesses: Date? = nil

  /// Of what keys sign.
  public var signatures: Date? = nil
}
