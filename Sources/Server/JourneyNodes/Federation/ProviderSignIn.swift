internal import Bytes
internal import JourneyEngine
internal import OpenIDFormats
internal import StrictJSON

/// One sign-in at a provider, for a node that sends the person there and identifies them when they come back.
///
/// The answer counts only in this journey, once, and for the request that it answers: state, nonce and the code's verifier are
/// sealed in the journey's position, which is used up by the step.
struct ProviderSignIn: Sendable {
  enum ClientType: String, CaseIterable { case browser, native }

  enum Step {
    case asks([OutgoingCallback])
    case person(ProviderClient.Person)

    /// The person declined, or the provider does not work; why, for the operator.
    case interrupted(String)
  }

  let provider: IdentityProvider
  let federation: FederationServices
  let clientType: ClientType

  /// Asks, or reads the answer.
  ///
  /// - Throws: ``NodeError`` for an answer that is forged, replayed or another sign-in's.
  func next(_ context: inout NodeContext) async throws -> Step {
    // The notes are those of the provider that was asked, even if the state has changed since.
    guard let flow: ProviderClient.Flow = context.kept(), flow.provider.hasSameBytes(as: provider.name) else {
      let flow = try begin(&context)
      do { return .asks(try await ask(flow)) } catch let error as OpenIDError {
        // Nobody has answered yet, so the error is in the provider's document.
        return .interrupted(error.reason)
      } catch { return try Self.interruption(error) }
    }
    do {
      guard var person = try await person(flow, context) else { return .asks(try await ask(flow)) }
      if person.authenticatedAt == nil, clientType == .browser, flow.isForced, provider.honoursPrompt == true
      {
        person.authenticatedAt = federation.client.now
      }
      return .person(person)
    } catch let error as OpenIDError where error.code != .refused {
      // Such an answer signs nobody in.
      throw NodeError("the answer of provider \(provider.name.quoted) was refused: \(error.reason)")
    } catch { return try Self.interruption(error) }
  }

  private static func interruption(_ error: any Error) throws -> Step {
    switch error {
    case let error as OpenIDError: .interrupted(error.reason)
    case let error as ProviderFailure: .interrupted(error.description)
    case let error as ProviderUnreachable: .interrupted(error.description)
    default: throw error
    }
  }

  // MARK: Asking

  private func begin(_ context: inout NodeContext) throws -> ProviderClient.Flow {
    let base = context.request.baseURL
    guard let redirectURI = provider.redirectURI ?? (base.isEmpty ? nil : base + "/XUI/") else {
      throw NodeError(
        "the address of this server is not known: configure redirectURI for \(provider.name.quoted)")
    }
    func random() -> String { Base64URL.encode(federation.randomBytes(32)) }
    let flow = ProviderClient.Flow(
      provider: provider.name, state: random(), nonce: random(),
      verifier: Base64URL.encode(federation.randomBytes(64)), redirectURI: redirectURI,
      isForced: context.isForced)
    try context.keep(flow)
    return flow
  }

  private func ask(_ flow: ProviderClient.Flow) async throws -> [OutgoingCallback] {
    switch clientType {
    case .browser:
      let address = try await federation.client.authorization(at: provider, flow)
      return [
        OutgoingCallback(
          type: "RedirectCallback",
          outputs: [
            .init("redirectUrl", .string(address)), .init("redirectMethod", "GET"),
            .init("trackingCookie", true),
          ], inputs: [])
      ]
    case .native:
      return [
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
      ]
    }
  }

  // MARK: The answer

  /// The person who came back; `nil` when nobody has yet.
  private func person(
    _ flow: ProviderClient.Flow, _ context: NodeContext
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
}
