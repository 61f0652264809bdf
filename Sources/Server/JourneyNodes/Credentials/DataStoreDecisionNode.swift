internal import JourneyEngine

/// Goes to `true` when the collected name and password are right and the account may sign in.
struct DataStoreDecisionNode: JourneyNode {
  let outcomes = ["true", "false"]
  let stateInputs = [StateKey.username, StateKey.password]
  private let check: PasswordCheck

  init(services: NodeServices) { check = PasswordCheck(services: services) }

  func evaluate(_ context: inout NodeContext) async throws -> NodeResult {
    let verdict = try await check.verdict(context)
    context.note(verdict, at: check.services.clock())
    if case .right = verdict { return .outcome("true") }
    return .outcome("false")
  }
}
