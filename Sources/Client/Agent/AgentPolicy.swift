package import Foundation

/// What the agent signs, and how often it asks.
package struct AgentPolicy: Sendable, Hashable {
  /// For how long an answer holds for the same program, account, host and key; zero asks each time.
  package var remembersFor: TimeInterval
  /// Whether requests are answered that come from a host to which the agent was forwarded.
  package var allowsForwarding: Bool
  /// How long a question waits for its answer.
  package var questionTime: TimeInterval

  /// How many requests wait while somebody is asked; further ones are refused.
  static let longestQueue = 8
  /// How many times a PIN is asked for.
  static let tries = 3

  package init(
    remembersFor: TimeInterval = 0, allowsForwarding: Bool = false, questionTime: TimeInterval = 60
  ) {
    (self.remembersFor, self.allowsForwarding) = (remembersFor, allowsForwarding)
    self.questionTime = questionTime
  }
}
