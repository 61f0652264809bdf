internal import JourneyEngine
internal import StrictJSON

/// Has the person choose a provider to sign in by, or to sign in here.
struct SelectIdPNode: JourneyNode {
  /// What the client answers to sign in without a provider.
  static let localAuthentication = "localAuthentication"

  private enum Outcome {
    static let social = "socialAuthentication"
    static let local = "localAuthentication"
  }

  private let federation: FederationServices?
  private let includesLocal: Bool
  private let offersOnlyExisting: Bool
  private let filter: [String]

  init(_ definition: NodeDefinition, federation: FederationServices?) throws(JourneyFileError) {
    self.federation = federation
    includesLocal = try definition.flag("includeLocalAuthentication", default: true)
    offersOnlyExisting = try definition.flag("offerOnlyExisting", default: false, instead: true)
    filter = try definition.strings("filteredProviders")
  }

  var outcomes: [String] { [Outcome.social] + (includesLocal ? [Outcome.local] : []) }
  var stateOutputs: [String] { [StateKey.selectedIdP] }

  var warnings: [String] {
    federation?.providers.isEmpty == false
      ? [] : ["no identity providers are configured: give --identity-providers"]
  }

  func evaluate(_ context: inout NodeContext) async throws -> NodeResult {
    let providers = try await offered(context)
    if let choice = context.reply?.text() {
      if includesLocal, choice == Self.localAuthentication { return .outcome(Outcome.local) }
      // The client's answer is one of those that were offered, or nothing.
      if providers.contains(where: { $0.name.hasSameBytes(as: choice) }) { return select(choice, &context) }
      context.logReason(
        "the client chose the provider \(choice.prefix(64).description.quoted), which was not offered")
    }
    if providers.isEmpty {
      guard includesLocal else { throw NodeError("no identity provider can be offered in this realm") }
      return context.outcome(Outcome.local, because: "no identity provider can be offered")
    }
    if providers.count == 1, !includesLocal { return select(providers[0].name, &context) }
    var choices = providers.map { provider -> JSONValue in
      ["provider": .string(provider.name), "uiConfig": .object(provider.uiConfig)]
    }
    if includesLocal { choices.append(["provider": .string(Self.localAuthentication)]) }
    return .callbacks([
      OutgoingCallback(
        type: "SelectIdPCallback", outputs: [.init("providers", .array(choices)), .init("value", "")],
        inputs: [.init("", "")])
    ])
  }

  private func select(_ name: String, _ context: inout NodeContext) -> NodeResult {
    context.state.shared[StateKey.selectedIdP] = .string(name)
    return .outcome(Outcome.social)
  }

  private func offered(_ context: NodeContext) async throws -> [IdentityProvider] {
    guard let federation else { return [] }
    let providers = federation.providers.all(in: context.request.realm)
      .filter { filter.isEmpty || filter.contains($0.name) }
    guard offersOnlyExisting, context.state.username != nil else { return providers }
    let links = try await federation.links(of: context)
    return providers.filter { provider in links.contains { $0.hasPrefix(provider.issuer + " ") } }
  }
}
