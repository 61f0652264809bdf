internal import JourneyEngine
internal import JourneyStore
internal import StrictJSON

/// Whether an account has the name in the journey's state, as PingAM's node of this type does for `userName`; the name
/// continues as the store spells it. Proves nothing about the person.
struct IdentifyExistingUserNode: JourneyNode {
  let outcomes = ["true", "false"]
  let stateOutputs = [StateKey.username]
  private let services: NodeServices

  init(_ definition: NodeDefinition, services: NodeServices) throws(JourneyFileError) {
    self.services = services
    for property in ["identifier", "identityAttribute"] {
      guard try definition.string(property, default: "userName") == "userName" else {
        throw definition.wrong(property, "must be userName: this server finds accounts by their name only")
      }
    }
  }

  func evaluate(_ context: inout NodeContext) async throws -> NodeResult {
    guard let username = context.state.username,
      let user = try await services.store.user(named: username, realm: context.request.realm)
    else { return .outcome("false") }
    context.state.username = user.username
    return .outcome("true")
  }
}
