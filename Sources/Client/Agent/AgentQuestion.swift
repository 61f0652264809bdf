package import DeviceKeys
package import Foundation
internal import TerminalText

/// What a person is asked before a key signs.
package struct AgentQuestion: Sendable, Hashable {
  /// The program that asks, such as `/usr/bin/ssh (process 4711)`.
  package let program: String
  /// The account on the host.
  package let account: String
  /// The host by its names, if they are known, and the fingerprint of its key.
  package let host: String
  /// Set when the request comes through another host, to which the agent was forwarded.
  package let forwardedBy: String?
  /// The key's name.
  package let key: String
  /// Whether its PIN is needed; otherwise yes or no.
  package let needsPIN: Bool
  /// For how long an answer holds; zero for this one signature.
  package let holds: TimeInterval
  /// What came of the last answer, such as a wrong PIN.
  package var remark: String?

  /// Program, account, host and key, one a line; what others chose cannot pass for another line.
  package var details: String {
    let validity =
      holds > 0
      ? "this program, account and host for \(Int(holds / 60)) minutes" : "this sign-in only"
    return TerminalText.rows([
      ("Program", program), ("Account", account), ("Host", host), ("Forwarded by", forwardedBy ?? ""),
      ("Key", key), ("Good for", validity),
    ])
  }
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
