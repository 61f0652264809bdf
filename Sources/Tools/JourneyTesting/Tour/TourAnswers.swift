internal import PingFido
internal import PingJourney
internal import PingJourneyPlugin
internal import PingOrchestrate
public import StrictJSON

/// The answers of a tour: by journey, and by the prompt, attribute, id or type of the callback; `*` stands for all journeys.
///
/// ```json
/// {"*": {"User Name": "demo"}, "ChooseFactor": {"ChoiceCallback": ["Email", "Cancel"]}}
/// ```
/// A list answers repeated questions one by one; its last answer stays. Questions without an answer here get a default if they need no
/// person: the account's name and password, the preset choice, `true` for consent.
public struct TourAnswers: Sendable {
  private let journeys: JSONObject

  /// - Throws: an error with a sentence about answers that do not have this form.
  public init(_ journeys: JSONObject = JSONObject()) throws {
    for (name, answers) in journeys where answers.objectValue == nil {
      throw ScriptFailure("the choices of \(name) are not an object of answers by prompt, attribute or type")
    }
    self.journeys = journeys
  }

  /// The answers for one journey.
  struct OfJourney {
    private let answers: [JSONObject]
    private let account: (name: String, password: String)
    private var asked: [String: Int] = [:]

    init(_ all: TourAnswers, journey: String, account: (name: String, password: String)) {
      answers = [journey, "*"].compactMap { all.journeys[$0]?.objectValue }
      self.account = account
    }

    /// Answers all callbacks of a step.
    ///
    /// - Returns: the name of a callback that cannot be answered; `nil` when all were answered.
    mutating func answer(_ step: ContinueNode) throws -> String? {
      let giving = CallbackAnswers(step: step, values: [:])
      let waits = step.callbacks.contains { $0 is PollingWaitCallback }
      for callback in step.callbacks where CallbackAnswers.takesAnswer(callback) {
        if let value = chosen(for: callback) {
          try giving.give(value, to: callback)
          continue
        }
        // While a page waits, its button only cancels.
        if waits, callback is ConfirmationCallback { continue }
        guard let value = standard(for: callback) else {
          return callback is FidoCallback ? "a passkey's callback" : CallbackAnswers.name(callback)
        }
        if case .value(let value) = value { try giving.give(value, to: callback) }
      }
      return nil
    }

    /// The answer in the file.
    private mutating func chosen(for callback: any Callback) -> ScriptValue? {
      for answers in answers {
        guard let (name, value) = answers.first(where: { CallbackAnswers.isNamed(callback, $0.name) }) else {
          continue
        }
        guard let list = value.arrayValue, !list.isEmpty else { return ScriptValue(value) }
        let place = min(asked[name, default: 0], list.count - 1)
        asked[name] = place + 1
        return ScriptValue(list[place])
      }
      return nil
    }

    private enum Standard {
      case value(ScriptValue)
      /// The client's preset.
      case preset
    }

    /// Parts of prompts for codes, which only a person or a device has.
    private static let codePrompts = ["one time", "one-time", "recovery code", "otp"]

    /// The default answer; `nil` for callbacks that need a person or a device.
    private func standard(for callback: any Callback) -> Standard? {
      func text(_ text: String) -> Standard { .value(ScriptValue(.string(text))) }
      func asksForCode(_ prompt: String) -> Bool {
        Self.codePrompts.contains { prompt.lowercased().contains($0) }
      }
      switch callback {
      case let callback as NameCallback: return asksForCode(callback.prompt) ? nil : text(account.name)
      case let callback as PasswordCallback:
        return asksForCode(callback.prompt) ? nil : text(account.password)
      case is ValidatedUsernameCallback: return text("\(account.name)-new")
      case is ValidatedPasswordCallback: return text(account.password)
      case is TextInputCallback: return text("text")
      case let callback as StringAttributeInputCallback:
        guard callback.value.isEmpty else { return .preset }
        return text(callback.name.lowercased().contains("mail") ? "\(account.name)@example.com" : "Text")
      case is NumberAttributeInputCallback: return .value(ScriptValue(1))
      case is BooleanAttributeInputCallback, is TermsAndConditionsCallback, is ConsentMappingCallback:
        return .value(ScriptValue(true))
      case let callback as KbaCreateCallback:
        let question = callback.predefinedQuestions.first ?? "Which colour?"
        return .value(ScriptValue(["question": .string(question), "answer": "green"]))
      case is ChoiceCallback: return .preset
      case let callback as ConfirmationCallback:
        return .value(ScriptValue(.integer(Int64(callback.defaultOptionIndex ?? 0))))
      case is HiddenValueCallback: return .preset
      default: return nil
      }
    }
  }
}

extension ScriptValue {
  /// Converts a value of a JSON file.
  init(_ value: JSONValue) {
    content =
      switch value {
      case .bool(let flag): .bool(flag)
      case .string(let text): .text(text)
      case .array(let list): .list(list.map { ScriptValue($0) })
      case .object(let object): .map(object.map { Member(name: $0.name, value: ScriptValue($0.value)) })
      default: value.doubleValue.map { .number($0) } ?? .null
      }
    line = 1
    plain = value.stringValue ?? value.text
  }
}
