internal import PingJourneyPlugin
internal import PingLogger
public import PingOidc
public import PingOrchestrate

/// Keeps an app's OpenID Connect settings in a journey. Every journey has it; an app configures it with
/// `config.module(PingJourney.OidcModule.config) { $0.clientId = … }`.
///
/// This version stores the settings but gets no tokens: `token()` of `journeyUser()` fails and says so. For the session token
/// see `session()`.
public class OidcModule {
  public init() {}

  /// The module; every journey has it.
  public static let config: Module<OidcClientConfig> = Module.of({ OidcClientConfig() }) { setup in
    let config = setup.config
    let context = setup.context  // A handler that captured `setup` would keep the workflow alive for ever.
    let client = setup.httpClient
    let logger = setup.logger
    setup.initialize {
      if config.httpClient == nil { config.httpClient = client }
      if config.logger is NoneLogger { config.logger = logger }
      context.set(key: JourneyConstants.oidcClient, value: config)
      if !config.clientId.isEmpty { logger.w(NoTokens.explanation, error: nil) }
    }
  }
}

/// Why there are no tokens.
enum NoTokens {
  static let explanation =
    "This version of PingJourney gets no OpenID Connect tokens. Use the session token of journey.session() instead."
}
