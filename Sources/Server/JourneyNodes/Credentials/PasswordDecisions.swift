internal import JourneyEngine

extension NodeDefinition {
  /// Goes to `true` when the collected name and password are right and the account may sign in. A password that was reset is changed
  /// here before, as in an ``IdentityStoreDecisionNode``.
  func dataStoreDecisionNode(_ services: NodeServices, notes: [String] = []) -> PlainNode {
    let decision = IdentityStoreDecisionNode(services: services)
    return PlainNode(
      outcomes: ["true", "false"], stateInputs: decision.stateInputs, stepUse: decision.stepUse, notes: notes
    ) { context in
      let result = try await decision.evaluate(&context)
      guard case .outcome(let outcome) = result else { return result }
      return .outcome(outcome == IdentityStoreDecisionNode.success ? "true" : "false")
    }
  }

  /// Checks an agent's name and password as ``dataStoreDecisionNode(_:notes:)`` does: agents are accounts here.
  func agentDataStoreDecisionNode(_ services: NodeServices) -> PlainNode {
    dataStoreDecisionNode(
      services, notes: ["agents are accounts of the realm here: create one for each, without roles"])
  }

  /// Checks name and password as ``IdentityStoreDecisionNode`` does, against this server's own accounts; the directory server that the file
  /// names is not asked.
  func ldapDecisionNode(_ services: NodeServices) throws(JourneyFileError) -> IdentityStoreDecisionNode {
    var decision = try IdentityStoreDecisionNode(self, services: services)
    decision.warnings = [
      "the directory server is not asked: names and passwords are checked against this server's own accounts"
    ]
    return decision
  }
}
