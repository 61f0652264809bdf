internal import StrictJSON

/// Replaces a node that this server cannot make: a journey runs until it reaches the node, and then ends as a failed sign-in.
struct UnknownNode: JourneyNode {
  /// The outcomes that the file connects, so that loading does not warn about them.
  let outcomes: [String]

  /// Why the journey cannot continue, for the operator.
  let reason: String

  /// Says what to do about a type that the registry does not have.
  static func reason(type: String) -> String {
    if type.hasPrefix(DesignedNodeType.prefix) {
      return
        "the type \(type) was made in the node designer, and no file of the realm has it; export the journey with its node types, "
        + "or put their file (*.nodeTypes.json) beside it"
    }
    return "this server does not know the node type \(type); replace the node, or update the server"
  }

  /// It has no effects.
  var stepUse: StepUse { .later }

  func evaluate(_ context: inout NodeContext) throws -> NodeResult { throw Unknown(description: reason) }

  private struct Unknown: Error, CustomStringConvertible { let description: String }
}

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
