internal import Accounts
internal import JourneyEngine
internal import StrictJSON

/// Whether all required attributes of a new account have been collected.
struct RequiredAttributesDecisionNode: JourneyNode {
  let outcomes = ["true", "false"]
  private let services: NodeServices

  init(_ definition: NodeDefinition, services: NodeServices) throws(JourneyFileError) {
    self.services = services
    try definition.requireUserResource()
  }

  func evaluate(_ context: inout NodeContext) async throws -> NodeResult {
    var collected = context.state.objectAttributes
    if let username = context.state.username, collected[ManagedAttribute.userName] == nil {
      collected[ManagedAttribute.userName] = .string(username)
    }
    let missing = services.schema.missing(in: collected)
    guard !missing.isEmpty else { return .outcome("true") }
    return context.outcome(
      "false", because: "not collected: \(missing.map(\.attribute).joined(separator: ", "))")
  }
}
