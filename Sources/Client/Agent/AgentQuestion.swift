package import DeviceKeys
package import Foundation
internal import TerminalText

/// What a person is asked before a key is used.
package struct AgentQuestion: Sendable, Hashable {
  /// A fact that the question shows.
  package struct Fact: Sendable, Hashable {
    package let name: String
    package let value: String

    package init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
  }

  /// What is wanted, such as `A program wants to sign in by SSH.`
  package let title: String
  /// What a yes does, such as `Sign in?`
  package let action: String
  /// Program, key and whatever else decides the answer, one a line.
  package let facts: [Fact]
  /// Whether the key's PIN is needed; otherwise yes or no.
  package let needsPIN: Bool
  /// The terminal of the program that asks.
  package let terminal: String?
  /// What came of the last answer, such as a wrong PIN.
  package var remark: String?

  /// The value of a fact.
  package subscript(name: String) -> String? { facts.first { $0.name == name }?.value }

  /// The title, after what came of the last answer.
  var heading: String { [remark, title].compactMap { $0 }.joined(separator: "\n") }

  /// The facts; what others chose cannot pass for another line.
  package var details: String { TerminalText.rows(facts.map { ($0.name, $0.value) }) }
}

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
