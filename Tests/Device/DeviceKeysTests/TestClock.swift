import Concurrency
import Foundation

/// A clock that goes only when it is told to.
final class TestClock: Sendable {
  private let time = Locked(Date(timeIntervalSince1970: 1_767_225_600))

  var now: @Sendable () -> Date { { [time] in time.withLock { $0 } } }

  func advance(by seconds: TimeInterval) { time.withLock { $0 += seconds } }
}

/// Counts from several tasks.
final class TestCounter: Sendable {
  private let count = Locked(0)

  var value: Int { count.withLock { $0 } }

  func increment() { count.withLock { $0 += 1 } }
}
