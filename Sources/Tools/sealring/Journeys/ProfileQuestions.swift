import PingJourney
import PingJourneyPlugin
import PingOrchestrate
import TerminalPrompts

/// Asks the user on the terminal for the data of account journeys: attributes, consent, terms, security questions.
enum ProfileQuestions {
  /// Whether this type can answer `callback`.
  static func answers(_ callback: any Callback) -> Bool {
    switch callback {
    case is StringAttributeInputCallback, is NumberAttributeInputCallback, is BooleanAttributeInputCallback,
      is TermsAndConditionsCallback, is ConsentMappingCallback, is KbaCreateCallback:
      true
    default: false
    }
  }

  /// Asks for the answer; does nothing for callbacks that ``answers(_:)`` excludes.
  static func answer(_ callback: any Callback) async throws {
    if let callback = callback as? AttributeInputCallback {
      for policy in callback.failedPolicies {
        let text = policy.failedDescription(for: name(of: callback))
        if !text.isEmpty { ServerWords.show(text) }
      }
    }
    switch callback {
    case let callback as StringAttributeInputCallback:
      let preset = callback.value.isEmpty ? "" : " [\(callback.value)]"
      let name = Self.name(of: callback)
      let text = try await typed(ServerWords.question("\(name)\(preset)"), of: name)
      if !text.isEmpty { callback.value = text }
    case let callback as NumberAttributeInputCallback:
      let name = Self.name(of: callback)
      var text = try await typed(ServerWords.question(name), of: name)
      while !text.isEmpty || callback.required {
        if let number = Double(text), number.isFinite {
          callback.value = number
          break
        }
        text = try await typed("Please enter a number", of: name)
      }
    case let callback as BooleanAttributeInputCallback:
      callback.value = try await agrees(ServerWords.question(name(of: callback)))
    case let callback as TermsAndConditionsCallback:
      ServerWords.show(callback.terms)
      callback.accepted = try await agrees("Accept these terms")
    case let callback as ConsentMappingCallback:
      ServerWords.show(callback.message)
      ServerWords.show(question(callback))
      callback.accepted = try await agrees("Share it")
    case let callback as KbaCreateCallback: try await choose(callback)
    default: break
    }
  }

  /// The question about the data to share, and the recipient.
  private static func question(_ callback: ConsentMappingCallback) -> String {
    let fields = callback.fields.isEmpty ? "this" : callback.fields.joined(separator: ", ")
    let level = callback.accessLevel.isEmpty ? "" : " (\(callback.accessLevel))"
    let name = callback.displayName.isEmpty ? callback.name : callback.displayName
    return "Share \(fields)\(level) with \(name)" + (callback.isRequired ? ", as the journey requires" : "")
  }

  private static func name(of callback: AttributeInputCallback) -> String {
    callback.prompt.isEmpty ? callback.name : callback.prompt
  }

  private static func choose(_ callback: KbaCreateCallback) async throws {
    let own = "A question of my own"
    let questions = callback.predefinedQuestions + (callback.allowUserDefinedQuestions ? [own] : [])
    let prompt = callback.prompt.isEmpty ? "Choose a security question" : callback.prompt
    let chosen = try await JourneyQuestion.ask(prompt, answers: questions).map { questions[$0] } ?? own
    callback.selectedQuestion =
      chosen == own ? try await typed("Question", of: "a question of your own") : chosen
    callback.selectedAnswer = try await typed("Answer", of: "an answer")
  }

  /// - Parameter what: What is asked for, in messages.
  private static func typed(_ question: String, of what: String) async throws -> String {
    try await JourneyQuestion.typed(
      question, missing: "nothing was entered for \(printable(what))",
      asking: "The journey asks for \(printable(what))",
      advice: "Run the command in a terminal. `sealring journey test` answers without a person.")
  }

  private static func agrees(_ question: String) async throws -> Bool {
    switch await Terminal.controlling.askYesNo(question) {
    case .yes: return true
    case .no: return false
    case .cancelled: throw CommandFailure.cancelled(because: "nothing was answered")
    case .unavailable(let reason):
      throw CommandFailure.nobodyToAsk("The journey asks: \(printable(question))", reason, "")
    }
  }
}
