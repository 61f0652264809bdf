internal import JourneyEngine

/// PingAM's sign-in of its configuration tool by an SSH key: here always `false`.
///
/// The journey file would name a file of this machine that has the keys: anyone who may upload a journey could choose which files the
/// server reads, and whose keys make administrators. What the tool configures does not exist here either; administrators sign in with bound
/// keys.
struct AmsterJwtDecisionNode: JourneyNode {
  let outcomes = ["true", "false"]

  init(_ definition: NodeDefinition) throws(JourneyFileError) {
    _ = try definition.string("authorizedKeys")
  }

  var warnings: [String] {
    ["the keys of authorizedKeys are not read, so it always takes false: administrators sign in otherwise"]
  }

  func evaluate(_ context: inout NodeContext) async throws -> NodeResult {
    context.outcome("false", because: "keys from a file that a journey names are not accepted here")
  }
}
