internal import Accounts
internal import Bytes
internal import JourneyEngine
internal import StrictJSON
internal import WebAddresses

/// Sends the person to the provider that the file describes, and finds out who came back: PingAM's social nodes from before
/// `SocialProviderHandlerNode` (`SocialGoogleNode`, `SocialFacebookNode`, `SocialNode`, `SocialOpenIdConnectNode`).
///
/// The operator has configured the provider (``ProviderChoice``). Accounts are linked as ``SocialProviderHandlerNode`` links them. There is
/// no outcome for a person who declines: the journey ends.
struct SocialNode: JourneyNode {
  let outcomes = [FederationServices.accountExists, FederationServices.noAccount]
  let stateOutputs = [StateKey.username, StateKey.objectAttributes, StateKey.userInfo, StateKey.emailAddress]
  let warnings: [String]
  private let federation: FederationServices?
  private let choice: ProviderChoice
  private let mapping: ClaimMapping
  private let savesAttributes: Bool

  init(_ definition: NodeDefinition, federation: FederationServices?) throws(JourneyFileError) {
    self.federation = federation
    choice = ProviderChoice(definition)
    mapping = try ClaimMapping(definition)
    savesAttributes = try definition.flag("saveUserAttributesToSession", default: false)
    warnings = choice.warnings(federation?.providers) + Self.linkWarnings(definition)
  }

  /// Warns about other ways to find an account: PingAM can use any claim, such as a mail address that the provider does not vouch for.
  private static func linkWarnings(_ definition: NodeDefinition) -> [String] {
    let property = "cfgAccountMapperConfiguration"
    definition.noteReading(property, as: "object of texts", default: "{}")
    definition.noteReading("authenticationIdKey", as: "text", default: #""""#)
    let subject = definition.properties["authenticationIdKey"]?.stringValue ?? ""
    let others = (definition.properties[property]?.objectValue ?? [:]).map(\.name)
      .filter { !["sub", "id", subject].contains($0) }
    return others.isEmpty
      ? []
      : [
        "\(property) finds accounts by \(others.joined(separator: ", ")): this server finds them only by the provider and the person's id there"
      ]
  }

  func evaluate(_ context: inout NodeContext) async throws -> NodeResult {
    let realm = context.request.realm
    guard let federation, let provider = choice.provider(among: federation.providers.all(in: realm)) else {
      throw NodeError("no identity provider is configured in this realm \(choice.text)")
    }
    let signIn = ProviderSignIn(provider: provider, federation: federation, clientType: .browser)
    switch try await signIn.next(&context) {
    case .asks(let callbacks): return .callbacks(callbacks)
    case .interrupted(let reason):
      throw NodeError("the person did not come back from the provider \(provider.name.quoted): \(reason)")
    case .person(let person):
      let attributes = mapping.attributes(of: person.claims)
      let isKnown = try await federation.identify(person, at: provider, &context)
      if !isKnown { context.state.collect(attributes, of: person, at: provider) }
      leave(attributes, for: person, &context)
      if savesAttributes { save(attributes, &context) }
      return federation.outcome(isKnown: isKnown, at: provider, &context)
    }
  }

  /// Puts the attributes where scripts of journeys with this node look; accounts are created from what is collected.
  private func leave(
    _ attributes: JSONObject, for person: ProviderClient.Person, _ context: inout NodeContext
  ) {
    let lists = JSONObject(attributes.map { ($0.name, .array([$0.value])) })
    context.state.shared[StateKey.userInfo] = [
      "attributes": .object(lists), "userNames": ["iplanet-am-user-alias-list": [.string(person.subject)]],
    ]
    context.state.shared[StateKey.emailAddress] = attributes[ManagedAttribute.mail]
  }

  /// Notes the attributes for the session that a success makes. The server's own session properties cannot be set.
  private func save(_ attributes: JSONObject, _ context: inout NodeContext) {
    for (name, value) in attributes {
      let objection = context.state.setSessionProperty(name, value)
      if let objection { context.logReason(objection) }
    }
  }
}

extension PlainNode {
  /// PingAM's `SocialOAuthIgnoreProfileNode`, after which somebody without an account gets a session. Here only accounts have sessions: the
  /// journey continues with an account, and ends without one.
  static let ignoreProfile = PlainNode(
    stateInputs: [StateKey.username],
    warnings: [
      "sessions are for accounts only: people without one fail here; create one with ProvisionDynamicAccountNode"
    ]
  ) { context in
    guard context.state.username != nil else {
      throw NodeError("the person has no account here, and sessions are for accounts only")
    }
    return .outcome("outcome")
  }
}

/// Which claims become attributes of an account, as an older node's `cfgAttributeMappingConfiguration` says.
struct ClaimMapping: Sendable {
  private let pairs: [(claim: String, attribute: String)]

  private static let property = "cfgAttributeMappingConfiguration"

  /// PingAM's directory names, with the names used here. The link is set by the node that verified the person, so it is not mapped.
  private static let directory: [String: String?] = [
    "uid": ManagedAttribute.userName, "username": ManagedAttribute.userName,
    "mail": ManagedAttribute.mail, "iplanet-am-user-alias-list": nil,
    FederationServices.linkAttribute.lowercased(): nil,
  ]

  init(_ definition: NodeDefinition) throws(JourneyFileError) {
    definition.noteReading(Self.property, as: "object of texts", default: "{}")
    var pairs: [(claim: String, attribute: String)] = []
    for (claim, name) in try definition.object(Self.property, most: 100) {
      guard let name = name.stringValue, !name.isEmpty else {
        throw definition.wrong(Self.property, "\(claim.quoted) must have the name of an attribute")
      }
      if let known = Self.directory[name.lowercased()] {
        if let known { pairs.append((claim, known)) }
      } else if Self.isServers(name) {
        definition.repaired(
          Self.property, "makes \(claim.quoted) the attribute \(name.quoted), which is the server's own",
          instead: "It is left out.")
      } else {
        pairs.append((claim, name))
      }
    }
    self.pairs = pairs
  }

  private static func isServers(_ name: String) -> Bool {
    ManagedAttribute.reserved.contains(name.lowercased()) || ManagedAttribute.hidden.contains(name)
      || ManagedAttribute.serversOwn.contains(name)
  }

  /// The attributes of an account; without a mapping, those made from the standard claims.
  func attributes(of claims: JSONObject) -> JSONObject {
    guard !pairs.isEmpty else { return ProfileTransformation.attributes(of: claims) }
    var attributes = JSONObject()
    for (claim, attribute) in pairs {
      guard let value = ProfileTransformation.trusted(claim, of: claims) else { continue }
      attributes[attribute] = .string(value)
    }
    return attributes
  }
}

/// The operator's provider that an older node means, whose file describes a provider of its own.
///
/// The file only chooses: addresses, client id, secret, scopes and redirect URI are the configured provider's. An uploaded file therefore
/// cannot make the server send a configured secret, or a person's code, to an address that the file names.
struct ProviderChoice: Sendable {
  let name: String
  let clientID: String
  private let issuer: String
  private let addresses: [(property: String, address: String)]
  private let redirectURI: String
  private let scopes: [String]
  private let hasSecret: Bool

  init(_ definition: NodeDefinition) {
    func text(_ property: String) -> String {
      definition.noteReading(property, as: "text", default: #""""#)
      return definition.properties[property]?.stringValue ?? ""
    }
    name = text("provider")
    clientID = text("clientId")
    issuer = text("issuer")
    addresses = ["authorizeEndpoint", "tokenEndpoint", "userInfoEndpoint"].map { ($0, text($0)) }
    redirectURI = text("redirectURI")
    scopes = text("scopeString").split { $0 == " " || $0 == "," }.map(String.init)
    hasSecret = !(definition.properties["clientSecret"]?.stringValue ?? "").isEmpty
  }

  /// The provider with the client id. If several have it, the one of these with the name; if none has it, any with the name.
  func provider(among providers: [IdentityProvider]) -> IdentityProvider? {
    let clients = clientID.isEmpty ? [] : providers.filter { $0.clientID.hasSameBytes(as: clientID) }
    if clients.count == 1 { return clients[0] }
    return (clients.isEmpty ? providers : clients).first { $0.name.hasSameBytes(as: name) }
  }

  /// For messages.
  var text: String { "with the client id \(clientID.quoted) or the name \(name.quoted)" }

  /// Differences between the file and the providers that it may choose.
  func warnings(_ providers: IdentityProviders?) -> [String] {
    var warnings: [String] = []
    if hasSecret {
      warnings.append("its client secret is not used: the configured provider has its own")
    }
    guard let providers, !providers.isEmpty else {
      return warnings + ["no identity providers are configured: give --identity-providers"]
    }
    let meant = providers.byRealm.compactMap { provider(among: $0) }
    guard !meant.isEmpty else {
      return warnings + ["no identity provider is configured \(text): it fails"]
    }
    // Realms may have different providers of the name, so this reports what fits none of them.
    func isOther(_ fits: (IdentityProvider) -> Bool) -> Bool { !meant.contains(where: fits) }
    var others = addresses.filter { _, address in !address.isEmpty && isOther { $0.allows(address) } }
      .map(\.property)
    if !issuer.isEmpty, isOther({ $0.issuer == issuer || $0.issuer + "/" == issuer }) {
      others.append("issuer")
    }
    if !clientID.isEmpty, isOther({ $0.clientID.hasSameBytes(as: clientID) }) { others.append("clientId") }
    if !redirectURI.isEmpty, isOther({ $0.redirectURI == redirectURI }) { others.append("redirectURI") }
    if !scopes.isEmpty, isOther({ Set($0.scopes).isSuperset(of: scopes) }) { others.append("scopeString") }
    if !others.isEmpty {
      warnings.append(
        "these properties of the file differ from the configured provider \(meant[0].name.quoted), whose own values are used: \(others.joined(separator: ", "))"
      )
    }
    return warnings
  }
}
