internal import PingJourney
internal import PingJourneyPlugin
internal import PingOrchestrate
internal import StrictJSON

/// Puts a test's answers into the callbacks of a step.
struct CallbackAnswers {
  let step: ContinueNode
  let values: [String: String]

  /// Gives all `answers`.
  ///
  /// - Throws: ``ScriptFailure`` when a callback does not exist or does not accept the answer.
  func give(_ answers: [ScriptStep.Answer]) throws {
    var unanswered = step.callbacks.filter(Self.takesAnswer)
    for answer in answers.flatMap(Self.each) {
      let place: Int?
      if let name = answer.callback {
        place = unanswered.firstIndex { Self.isNamed($0, name) }
      } else {
        place = unanswered.isEmpty ? nil : 0
      }
      guard let place else {
        let offered = unanswered.map(Self.name).joined(separator: ", ")
        throw ScriptFailure(
          "nothing asks for \(answer.callback ?? "a further answer"); "
            + (offered.isEmpty ? "the step has no callback left to answer" : "left to answer: \(offered)"))
      }
      try give(answer.value, to: unanswered.remove(at: place))
    }
  }

  /// Splits a list under one name into answers for several callbacks of that name, in their order.
  private static func each(_ answer: ScriptStep.Answer) -> [ScriptStep.Answer] {
    guard answer.callback != nil, let list = answer.value.list else { return [answer] }
    return list.map { value in
      var one = answer
      one.value = value
      return one
    }
  }

  static func takesAnswer(_ callback: any Callback) -> Bool {
    switch callback {
    case is TextOutputCallback, is PollingWaitCallback, is MetadataCallback: false
    default: true
    }
  }

  /// Whether the name is the callback's wire type, prompt, message, attribute or id.
  static func isNamed(_ callback: any Callback, _ name: String) -> Bool {
    guard let view = view(of: callback) else { return false }
    return view["type"]?.stringValue == name
      || ["prompt", "name", "id", "message"].contains { view[$0]?.stringValue == name }
  }

  static func name(_ callback: any Callback) -> String {
    guard let view = view(of: callback) else { return "\(type(of: callback))" }
    let type = view["type"]?.stringValue ?? "a callback"
    return CallbackView.mainText(of: view)?.stringValue.map { "\(type) (\($0))" } ?? type
  }

  private static func view(of callback: any Callback) -> JSONValue? {
    guard let callback = callback as? AbstractCallback else { return nil }
    return JSONValue(any: callback.json, nothing: .null).map(CallbackView.make)
  }

  private func text(_ value: ScriptValue, for callback: any Callback) throws -> String {
    guard let text = value.text else {
      throw ScriptFailure("\(Self.name(callback)) takes text")
    }
    if let unknown = Substitution.unknown(values, in: text) {
      let names = values.keys.sorted().joined(separator: ", ")
      throw ScriptFailure("nothing was kept as \(unknown); there is \(names.isEmpty ? "nothing" : names)")
    }
    return Substitution.apply(values, to: text)
  }

  /// Gives one answer.
  func give(_ value: ScriptValue, to callback: any Callback) throws {
    switch callback {
    case let callback as NameCallback: callback.name = try text(value, for: callback)
    case let callback as PasswordCallback: callback.password = try text(value, for: callback)
    case let callback as TextInputCallback: callback.text = try text(value, for: callback)
    case let callback as HiddenValueCallback: callback.value = try text(value, for: callback)
    case let callback as ValidatedUsernameCallback:
      callback.username = try validated(value, callback)
    case let callback as ValidatedPasswordCallback:
      callback.password = try validated(value, callback)
    case let callback as StringAttributeInputCallback: callback.value = try validated(value, callback)
    case let callback as NumberAttributeInputCallback:
      guard case .number(let number) = value.content else {
        throw ScriptFailure("\(Self.name(callback)) takes a number")
      }
      callback.value = number
    case let callback as BooleanAttributeInputCallback: callback.value = try flag(value, callback)
    case let callback as TermsAndConditionsCallback: callback.accepted = try flag(value, callback)
    case let callback as ConsentMappingCallback: callback.accepted = try flag(value, callback)
    case let callback as ChoiceCallback:
      callback.selectedIndex = try index(value, callback, among: callback.choices)
    case let callback as ConfirmationCallback:
      callback.selectedIndex = try index(value, callback, among: callback.options)
    case let callback as KbaCreateCallback:
      guard let question = value["question"]?.text, let answer = value["answer"]?.text else {
        throw ScriptFailure("\(Self.name(callback)) takes {question: …, answer: …}")
      }
      callback.selectedQuestion = Substitution.apply(values, to: question)
      callback.selectedAnswer = Substitution.apply(values, to: answer)
    case let callback as UnknownCallback where !callback.inputNames.isEmpty: try fill(callback, value)
    default:
      throw ScriptFailure("\(Self.name(callback)) is answered by a device: use a step `device`")
    }
  }

  /// Fills the inputs of an unknown callback, as the app's module would: `{signals: …}` by the ends of the inputs' names, or a text for
  /// the only input.
  private func fill(_ callback: UnknownCallback, _ value: ScriptValue) throws {
    let names = callback.inputNames
    guard let members = value.map else {
      guard names.count == 1 else {
        throw ScriptFailure(
          "\(Self.name(callback)) takes a value for each input: \(names.joined(separator: ", "))")
      }
      let text = try text(value, for: callback)
      _ = callback.answer { _, _ in text }
      return
    }
    for member in members {
      guard let name = names.first(where: { $0.hasSuffix(member.name) }) else {
        throw ScriptFailure(
          "\(Self.name(callback)) has no input \(member.name); it has \(names.joined(separator: ", "))")
      }
      let text = try text(member.value, for: callback)
      _ = callback.answer { _, input in input == name ? text : nil }
    }
  }

  /// Returns the answer. `{value: …, validateOnly: true}` asks the server only to check it.
  private func validated(_ value: ScriptValue, _ callback: AbstractValidatedCallback) throws -> String {
    if let flag = value["validateOnly"]?.bool { callback.validateOnly = flag }
    return try text(value["value"] ?? value, for: callback)
  }

  private func flag(_ value: ScriptValue, _ callback: any Callback) throws -> Bool {
    guard let flag = value.bool else { throw ScriptFailure("\(Self.name(callback)) takes true or false") }
    return flag
  }

  private func index(_ value: ScriptValue, _ callback: any Callback, among choices: [String]) throws -> Int {
    if let text = value.text.map({ Substitution.apply(values, to: $0) }),
      let index = choices.firstIndex(of: text)
    {
      return index
    }
    // A number outside the choices stands for a hostile client.
    if let index = value.integer { return index }
    throw ScriptFailure(
      "\(Self.name(callback)) offers \(choices.joined(separator: ", ")), and not \(value.text ?? "this")")
  }
}
