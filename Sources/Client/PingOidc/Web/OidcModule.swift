internal import Concurrency
internal import Foundation
internal import PingLogger
public import PingOrchestrate
internal import PingStorage

/// Replaces a workflow's request with an authorization request, and exchanges the code for tokens. PingJourney has a type of this name
/// for journeys: where both are imported, write the module's name.
public class OidcModule {
  public init() {}

  /// The module to add to ``OidcWebConfig``, with the provider and the client.
  public static let config: Module<OidcClientConfig> = Module.of({ OidcClientConfig() }) { setup in
    let config = setup.config
    let context = setup.context  // A handler that captured `setup` would keep the workflow alive for ever.
    let client = setup.httpClient
    let logger = setup.logger
    setup.initialize {
      if config.httpClient == nil { config.httpClient = client }
      if config.logger is NoneLogger { config.logger = logger }
      context.set(key: SharedContext.Keys.oidcClientConfig, value: config)
      try await config.oidcInitialize()
    }
    setup.start { flow, _ in try await request(config, flow.flowContext) }
    setup.success { flow, success in
      guard let signIn = WebSignIn(in: flow) else { return success }
      let former = try? await config.storedToken()
      _ = try await OidcClient(config: signIn.client).exchanged(
        signIn.client.authCode(success.session.value, for: signIn.pkce))
      if let former { await OidcClient(config: config).revokeFormer(former) }
      return SuccessNode(session: WebSession(user: OidcUser(config: config)))
    }
    setup.signOff { request in
      await OidcClient(config: config).endSession()
      return request
    }
  }

  private static func request(_ config: OidcClientConfig, _ flow: SharedContext) async throws -> Request {
    let own = config.clone()
    if let redirect = flow.get(key: SharedContext.Keys.oidcRedirect) as? String { own.redirectUri = redirect }
    let signIn = WebSignIn(client: own, provider: try await own.provider())
    flow.set(key: SharedContext.Keys.oidcSignIn, value: signIn)
    flow.set(
      key: SharedContext.Keys.callbackURLSchemeKey, value: URL(string: own.redirectUri)?.scheme ?? "")
    let options = flow.get(key: SharedContext.Keys.oidcOptions) as? OidcOptions
    return try await own.authorizationPage(
      at: signIn.provider, pkce: signIn.pkce, further: options?.additionalParameters ?? [:])
  }
}

extension OidcClient {
  /// Exchanges a code while holding the tokens' mutex.
  func exchanged(_ code: AuthCode) async throws -> Token {
    do { return try await config.shared.tokens.withLock { try await exchange(code) } } catch {
      throw OidcError.wrapping(error)
    }
  }

  /// Revokes tokens that new ones have replaced.
  func revokeFormer(_ token: Token) async {
    do { try await revoke(token) } catch {
      config.logger.w("The former tokens could not be revoked", error: error)
    }
  }
}
