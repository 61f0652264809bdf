internal import JourneyEngine
internal import StrictJSON

extension NodeDefinition {
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
        // As PingAM: clients suggest the second button, and a client that presses none has pressed the first.
        StandardCallback.confirmation([yes.text(for: locales), no.text(for: locales)], suggested: 1),
      ])
    }
  }
}
