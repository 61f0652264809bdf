internal import JourneyEngine

/// A node whose work is one function, which captures the node's settings.
///
/// Methods of `NodeDefinition` make these nodes. Nodes with parts of their own are types.
struct PlainNode: JourneyNode {
  var outcomes = ["outcome"]
  var stateInputs: [String] = []
  var stateOutputs: [String] = []
  var authLevelIncrement = 0
  var authLevelRequirement: Int?
  var stepUse = StepUse.beforeNode
  var warnings: [String] = []
  var notes: [String] = []
  let work: @Sendable (inout NodeContext) async throws -> NodeResult

  func evaluate(_ context: inout NodeContext) async throws -> NodeResult { try await work(&context) }
}
