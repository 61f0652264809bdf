internal import JourneyEngine

/// PingAM's sign-in of its configuration tool by an SSH key: here always `false`.
///
/// The keys would be in a file of this machine that the journey file names: whoever may upload a journey would say which files the server
/// reads, and whose keys make administrators. What the tool configures does not exist here either; administrators sign in with bound keys.
struct AmsterJwtDecisionNode: JourneyNode {
  let outcomes = ["true", "false"]

  init(_ definition: NodeDefinition) throws(JourneyFileError) {
    _ = try definition.string("authorizedKeys")
  }

  var warnings: [String] {
    ["the keys of authorizedKeys are not read, so it always takes false: administrators sign in otherwise"]
  }

  func evaluate(_ context: inout NodeContext) async throws -> NodeResult {
    context.outcome("false", because: "nobody signs in by keys in a file that a journey names")
  }
}
