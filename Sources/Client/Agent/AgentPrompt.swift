package import DeviceKeys
package import Foundation

/// What a person said.
package enum AgentAnswer: Sendable, Equatable {
  case pin(PIN)
  case yes
  /// Also when the time was over.
  case no
  /// Nobody could be asked, for this reason.
  case nobody(String)
}

/// Asks a person. One question at a time; a cancelled task takes its question away.
package protocol AgentPrompt: Sendable {
  /// - Parameter end: When the question is over, which is ``AgentAnswer/no`` then.
  func ask(_ question: AgentQuestion, until end: Date) async -> AgentAnswer
}

/// There is nobody: every answer is no.
package struct NobodyToAsk: AgentPrompt {
  package init() {}

  package func ask(_ question: AgentQuestion, until end: Date) async -> AgentAnswer {
    .nobody("the agent has no terminal, and no pinentry was found")
  }
}
