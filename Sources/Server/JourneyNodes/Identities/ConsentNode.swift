internal import Accounts
internal import Foundation
internal import JourneyEngine
internal import StrictJSON

/// Asks for consent to each system that attributes are shared with (``ConsentMapping``); without any, nothing is asked.
///
/// What was agreed to, and when, is collected as `consentedMappings`, as PingIDM keeps it. Systems that the person did not agree to this
/// time are left out, so writing it into the account withdraws an earlier consent.
struct ConsentNode: JourneyNode {
  /// The attribute of the account with its consents.
  static let attribute = ManagedAttribute.consentedMappings

  let outcomes = ["outcome"]
  let stateOutputs = [StateKey.objectAttributes]
  private let services: NodeServices
  private let message: LocalizedText
  private let requiresAll: Bool

  init(_ definition: NodeDefinition, services: NodeServices) throws(JourneyFileError) {
    self.services = services
    message = try definition.textOrLocalized(
      "message", builtIn: "You consent to your data being shared with external services.")
    requiresAll = try definition.flag("allRequired", default: false)
  }

  var warnings: [String] {
    services.consentMappings.isEmpty
      ? ["no consents are configured, so it asks nothing: consentMappings of --identity-schema"] : []
  }

  func evaluate(_ context: inout NodeContext) async throws -> NodeResult {
    let mappings = services.consentMappings
    guard !mappings.isEmpty else {
      return context.outcome("outcome", because: "no consents are configured")
    }
    guard let reply = context.reply else { return ask(context) }
    let agreed = mappings.indices.filter { reply.agrees(at: $0) }
    guard mappings.indices.allSatisfy({ agreed.contains($0) || !isRequired(mappings[$0]) }) else {
      context.logReason("a required consent was not given")
      return ask(context)
    }
    let date = services.clock().formatted(.iso8601)
    let consents = agreed.map { index -> JSONValue in
      ["mapping": .string(mappings[index].name), "consentDate": .string(date)]
    }
    var attributes = context.state.shared[StateKey.objectAttributes]?.objectValue ?? JSONObject()
    attributes[Self.attribute] = .array(consents)
    context.state.shared[StateKey.objectAttributes] = .object(attributes)
    return .outcome("outcome")
  }

  private func isRequired(_ mapping: ConsentMapping) -> Bool { requiresAll || mapping.isRequired }

  private func ask(_ context: NodeContext) -> NodeResult {
    let text = message.text(for: context.request.locales)
    return .callbacks(
      services.consentMappings.map { mapping in
        OutgoingCallback(
          type: "ConsentMappingCallback",
          outputs: [
            .init("name", .string(mapping.name)), .init("displayName", .string(mapping.displayName)),
            .init("icon", .string(mapping.icon)), .init("accessLevel", .string(mapping.accessLevel)),
            .init("isRequired", .bool(isRequired(mapping))), .init("message", .string(text)),
            .init("fields", .array(mapping.fields.map { .string($0) })),
          ], inputs: [.init("", false)])
      })
  }
}

extension CallbackReply {
  /// Whether the box at `index` was ticked.
  fileprivate func agrees(at index: Int) -> Bool {
    value(at: index)?.boolValue ?? (text(at: index) == "true")
  }
}
