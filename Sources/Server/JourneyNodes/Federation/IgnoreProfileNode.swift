internal import JourneyEngine

extension PlainNode {
  /// PingAM's `SocialOAuthIgnoreProfileNode`, after which somebody without an account gets a session. Here only accounts have sessions: the
  /// journey continues with an account, and ends without one.
  static let ignoreProfile = PlainNode(
    stateInputs: [StateKey.username],
    warnings: [
      "sessions are for accounts only: people without one fail here; create one with ProvisionDynamicAccountNode"
    ]
  ) { context in
    guard context.state.username != nil else {
      throw NodeError("the person has no account here, and sessions are for accounts only")
    }
    return .outcome("outcome")
  }
}
