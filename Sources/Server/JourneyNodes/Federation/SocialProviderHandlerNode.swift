internal import JourneyEngine
internal import JourneyScripts
internal import StrictJSON

/// Sends the person to the chosen provider, and finds out who came back (``ProviderSignIn``). An account is found by issuer and subject
/// alone.
struct SocialProviderHandlerNode: JourneyNode {
  private static let interrupted = "SOCIAL_AUTH_INTERRUPTED"

  private let federation: FederationServices?
  private let clientType: ProviderSignIn.ClientType
  private let script: JourneyScript?

  /// The scripts of the file: also the providers' own transformations, and libraries.
  private let scripts: [String: JourneyScript]

  init(_ definition: NodeDefinition, federation: FederationServices?) throws(JourneyFileError) {
    self.federation = federation
    clientType = try definition.choice("clientType", default: "BROWSER")
    scripts = definition.attachments.scripts
    let id = try definition.string("script")
    script = scripts[id]
    guard script != nil || id.isEmpty || id == "[Empty]" else {
      throw definition.wrong("script", "the file has no script \(id.quoted); export it with its scripts")
    }
  }

  var outcomes: [String] {
    [FederationServices.accountExists, FederationServices.noAccount, Self.interrupted]
  }
  var stateInputs: [String] { [StateKey.selectedIdP] }
  var stateOutputs: [String] { [StateKey.username, StateKey.objectAttributes] }

  var warnings: [String] {
    guard let script else { return [] }
    let place = "the default transformation takes its place"
    if !script.isJavaScript {
      return ["its transformation script \(script.name.quoted) is not JavaScript: \(place)"]
    }
    if federation != nil, federation?.transformer == nil {
      return ["its transformation script is not run here: \(place)"]
    }
    return ScriptWorkers.missingLibrary.map {
      ["its transformation script \(script.name.quoted) cannot run: \($0)"]
    } ?? []
  }

  func evaluate(_ context: inout NodeContext) async throws -> NodeResult {
    guard let federation, let name = context.state.shared[StateKey.selectedIdP]?.stringValue,
      let provider = federation.providers.provider(name, in: context.request.realm)
    else { throw NodeError("no identity provider configured in this realm was chosen") }
    let signIn = ProviderSignIn(provider: provider, federation: federation, clientType: clientType)
    switch try await signIn.next(&context) {
    case .asks(let callbacks): return .callbacks(callbacks)
    case .interrupted(let reason): return context.outcome(Self.interrupted, because: reason)
    case .person(let person):
      let isKnown = try await federation.identify(person, at: provider, &context)
      if !isKnown {
        let attributes = try await attributes(
          of: person.claims, at: provider, federation, realm: context.request.realm)
        context.state.collect(attributes, of: person, at: provider)
      }
      return federation.outcome(isKnown: isKnown, at: provider, &context)
    }
  }

  /// The attributes of the person's account: the provider's script makes a normalized profile, the node's makes attributes from it.
  private func attributes(
    of claims: JSONObject, at provider: IdentityProvider, _ federation: FederationServices, realm: String
  ) async throws -> JSONObject {
    guard let transformer = federation.transformer else {
      return ProfileTransformation.attributes(of: claims)
    }
    var profile = ProfileTransformation.normalized(claims)
    let own = provider.transformation.flatMap { scripts[$0] }.flatMap { $0.isJavaScript ? $0 : nil }
    if let own {
      profile = try await transformer.transform(
        claims, normalized: profile, by: own, among: Array(scripts.values), realm: realm)
    }
    if let script, script.isJavaScript {
      return try await transformer.transform(
        claims, normalized: profile, by: script, among: Array(scripts.values), realm: realm)
    }
    return own == nil
      ? ProfileTransformation.attributes(of: claims) : ProfileTransformation.attributes(ofNormalized: profile)
  }
}

extension JourneyScript {
  fileprivate var isJavaScript: Bool { language.uppercased() != "GROOVY" }
}
