internal import JourneyEngine

/// PingAM's `SocialOAuthIgnoreProfileNode`, after which somebody without an account gets a session. Here only accounts have sessions: the
/// journey continues with an account, and ends without one.
struct IgnoreProfileNode: JourneyNode {
  let outcomes = ["outcome"]
  let stateInputs = [StateKey.username]

  var warnings: [String] {
    [
      "sessions are for accounts only: people without one fail here; create one with ProvisionDynamicAccountNode"
    ]
  }

  func evaluate(_ context: inout NodeContext) async throws -> NodeResult {
    guard context.state.username != nil else {
      throw NodeError("the person has no account here, and sessions are for accounts only")
    }
    return .outcome("outcome")
  }
}
