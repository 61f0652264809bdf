internal import BindingFormats
internal import JourneyEngine
internal import StrictJSON

extension NodeDefinition {
  /// Asks for the text of a transaction and keeps it, unchanged, as the state variable that a Device Signing Verifier node
  /// takes as its challenge.
  ///
  /// A node of this project; PingAM has no such type. Properties: `sharedStateAttribute`, the variable's name (default
  /// `transaction`), and `prompt`, a text by locale.
  func transactionCollectorNode() throws(JourneyFileError) -> PlainNode {
    let attribute = try string("sharedStateAttribute", default: "transaction")
    guard !attribute.isEmpty, attribute != StateKey.username else {
      throw wrong("sharedStateAttribute", "must name a state variable of its own, such as transaction")
    }
    let prompt = try localized("prompt", builtIn: "Transaction")
    return PlainNode(stateOutputs: [attribute]) { context in
      // What the device can show whole, and as it is signed.
      if let text = context.reply?.text(), (try? SignedText(text)) != nil, !Challenge.isReserved(text) {
        context.state.shared[attribute] = .string(text)
        return .outcome("outcome")
      }
      if let text = context.reply?.text(), Challenge.isReserved(text) {
        context.logReason(ProofFailure.challengeReserved.text)
      } else if context.reply != nil {
        context.logReason("the text is empty, too long, or has characters that are not seen")
      }
      return .callbacks([
        OutgoingCallback(
          type: "TextInputCallback",
          outputs: [
            .init("prompt", .string(prompt.text(for: context.request.locales))), .init("defaultText", ""),
          ], inputs: [.init("", "")])
      ])
    }
  }
}
