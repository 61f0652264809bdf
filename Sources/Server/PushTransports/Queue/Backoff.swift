internal import Foundation

/// How long to wait before another attempt: twice as long each time, less a random part, so that messages that failed together
/// are not retried together.
package struct Backoff: Sendable, Hashable {
  /// Seconds before the second attempt.
  var first: TimeInterval = 1

  /// Longest wait in seconds, unless the service asks for more.
  var longest: TimeInterval = 60

  /// - Parameters:
  ///   - attempt: the number of attempts made, from 1.
  ///   - random: a number in `0..<1`.
  ///   - asked: seconds that the service asks for.
  func wait(afterAttempt attempt: Int, random: Double, asked: TimeInterval?) -> TimeInterval {
    let full = min(first * pow(2, Double(min(attempt, 32) - 1)), longest)
    return max(full * (0.5 + random / 2), asked ?? 0)
  }
}
