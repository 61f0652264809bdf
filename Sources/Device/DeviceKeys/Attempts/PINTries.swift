public import Foundation

/// How many wrong PINs a key still takes, and when the next one is looked at.
public struct PINTries: Sendable, Hashable {
  /// Wrong PINs until the key is disabled for good; 0 when it is.
  public let left: Int

  /// How many were wrong since the last right one.
  public let wrong: Int

  /// Seconds until a PIN is tried again; 0 for now.
  public let wait: TimeInterval

  public init(left: Int, wrong: Int, wait: TimeInterval) {
    self.left = left
    self.wrong = wrong
    self.wait = wait
  }
}
