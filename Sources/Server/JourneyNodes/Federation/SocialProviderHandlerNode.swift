internal import Bytes
internal import JourneyEngine
internal import JourneyScripts
internal import OpenIDFormats
internal import StrictJSON

/// Sends the person to the chosen provider, and finds out who came back.
///
/// The answer counts only in this journey, once, and for the request that it answers: state, nonce and the code's verifier are
/// sealed in the journey's position, which is used up by the step. An account is found by issuer and subject alone.
struct SocialProviderHandlerNode: JourneyNode {
  private enum Outcome {
    static let exists = "ACCOUNT_EXISTS"
    static let none = "NO_ACCOUNT"
    static let interrupted = "SOCIAL_AUTH_INTERRUPTED"
  }

  private enum ClientType: String, CaseIterable { case browser, native }

  private enum Note {
    static let provider = "provider"
    static let state = "state"
    static let nonce = "nonce"
    static let verifier = "verifier"
    static let redirectURI = "redirectUri"
  }

  private let federation: FederationServices?
  private let clientType: ClientType
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

  var outcomes: [String] { [Outcome.exists, Outcome.none, Outcome.interrupted] }
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
    else { throw NodeError("no identity provider was chosen that is configured in this realm") }
    // The notes are those of the provider that was asked, even if the state has changed since.
    guard let flow = flow(in: context, for: provider) else {
      return try await begin(at: provider, federation, &context)
    }
    do {
      guard let person = try await person(at: provider, flow, federation, &context) else {
        return try await ask(provider, flow, federation)
      }
      return try await finish(person, at: provider, federation, &context)
    } catch let error as OpenIDError where error.code == .refused {
      return context.outcome(Outcome.interrupted, because: error.reason)
    } catch let error as OpenIDError {
      // Forged, replayed or another sign-in's: nobody is signed in by that.
      throw NodeError("the answer of provider \(provider.name.quoted) is refused: \(error.reason)")
    } catch let error as ProviderFailure {
      return context.outcome(Outcome.interrupted, because: error)
    } catch let error as ProviderUnreachable {
      return context.outcome(Outcome.interrupted, because: error)
    }
  }

  // MARK: Asking

  private func begin(
    at provider: IdentityProvider, _ federation: FederationServices, _ context: inout NodeContext
  ) async throws -> NodeResult {
    let base = context.request.baseURL
    guard let redirectURI = provider.redirectURI ?? (base.isEmpty ? nil : base + "/XUI/") else {
      throw NodeError(
        "the address of this server is not known: configure redirectURI for \(provider.name.quoted)")
    }
    func random() -> String { Base64URL.encode(federation.randomBytes(32)) }
    let flow = ProviderClient.Flow(
      state: random(), nonce: random(),
      proofKey: ProofKey(verifier: Base64URL.encode(federation.randomBytes(64))), redirectURI: redirectURI)
    context.notes = [
      Note.provider: .string(provider.name), Note.state: .string(flow.state), Note.nonce: .string(flow.nonce),
      Note.verifier: .string(flow.proofKey.verifier), Note.redirectURI: .string(redirectURI),
    ]
    do { return try await ask(provider, flow, federation) } catch let error as ProviderFailure {
      return context.outcome(Outcome.interrupted, because: error)
    } catch let error as ProviderUnreachable {
      return context.outcome(Outcome.interrupted, because: error)
    } catch let error as OpenIDError {
      return context.outcome(Outcome.interrupted, because: error.reason)
    }
  }

  private func ask(
    _ provider: IdentityProvider, _ flow: ProviderClient.Flow, _ federation: FederationServices
  ) async throws -> NodeResult {
    switch clientType {
    case .browser:
      let address = try await federation.client.authorization(at: provider, flow)
      return .callbacks([
        OutgoingCallback(
          type: "RedirectCallback",
          outputs: [
            .init("redirectUrl", .string(address)), .init("redirectMethod", "GET"),
            .init("trackingCookie", true),
          ], inputs: [])
      ])
    case .native:
      return .callbacks([
        OutgoingCallback(
          type: "IdPCallback",
          outputs: [
            .init("provider", .string(provider.name)), .init("clientId", .string(provider.clientID)),
            .init("redirectUri", .string(flow.redirectURI)),
            .init("scopes", .array(provider.scopes.map(JSONValue.string))),
            .init("nonce", .string(flow.nonce)),
            .init("acrValues", .array(provider.acrValues.map(JSONValue.string))), .init("request", ""),
            .init("requestUri", ""), .init("acceptsJSON", false),
          ], inputs: [.init("token", ""), .init("token_type", "")])
      ])
    }
  }

  private func flow(in context: NodeContext, for provider: IdentityProvider) -> ProviderClient.Flow? {
    let notes = context.notes
    guard notes[Note.provider]?.stringValue?.hasSameBytes(as: provider.name) == true,
      let state = notes[Note.state]?.stringValue, let nonce = notes[Note.nonce]?.stringValue,
      let verifier = notes[Note.verifier]?.stringValue, let redirectURI = notes[Note.redirectURI]?.stringValue
    else { return nil }
    return ProviderClient.Flow(
      state: state, nonce: nonce, proofKey: ProofKey(verifier: verifier), redirectURI: redirectURI)
  }

  // MARK: The answer

  /// Who came back; `nil` when nobody has yet.
  private func person(
    at provider: IdentityProvider, _ flow: ProviderClient.Flow, _ federation: FederationServices,
    _ context: inout NodeContext
  ) async throws -> ProviderClient.Person? {
    switch clientType {
    case .browser:
      let parameters = context.request.parameters.compactMapValues(\.first)
      guard ["code", "error", "state"].contains(where: { parameters[$0] != nil }) else { return nil }
      return try await federation.client.person(at: provider, answering: parameters, flow)
    case .native:
      guard let token = context.reply?.text("token"), !token.isEmpty else { return nil }
      switch context.reply?.text("token_type")?.lowercased() {
      case "id_token":
        return try await federation.client.person(at: provider, idToken: token, nonce: flow.nonce)
      case "authorization_code":
        return try await federation.client.person(at: provider, code: token, verifier: nil, flow)
      default:
        // An access token says nothing about the app it was issued to: another app's would do as well.
        throw ProviderFailure("the app sent neither an ID token nor an authorization code")
      }
    }
  }

  private func finish(
    _ person: ProviderClient.Person, at provider: IdentityProvider, _ federation: FederationServices,
    _ context: inout NodeContext
  ) async throws -> NodeResult {
    let realm = context.request.realm
    let alias = ProfileTransformation.alias(issuer: provider.issuer, subject: person.subject)
    context.state.transient["socialOAuthData"] = [provider.name: ["rawProfile": .object(person.claims)]]
    if let account = try await federation.account(linkedWith: alias, realm: realm) {
      guard let name = account["userName"]?.stringValue ?? account["username"]?.stringValue else {
        throw NodeError("the account that is linked with the person has no userName")
      }
      // A journey that has identified somebody must not end as another by way of a provider.
      if let earlier = context.state.username, earlier.lowercased() != name.lowercased() {
        throw NodeError("the person at the provider is linked with another account than the journey's")
      }
      context.state.username = name
      context.state.shared["_id"] = account["_id"]
      return context.outcome(
        Outcome.exists, because: "the account is linked with the person at \(provider.name.quoted)")
    }
    var attributes = try await attributes(of: person.claims, at: provider, federation, realm: realm)
    // The link itself is never a script's to choose: it decides who signs in.
    attributes[FederationServices.linkAttribute] = [.string(alias)]
    var all = context.state.shared[StateKey.objectAttributes]?.objectValue ?? JSONObject()
    all.merge(attributes)
    context.state.shared[StateKey.objectAttributes] = .object(all)
    return context.outcome(
      Outcome.none, because: "nobody is linked with the person at \(provider.name.quoted)")
  }

  /// What an account of the person is to have: the provider's script makes a normalized profile, the node's makes attributes of it.
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
