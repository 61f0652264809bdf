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

  /// Characters allowed in a transaction's text. The person has to read it.
  static let length = 1...2000

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
        context.logReason("the text is empty, too long, or has control characters")
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

  /// Line breaks may structure the text; other control characters could hide parts of it.
  private static func isAcceptable(_ text: String) -> Bool {
    // Bytes first: counting characters of a huge text is costly, and one character may have many bytes.
    text.utf8.count <= length.upperBound * 4 && length.contains(text.count)
      && !text.unicodeScalars.contains { $0.properties.isControl && $0 != "\n" }
  }
}
