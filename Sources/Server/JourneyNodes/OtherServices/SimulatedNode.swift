internal import JourneyEngine
internal import StrictJSON

/// A node of a service whose dialogue with the client this server does not have, so that nothing is asked at all.
struct SimulatedNode: JourneyNode {
  let outcomes: [String]
  private let decision: SimulatedDecision

  init(
    _ service: ServiceSimulation.Service, _ definition: NodeDefinition, services: NodeServices
  ) throws(JourneyFileError) {
    decision = try SimulatedDecision(service, definition, services)
    let chosen = decision.outcome
    let listed = (definition.properties["_outcomes"]?.arrayValue ?? []).compactMap { $0["id"]?.stringValue }
    guard listed.isEmpty || listed.contains(chosen) else {
      throw definition.wrong(
        "_outcomes",
        "has no outcome \(chosen.quoted), which --simulate has chosen; there are \(listed.joined(separator: ", "))"
      )
    }
    outcomes = listed.isEmpty ? [chosen] : listed
  }

  var warnings: [String] { [decision.warning] }

  func evaluate(_ context: inout NodeContext) async throws -> NodeResult {
    await decision.take(decision.outcome, &context)
  }
}
