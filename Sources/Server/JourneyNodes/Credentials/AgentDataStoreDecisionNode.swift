internal import JourneyEngine

/// Checks an agent's name and password as ``DataStoreDecisionNode`` does: agents are accounts here.
struct AgentDataStoreDecisionNode: JourneyNode {
  let notes = ["agents are accounts of the realm here: create one for each, without roles"]
  private let decision: DataStoreDecisionNode

  init(services: NodeServices) { decision = DataStoreDecisionNode(services: services) }

  var outcomes: [String] { decision.outcomes }
  var stateInputs: [String] { decision.stateInputs }
  var stepUse: StepUse { decision.stepUse }

  func evaluate(_ context: inout NodeContext) async throws -> NodeResult {
    try await decision.evaluate(&context)
  }
}
