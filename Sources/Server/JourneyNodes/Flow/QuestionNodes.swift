internal import Accounts
internal import JourneyEngine
internal import StrictJSON

extension NodeDefinition {
  /// Lets the person choose; each choice is an outcome.
  func choiceCollectorNode() throws(JourneyFileError) -> PlainNode {
    let (choices, most) = (try strings("choices"), 100)
    var seen: Set<String> = []
    let outcomes = choices.filter { !$0.isEmpty && seen.insert($0).inserted }
    let problem = "must be from 1 to \(most) different texts"
    guard (1...most).contains(outcomes.count) else { throw wrong("choices", problem) }
    if outcomes.count < choices.count {
      repaired("choices", problem, instead: "Each is offered once, and empty ones are left out.")
    }
    let name = try string("defaultChoice")
    if !name.isEmpty, !outcomes.contains(name) {
      repaired(
        "defaultChoice", "\(name.quoted) is not one of the choices",
        instead: "The first choice is the default.")
    }
    let standard = outcomes.firstIndex(of: name) ?? 0
    let prompt = try textOrLocalized("prompt", builtIn: "")
    return PlainNode(outcomes: outcomes) { context in
      if let chosen = context.reply?.chosen(at: 0).flatMap({ Int(exactly: $0) }),
        outcomes.indices.contains(chosen)
      {
        return .outcome(outcomes[chosen])
      }
      return .callbacks([
        OutgoingCallback(
          type: "ChoiceCallback",
          outputs: [
            .init("prompt", .string(prompt.text(for: context.request.locales))),
            .init("choices", .array(outcomes.map { .string($0) })),
            .init("defaultChoice", .integer(Int64(standard))),
          ], inputs: [.init("", .integer(Int64(standard)))])
      ])
    }
  }

  /// One text for everybody, or texts by locale.
  func textOrLocalized(_ property: String, builtIn: String) throws(JourneyFileError) -> LocalizedText {
    noteReading(property, as: "text, or texts by language", default: JSONValue.string(builtIn).text)
    if let text = properties[property]?.stringValue {
      return LocalizedText([], builtIn: text.isEmpty ? builtIn : text)
    }
    return try localized(property, builtIn: builtIn)
  }

  /// Shows a message with two buttons: `true` for the first, `false` for the second.
  func messageNode() throws(JourneyFileError) -> PlainNode {
    let message = try localized("message", builtIn: "Default message")
    let yes = try localized("messageYes", builtIn: "Yes")
    let no = try localized("messageNo", builtIn: "No")
    let stateField = try string("stateField")
    // The variable must not decide whose journey this is.
    if let objection = ReservedState.objection(to: stateField) { throw wrong("stateField", objection) }
    return PlainNode(
      outcomes: ["true", "false"], stateOutputs: stateField.isEmpty ? [] : [stateField]
    ) { context in
      if let chosen = context.reply?.chosen(at: 1), chosen == 0 || chosen == 1 {
        let outcome = chosen == 0 ? "true" : "false"
        if !stateField.isEmpty { context.state.shared[stateField] = .string(outcome) }
        return .outcome(outcome)
      }
      let locales = context.request.locales
      return .callbacks([
        StandardCallback.text(message.text(for: locales)),
        // As in PingAM, clients suggest the second button, and a client that presses none has pressed the first.
        StandardCallback.confirmation([yes.text(for: locales), no.text(for: locales)], suggested: 1),
      ])
    }
  }

  /// Sends state variables to the client in a `MetadataCallback`, which the client reads and does not show.
  ///
  /// Only shared state is sent: transient and secure state never leave the journey. Passwords and nodes' private variables are left out,
  /// too, even if a script has put them into shared state.
  func metadataNode() throws(JourneyFileError) -> PlainNode {
    let (all, most) = (try strings("attributes"), 100)
    guard all.count <= most else { throw wrong("attributes", "must be at most \(most) names") }
    let names = all.filter { name in
      guard ShownState.secrets.contains(name.lowercased()) else { return true }
      repaired("attributes", "names \(name.quoted), which clients must not read", instead: "It is left out.")
      return false
    }
    return PlainNode(stepUse: .later) { context in
      // Clients need not send the callback back: any answer to the step continues the journey.
      guard context.reply == nil else { return .outcome("outcome") }
      var data = JSONObject()
      for name in names {
        if let value = context.state.shared[name] { data[name] = ShownState.shown(value) }
      }
      return .callbacks([
        OutgoingCallback(type: "MetadataCallback", outputs: [.init("data", .object(data))], inputs: [])
      ])
    }
  }
}

private enum ShownState {
  /// Members that are never sent, at any depth of a value; in lower case.
  static let secrets: Set<String> = {
    let own = ManagedAttribute.hidden.union([StateKey.password, StateKey.oneTimePassword])
    return Set(own.map { $0.lowercased() }).union(["userpassword", "userpasswordhash", "currentpassword"])
  }()

  /// The value without secret members.
  static func shown(_ value: JSONValue) -> JSONValue {
    switch value {
    case .object(let object):
      .object(
        JSONObject(
          object.filter { !secrets.contains($0.name.lowercased()) }.map { ($0.name, shown($0.value)) }))
    case .array(let elements): .array(elements.map(shown))
    default: value
    }
  }
}
