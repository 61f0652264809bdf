internal import BindingFormats
internal import JourneyEngine
internal import StrictJSON

/// Asks for the text of a transaction and keeps it, unchanged, as the state variable that a Device Signing Verifier node
/// takes as its challenge.
///
/// A node of this project; PingAM has no such type. Properties: `sharedStateAttribute`, the variable's name (default
/// `transaction`), and `prompt`, a text by locale.
struct TransactionCollectorNode: JourneyNode {
  let outcomes = ["outcome"]
  var stateOutputs: [String] { [attribute] }

  private let attribute: String
  private let prompt: LocalizedText

  init(_ definition: NodeDefinition) throws(JourneyFileError) {
    attribute = try definition.string("sharedStateAttribute", default: "transaction")
    guard !attribute.isEmpty, attribute != StateKey.username else {
      throw definition.wrong(
        "sharedStateAttribute", "must name a state variable of its own, such as transaction")
    }
    prompt = try definition.localized("prompt", builtIn: "Transaction")
  }

  func evaluate(_ context: inout NodeContext) async throws -> NodeResult {
    guard let text = context.reply?.text(), Self.isAcceptable(text), !Challenge.isReserved(text) else {
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
    context.state.shared[attribute] = .string(text)
    return .outcome("outcome")
  }

  /// What the device can show whole, and as it is signed.
  private static func isAcceptable(_ text: String) -> Bool { (try? SignedText(text)) != nil }
}
