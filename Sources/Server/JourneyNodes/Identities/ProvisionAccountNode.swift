internal import JourneyEngine

/// Creates the account of a person whom a provider knows and nobody here does: `ProvisionDynamicAccountNode`, and
/// `ProvisionIdmAccountNode`, which is the same where accounts are the identities.
///
/// What the social node left is created as ``CreateObjectNode`` does, under the same rules and with the same link. Without a name it gets a
/// random one, as PingAM does; without a `CreatePasswordNode` it has no password.
struct ProvisionAccountNode: JourneyNode {
  let outcomes = ["outcome"]
  let stateInputs = [StateKey.objectAttributes]
  let stateOutputs = [StateKey.username, StateKey.id]
  private let services: NodeServices

  init(_ definition: NodeDefinition, services: NodeServices) {
    self.services = services
    definition.noteReading("accountProviderClass", as: "text", default: #""""#)
  }

  func evaluate(_ context: inout NodeContext) async throws -> NodeResult {
    do {
      try await services.createAccount(&context, standardName: services.uuid())
      return .outcome("outcome")
    } catch let error as ManagedObjectError {
      throw NodeError("the account was not created: \(error)")
    }
  }
}
