internal import JourneyEngine
internal import StrictJSON

extension NodeDefinition {
  /// Creates the account of `objectAttributes`; the journey continues as its user.
  func createObjectNode(_ services: NodeServices) throws(JourneyFileError) -> PlainNode {
    try requireUserResource()
    return PlainNode(
      outcomes: ["CREATED", "FAILURE"], stateInputs: [StateKey.objectAttributes],
      stateOutputs: [StateKey.username, StateKey.id]
    ) { context in
      do {
        try await services.createAccount(&context)
        return .outcome("CREATED")
      } catch let error as ManagedObjectError {
        return context.outcome("FAILURE", because: "the account was not created: \(error)")
      }
    }
  }

  /// Creates the account of a person whom a provider knows and nobody here does: `ProvisionDynamicAccountNode`, and
  /// `ProvisionIdmAccountNode`, which is the same where accounts are the identities.
  ///
  /// What the social node left is created as ``createObjectNode(_:)`` does, under the same rules and with the same link. Without a name it
  /// gets a random one, as PingAM does; without a `CreatePasswordNode` it has no password.
  func provisionAccountNode(_ services: NodeServices) -> PlainNode {
    noteReading("accountProviderClass", as: "text", default: #""""#)
    return PlainNode(
      stateInputs: [StateKey.objectAttributes], stateOutputs: [StateKey.username, StateKey.id]
    ) { context in
      do {
        try await services.createAccount(&context, standardName: services.uuid())
        return .outcome("outcome")
      } catch let error as ManagedObjectError {
        throw NodeError("the account was not created: \(error)")
      }
    }
  }

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
