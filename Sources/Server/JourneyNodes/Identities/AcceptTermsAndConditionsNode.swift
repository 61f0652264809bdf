internal import Foundation
internal import JourneyEngine
internal import QueryFilters
internal import StrictJSON

/// Shows the terms, and continues once they are accepted; `termsAccepted` collects which terms and when.
struct AcceptTermsAndConditionsNode: JourneyNode {
  let outcomes = ["outcome"]
  let stateOutputs = [StateKey.objectAttributes]
  let services: NodeServices

  func evaluate(_ context: inout NodeContext) async throws -> NodeResult {
    let terms = services.terms
    let isAccepted = context.reply?.value()?.boolValue ?? (context.reply?.text() == "true")
    guard isAccepted, let pointer = JSONPointer("termsAccepted") else {
      return .callbacks([
        OutgoingCallback(
          type: "TermsAndConditionsCallback",
          outputs: [
            .init("version", .string(terms.version)),
            .init("terms", .string(terms.text.text(for: context.request.locales))),
            .init("createDate", .string(terms.createDate)),
          ], inputs: [.init("", false)])
      ])
    }
    context.state.collect(
      [
        "acceptDate": .string(services.clock().formatted(.iso8601)), "termsVersion": .string(terms.version),
      ], at: pointer)
    return .outcome("outcome")
  }
}
