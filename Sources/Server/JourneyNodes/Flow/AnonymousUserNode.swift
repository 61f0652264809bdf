internal import JourneyEngine
internal import JourneyStore
internal import StrictJSON

/// Continues as one fixed account that everyone on this path shares. There is a session only if the account exists; an account with a role
/// is refused.
struct AnonymousUserNode: JourneyNode {
  let outcomes = ["outcome"]
  let stateOutputs = [StateKey.username]
  private let services: NodeServices
  private let name: String

  init(_ definition: NodeDefinition, services: NodeServices) throws(JourneyFileError) {
    self.services = services
    name = try definition.string("anonymousUserName", default: "anonymous")
    if let fault = LoginName.fault(in: name) { throw definition.wrong("anonymousUserName", fault) }
  }

  func evaluate(_ context: inout NodeContext) async throws -> NodeResult {
    let user = try await services.store.user(named: name, realm: context.request.realm)
    guard user?.roles.isEmpty ?? true else {
      throw NodeError("the account \(name.quoted) has a role, and such accounts need a proof")
    }
    context.state.username = user?.username ?? name
    return .outcome("outcome")
  }
}
