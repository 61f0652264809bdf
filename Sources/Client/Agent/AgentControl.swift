internal import Bytes
package import Foundation
internal import PersonPrompts
internal import StrictJSON

/// The conversation of the commands `sealring agent status` and `lock`: a JSON object whose member `do` names the act.
package struct AgentControl: AgentConversation {
  /// A command for the agent.
  package enum Act: String, Sendable {
    case status
    /// Forgets all answers, and refuses the current question.
    case lock

    package var message: [UInt8] { Array(JSONValue.object(["do": .string(rawValue)]).text.utf8) }
  }

  package static let maximumBytes = 4096
  package static let refusal = Array(#"{"error":"The message is too long or empty."}"#.utf8)

  private let questions: AgentQuestions
  private let startedAt: Date

  package init(questions: AgentQuestions, startedAt: Date) {
    (self.questions, self.startedAt) = (questions, startedAt)
  }

  package func reply(to message: [UInt8]) async -> [UInt8] {
    let name = (try? JSONValue(parsing: message))?["do"]?.stringValue
    let answer: JSONObject
    switch name.flatMap(Act.init) {
    case .status: answer = await status()
    case .lock: answer = ["forgotten": .integer(Int64(await questions.forgetAll()))]
    case nil: answer = ["error": "The agent does not know this act."]
    }
    return Array(JSONValue.object(answer).text.utf8)
  }

  private func status() async -> JSONObject {
    let status = await questions.status
    let question = status.question.map { asked, end -> JSONValue in
      .object(["facts": Self.facts(asked.facts), "until": Self.time(end)])
    }
    return [
      "startedAt": Self.time(startedAt), "locked": .bool(status.isLocked),
      "waiting": .integer(Int64(status.waiting)), "question": question ?? .null,
      "remembered": .array(
        status.remembered.map { use, end in
          .object([
            "purpose": .string(use.purpose), "program": .string(use.caller.executable ?? ""),
            "facts": Self.facts(use.facts), "key": .string(use.keyName), "until": Self.time(end),
          ])
        }),
    ]
  }

  private static func facts(_ facts: [PersonQuestion.Fact]) -> JSONValue {
    .object(JSONObject(facts.map { ($0.name, .string($0.value)) }))
  }

  private static func time(_ date: Date) -> JSONValue { .string(date.formatted(.iso8601)) }
}
