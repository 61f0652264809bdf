internal import JourneyEngine
internal import JourneyStore
internal import StrictJSON

extension NodeDefinition {
  /// Continues as one fixed account that everyone on this path shares. There is a session only if the account exists; an account with a role
  /// is refused.
  func anonymousUserNode(_ services: NodeServices) throws(JourneyFileError) -> PlainNode {
    let name = try string("anonymousUserName", default: "anonymous")
    if let fault = LoginName.fault(in: name) { throw wrong("anonymousUserName", fault) }
    return PlainNode(stateOutputs: [StateKey.username]) { context in
      let user = try await services.store.user(named: name, realm: context.request.realm)
      guard user?.roles.isEmpty ?? true else {
        throw NodeError("the account \(name.quoted) has a role, and such accounts need a proof")
      }
      context.state.username = user?.username ?? name
      return .outcome("outcome")
    }
  }
}
