internal import JourneyEngine
internal import StrictJSON

/// Asks for the user name. An empty one is asked for again.
struct UsernameCollectorNode: JourneyNode {
  let outcomes = ["outcome"]
  let stateOutputs = [StateKey.username]

  func evaluate(_ context: inout NodeContext) async throws -> NodeResult {
    guard let name = context.reply?.enteredName else {
      return .callbacks([CredentialCallback.name(prompt: "User Name")])
    }
    context.state.username = name
    return .outcome("outcome")
  }
}

/// Asks for the password. An empty one is asked for again.
struct PasswordCollectorNode: JourneyNode {
  let outcomes = ["outcome"]
  let stateOutputs = [StateKey.password]

  func evaluate(_ context: inout NodeContext) async throws -> NodeResult {
    guard let password = context.reply?.enteredPassword else {
      return .callbacks([CredentialCallback.password(prompt: "Password")])
    }
    context.state.transient[StateKey.password] = .string(password)
    return .outcome("outcome")
  }
}
