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
}
