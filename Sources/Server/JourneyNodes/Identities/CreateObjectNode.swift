internal import JourneyEngine
internal import StrictJSON

/// Creates the account of `objectAttributes`; the journey continues as its user.
struct CreateObjectNode: JourneyNode {
  let outcomes = ["CREATED", "FAILURE"]
  let stateInputs = [StateKey.objectAttributes]
  let stateOutputs = [StateKey.username, StateKey.id]
  private let services: NodeServices

  init(_ definition: NodeDefinition, services: NodeServices) throws(JourneyFileError) {
    self.services = services
    try definition.requireUserResource()
  }

  func evaluate(_ context: inout NodeContext) async throws -> NodeResult {
    do {
      try await services.createAccount(&context)
      return .outcome("CREATED")
    } catch let error as ManagedObjectError {
      return context.outcome("FAILURE", because: "the account was not created: \(error)")
    }
  }
}

extension NodeDefinition {
  /// - Throws: when the node is about other objects than users.
  func requireUserResource() throws(JourneyFileError) {
    let resource = try string("identityResource")
    guard
      resource.isEmpty || resource == "managed/user"
        || resource.hasPrefix("managed/") && resource.hasSuffix("_user")
    else {
      throw wrong("identityResource", "must be managed/REALM_user: this server has no other managed objects")
    }
  }
}
