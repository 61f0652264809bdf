internal import Accounts
internal import Foundation
internal import JourneyEngine
internal import StrictJSON

extension NodeDefinition {
  /// Asks for consent to each system that attributes are shared with (``ConsentMapping``); without any, nothing is asked.
  ///
  /// What was agreed to, and when, is collected as `consentedMappings`, as PingIDM keeps it. Systems that the person did not agree to this
  /// time are left out, so writing it into the account withdraws an earlier consent.
  func consentNode(_ services: NodeServices) throws(JourneyFileError) -> PlainNode {
    let message = try textOrLocalized(
      "message", builtIn: "You consent to your data being shared with external services.")
    let requiresAll = try flag("allRequired", default: false)
    let mappings = services.consentMappings.map { mapping in
      var mapping = mapping
      mapping.isRequired = mapping.isRequired || requiresAll
      return mapping
    }
    return PlainNode(
      stateOutputs: [StateKey.objectAttributes],
      warnings: mappings.isEmpty
        ? ["no consents are configured, so it asks nothing: consentMappings of --identity-schema"] : []
    ) { context in
      guard !mappings.isEmpty else {
        return context.outcome("outcome", because: "no consents are configured")
      }
      let agreed = mappings.indices.filter { context.reply?.agrees(at: $0) ?? false }
      let isComplete = mappings.indices.allSatisfy { agreed.contains($0) || !mappings[$0].isRequired }
      guard context.reply != nil, isComplete else {
        if context.reply != nil { context.logReason("a required consent was not given") }
        let text = message.text(for: context.request.locales)
        return .callbacks(mappings.map { $0.callback(text) })
      }
      let date = services.clock().formatted(.iso8601)
      let consents = agreed.map { index -> JSONValue in
        ["mapping": .string(mappings[index].name), "consentDate": .string(date)]
      }
      context.state.shared.objectAttributes[ManagedAttribute.consentedMappings] = .array(consents)
      return .outcome("outcome")
    }
  }
}

extension ConsentMapping {
  fileprivate func callback(_ message: String) -> OutgoingCallback {
    OutgoingCallback(
      type: "ConsentMappingCallback",
      outputs: [
        .init("name", .string(name)), .init("displayName", .string(displayName)),
        .init("icon", .string(icon)), .init("accessLevel", .string(accessLevel)),
        .init("isRequired", .bool(isRequired)), .init("message", .string(message)),
        .init("fields", .array(fields.map { .string($0) })),
      ], inputs: [.init("", false)])
  }
}
