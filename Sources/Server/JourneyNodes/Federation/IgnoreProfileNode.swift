internal import JourneyEngine

/// PingAM's `SocialOAuthIgnoreProfileNode`, after which somebody without an account gets a session. Here sessions are accounts': the journey
/// goes on with one, and ends without.
struct IgnoreProfileNode: JourneyNode {
  let outcomes = ["outcome"]
  let stateInputs = [StateKey.username]

  var warnings: [String] {
    [
      "sessions are for accounts only: whoever has none fails here; create one with ProvisionDynamicAccountNode"
    ]
  }

  func evaluate(_ context: inout NodeContext) async throws -> NodeResult {
    guard context.state.username != nil else {
      throw NodeError("the person has no account here, and sessions are for accounts only")
    }
    return .outcome("outcome")
  }
}
