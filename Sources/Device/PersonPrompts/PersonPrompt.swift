package import DeviceKeys
package import Foundation

/// What a person said.
package enum PersonAnswer: Sendable, Equatable {
  case pin(PIN)
  case yes
  /// The person was recognised by a finger: more than a yes, and no PIN.
  case finger
  /// Also when the time was over.
  case no
  /// Nobody could be asked, for this reason.
  case nobody(String)
}

/// Asks a person. One question at a time; a cancelled task takes its question away.
package protocol PersonPrompt: Sendable {
  /// - Parameter end: When the question is over, which is ``PersonAnswer/no`` then.
  func ask(_ question: PersonQuestion, until end: Date) async -> PersonAnswer
}

/// There is nobody: every answer is no.
package struct NobodyToAsk: PersonPrompt {
  package init() {}

  package func ask(_ question: PersonQuestion, until end: Date) async -> PersonAnswer {
    .nobody("there is no terminal, and no pinentry was found")
  }
}
