internal import JourneyEngine

/// Checks name and password as ``IdentityStoreDecisionNode`` does, against this server's own accounts; the directory server that the file
/// names is not asked.
struct LdapDecisionNode: JourneyNode {
  let warnings = [
    "the directory server is not asked: names and passwords are checked against this server's own accounts"
  ]
  private let decision: IdentityStoreDecisionNode

  init(_ definition: NodeDefinition, services: NodeServices) throws(JourneyFileError) {
    decision = try IdentityStoreDecisionNode(definition, services: services)
  }

  var outcomes: [String] { decision.outcomes }
  var stateInputs: [String] { decision.stateInputs }
  var stepUse: StepUse { decision.stepUse }

  func evaluate(_ context: inout NodeContext) async throws -> NodeResult {
    try await decision.evaluate(&context)
  }
}
