internal import Concurrency
package import Foundation

/// A date that stays the same until a test moves it; see ``ManualClock`` for durations.
package final class ManualDate: Sendable {
  private let current: Locked<Date>

  /// - Parameter start: by default 2026-01-01 00:00:00 UTC.
  package init(_ start: Date = Date(timeIntervalSince1970: 1_767_225_600)) { current = Locked(start) }

  package var now: Date { current.withLock { $0 } }

  package func advance(by seconds: TimeInterval) { current.withLock { $0 += seconds } }
}
