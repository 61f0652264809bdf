internal import JourneyEngine
internal import StrictJSON

extension NodeDefinition {
  /// Has the person choose a provider to sign in by, or to sign in here.
  func selectIdPNode(_ federation: FederationServices?) throws(JourneyFileError) -> PlainNode {
    let (social, local) = ("socialAuthentication", IdentityProvider.localAuthentication)
    let includesLocal = try flag("includeLocalAuthentication", default: true)
    let offersOnlyExisting = try flag("offerOnlyExisting", default: false, instead: true)
    let filter = try strings("filteredProviders")
    return PlainNode(
      outcomes: [social] + (includesLocal ? [local] : []), stateOutputs: [StateKey.selectedIdP],
      warnings: federation?.providers.isEmpty == false
        ? [] : ["no identity providers are configured: give --identity-providers"]
    ) { context in
      let offered = try await federation?.offered(context, onlyExisting: offersOnlyExisting) ?? []
      let providers = offered.filter { filter.isEmpty || filter.contains($0.name) }
      func select(_ name: String) -> NodeResult {
        context.state.shared[StateKey.selectedIdP] = .string(name)
        return .outcome(social)
      }
      if let choice = context.reply?.text() {
        if includesLocal, choice == local { return .outcome(local) }
        // The client can choose only a provider that was offered.
        if providers.contains(where: { $0.name.hasSameBytes(as: choice) }) { return select(choice) }
        context.logReason(
          "the client chose the provider \(choice.prefix(64).description.quoted), which was not offered")
      }
      if providers.isEmpty {
        guard includesLocal else { throw NodeError("no identity provider can be offered in this realm") }
        return context.outcome(local, because: "no identity provider can be offered")
      }
      if providers.count == 1, !includesLocal { return select(providers[0].name) }
      var choices = providers.map { provider -> JSONValue in
        ["provider": .string(provider.name), "uiConfig": .object(provider.uiConfig)]
      }
      if includesLocal { choices.append(["provider": .string(local)]) }
      return .callbacks([
        OutgoingCallback(
          type: "SelectIdPCallback", outputs: [.init("providers", .array(choices)), .init("value", "")],
          inputs: [.init("", "")])
      ])
    }
  }
}

extension FederationServices {
  /// The realm's providers; if only existing ones are wanted, those that the journey's account is linked with.
  fileprivate func offered(_ context: NodeContext, onlyExisting: Bool) async throws -> [IdentityProvider] {
    let providers = providers.all(in: context.request.realm)
    guard onlyExisting, context.state.username != nil else { return providers }
    let links = try await links(of: context)
    return providers.filter { provider in links.contains { $0.hasPrefix(provider.issuer + " ") } }
  }
}
