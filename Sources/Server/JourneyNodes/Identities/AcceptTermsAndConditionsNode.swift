internal import Foundation
public import JourneyEngine
internal import QueryFilters
internal import StrictJSON

/// Terms that people accept before an account is made.
public struct TermsAndConditions: Sendable, Hashable {
  public var version: String
  public var text: LocalizedText

  /// When this version was made, in ISO 8601.
  public var createDate: String

  public init(
    version: String = "0.0",
    text: LocalizedText = LocalizedText([], builtIn: "This service has no terms of its own."),
    createDate: String = "2026-01-01T00:00:00.000Z"
  ) {
    self.version = version
    self.text = text
    self.createDate = createDate
  }
}

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
