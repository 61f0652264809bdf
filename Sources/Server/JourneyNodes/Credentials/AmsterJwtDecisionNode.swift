internal import JourneyEngine

extension NodeDefinition {
  /// PingAM's sign-in of its configuration tool by an SSH key: here always `false`.
  ///
  /// The journey file would name a file of this machine that has the keys: anyone who may upload a journey could choose which files the
  /// server reads, and whose keys make administrators. What the tool configures does not exist here either; administrators sign in with
  /// bound keys.
  func amsterJwtDecisionNode() throws(JourneyFileError) -> PlainNode {
    _ = try string("authorizedKeys")
    return PlainNode(
      outcomes: ["true", "false"],
      warnings: [
        "the keys of authorizedKeys are not read, so it always takes false: administrators sign in otherwise"
      ]
    ) { context in
      context.outcome("false", because: "keys from a file that a journey names are not accepted here")
    }
  }
}
