internal import Concurrency
public import Foundation

/// A clock that stands still until a test moves it. A test's server and device share one.
public final class TestClock: Sendable {
  private let current: Locked<Date>

  /// A clock that shows `start`; by default 2026-01-01 00:00:00 UTC.
  public init(start: Date = Date(timeIntervalSince1970: 1_767_225_600)) { current = Locked(start) }

  /// The time shown.
  public var now: Date { current.withLock { $0 } }

  /// Moves the clock forward, or back when negative.
  public func advance(by seconds: TimeInterval) { current.withLock { $0 += seconds } }
}
