package import Foundation

/// How often the agent asks, and how long.
package struct AgentPolicy: Sendable, Hashable {
  /// For how long an answer holds for the same program, purpose and key, in seconds; zero asks each time.
  package var remembersFor: TimeInterval
  /// How long a question waits for its answer, in seconds.
  package var questionTime: TimeInterval

  /// How many requests wait while somebody is asked; further ones are refused.
  static let longestQueue = 8
  /// How many of them one process has: a host to which the agent was forwarded asks by one, the local `ssh`, and leaves places for others.
  static let longestQueueOfProcess = 4
  /// How many times a PIN is asked for.
  static let tries = 3
  /// After so many refusals in a row a program asks nobody
  static let refusals = 3
  /// for so long, in seconds.
  static let pause: TimeInterval = 60

  package init(remembersFor: TimeInterval = 0, questionTime: TimeInterval = 60) {
    (self.remembersFor, self.questionTime) = (remembersFor, questionTime)
  }
}
