internal import Concurrency
internal import PingJourneyPlugin
internal import PingLogger
public import PingOidc
public import PingOrchestrate

/// Gets OpenID Connect tokens for the person that a journey signed in. Every journey has it; an app configures it with
/// `config.module(PingJourney.OidcModule.config) { $0.clientId = … }`.
///
/// The addresses of the provider are looked up before the first step. Tokens are requested with the session when the app first
/// asks for them: `journeyUser()?.token()`. A new session deletes and revokes the tokens of the previous session, which may be
/// another person's; signing off does so, too.
public class OidcModule {
  public init() {}

  /// The module; every journey has it.
  public static let config: Module<OidcClientConfig> = Module.of({ OidcClientConfig() }) { setup in
    let config = setup.config
    let context = setup.context  // A handler that captured `setup` would keep the workflow alive for ever.
    let client = setup.httpClient
    let logger = setup.logger
    let users = OidcUsers()
    setup.initialize {
      if config.httpClient == nil { config.httpClient = client }
      if config.logger is NoneLogger { config.logger = logger }
      context.set(key: JourneyConstants.oidcClient, value: config)
      context.set(key: OidcUsers.key, value: users)
      try await config.oidcInitialize()
    }
    setup.success { _, success in
      let session = success.session.value
      if !config.clientId.isEmpty, !session.isEmpty, !users.knows(session) {
        await OidcClient(config: config).revoke()
      }
      return success
    }
    setup.signOff { request in
      if !config.clientId.isEmpty { await OidcClient(config: config).revoke() }
      return request
    }
  }
}

/// The user of a journey's latest session: one object as long as the session stays the same, which remembers the claims.
final class OidcUsers: Sendable {
  static let key = "com.sealring.journey.OIDC_USERS"

  private struct Known: Sendable {
    let session: String
    let user: OidcUser
  }

  private let known = Locked<Known?>(nil)

  /// Whether the stored tokens belong to `session`.
  func knows(_ session: String) -> Bool { known.withLock { $0?.session == session } }

  /// The user of `session`.
  func user(of session: String, _ make: @Sendable () -> OidcUser) -> OidcUser {
    known.withLock { known in
      if let known, known.session == session { return known.user }
      let user = make()
      known = Known(session: session, user: user)
      return user
    }
  }
}
