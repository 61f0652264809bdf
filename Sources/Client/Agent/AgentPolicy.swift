package import Foundation

/// How often the agent asks, and how long it waits.
package struct AgentPolicy: Sendable, Hashable {
  /// How long an answer holds for the same program, purpose and key, in seconds; zero asks each time.
  package var remembersFor: TimeInterval
  /// How long a question waits for its answer, in seconds.
  package var questionTime: TimeInterval

  /// How many requests may wait while somebody is asked; further ones are refused.
  static let longestQueue = 8
  /// How many of them may belong to one process. A host to which the agent was forwarded asks through one process, the local `ssh`, and so
  /// leaves places for others.
  static let longestQueueOfProcess = 4
  /// How many times a PIN is asked for.
  static let tries = 3
  /// How many refusals in a row pause a program: nobody is asked for it.
  static let refusals = 3
  /// How many wrong passphrases in a row pause the unlocking: for one second, and after each further one for twice as long, up to ``pause``.
  static let passphrases = 3
  /// How long a program is paused, in seconds.
  static let pause: TimeInterval = 60

  package init(remembersFor: TimeInterval = 0, questionTime: TimeInterval = 60) {
    (self.remembersFor, self.questionTime) = (remembersFor, questionTime)
  }
}
