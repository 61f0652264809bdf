internal import Foundation
internal import JourneyEngine
internal import QueryFilters
internal import StrictJSON

extension NodeDefinition {
  /// Shows the terms, and continues once they are accepted; `termsAccepted` collects which terms and when.
  func acceptTermsAndConditionsNode(_ services: NodeServices) -> PlainNode {
    PlainNode(stateOutputs: [StateKey.objectAttributes]) { context in
      let terms = services.terms
      guard context.reply?.agrees() == true, let pointer = JSONPointer("termsAccepted") else {
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
}
