internal import StrictJSON

/// Runs an inner journey: its nodes share the state, and its end is this node's outcome.
///
/// ``JourneyRun`` enters the inner journey itself, so this node is never evaluated.
struct InnerJourneyNode: JourneyNode {
  static let type = "InnerTreeEvaluatorNode"

  /// The other journey's name.
  let journey: String

  /// Whether an error inside takes an outcome of its own. Otherwise it ends the whole journey.
  let showsError: Bool

  init(_ definition: NodeDefinition) throws(JourneyFileError) {
    journey = try definition.string("tree")
    showsError = try definition.flag("displayErrorOutcome", default: false, instead: false)
    guard !journey.isEmpty else { throw definition.wrong("tree", "names no journey to run inside") }
  }

  var outcomes: [String] { ["true", "false"] + (showsError ? [Self.error] : []) }

  static let error = "error"

  var stepUse: StepUse { .later }

  func evaluate(_ context: inout NodeContext) throws -> NodeResult {
    throw NodeRefusal("an inner journey cannot run here", detail: [:])
  }
}
