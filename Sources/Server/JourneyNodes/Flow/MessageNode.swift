internal import JourneyEngine
internal import StrictJSON

/// Shows a message with two buttons: `true` for the first, `false` for the second.
struct MessageNode: JourneyNode {
  let outcomes = ["true", "false"]
  private let message: LocalizedText
  private let yes: LocalizedText
  private let no: LocalizedText
  private let stateField: String

  init(_ definition: NodeDefinition) throws(JourneyFileError) {
    message = try definition.localized("message", builtIn: "Default message")
    yes = try definition.localized("messageYes", builtIn: "Yes")
    no = try definition.localized("messageNo", builtIn: "No")
    stateField = try definition.string("stateField")
    // The variable must not decide whose journey this is.
    if let objection = ReservedState.objection(to: stateField) {
      throw definition.wrong("stateField", objection)
    }
  }

  var stateOutputs: [String] { stateField.isEmpty ? [] : [stateField] }

  func evaluate(_ context: inout NodeContext) async throws -> NodeResult {
    if let chosen = context.reply?.chosen(at: 1), chosen == 0 || chosen == 1 {
      let outcome = chosen == 0 ? "true" : "false"
      if !stateField.isEmpty { context.state.shared[stateField] = .string(outcome) }
      return .outcome(outcome)
    }
    let locales = context.request.locales
    return .callbacks([
      StandardCallback.text(message.text(for: locales)),
      // As PingAM: clients suggest the second button, and a client that presses none has pressed the first.
      StandardCallback.confirmation([yes.text(for: locales), no.text(for: locales)], suggested: 1),
    ])
  }
}
