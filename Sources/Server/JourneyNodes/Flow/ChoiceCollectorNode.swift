internal import JourneyEngine
internal import StrictJSON

/// Lets the person choose; each choice is an outcome.
struct ChoiceCollectorNode: JourneyNode {
  let outcomes: [String]
  private let standard: Int
  private let prompt: LocalizedText

  private static let mostChoices = 100

  init(_ definition: NodeDefinition) throws(JourneyFileError) {
    let choices = try definition.strings("choices")
    var seen: Set<String> = []
    outcomes = choices.filter { !$0.isEmpty && seen.insert($0).inserted }
    let problem = "must be from 1 to \(Self.mostChoices) different texts"
    guard (1...Self.mostChoices).contains(outcomes.count) else { throw definition.wrong("choices", problem) }
    if outcomes.count < choices.count {
      definition.repaired("choices", problem, instead: "Each is offered once, and empty ones are left out.")
    }
    let name = try definition.string("defaultChoice")
    if !name.isEmpty, !outcomes.contains(name) {
      definition.repaired(
        "defaultChoice", "\(name.quoted) is not one of the choices",
        instead: "The first choice is the default.")
    }
    standard = outcomes.firstIndex(of: name) ?? 0
    prompt = try definition.textOrLocalized("prompt", builtIn: "")
  }

  func evaluate(_ context: inout NodeContext) async throws -> NodeResult {
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

extension NodeDefinition {
  /// One text for everybody, or texts by locale.
  func textOrLocalized(_ property: String, builtIn: String) throws(JourneyFileError) -> LocalizedText {
    noteReading(property, as: "text, or texts by language", default: JSONValue.string(builtIn).text)
    if let text = properties[property]?.stringValue {
      return LocalizedText([], builtIn: text.isEmpty ? builtIn : text)
    }
    return try localized(property, builtIn: builtIn)
  }
}
