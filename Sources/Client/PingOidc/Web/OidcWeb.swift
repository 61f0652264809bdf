internal import PingBrowser
public import PingOrchestrate
internal import PingStorage

/// A sign-in at an OpenID provider in the browser.
///
/// ```swift
/// let web = OidcWeb.createOidcWeb { config in
///   config.module(PingOidc.OidcModule.config) { $0.clientId = "app" }
/// }
/// let user = try await web.authorize().get()
/// ```
public typealias OidcWeb = Workflow

/// What one sign-in adds to the request.
public struct OidcOptions: Sendable {
  /// Further parameters, such as `acr_values`; they replace those of the configuration, but not the ones that the protocol relies on.
  public var additionalParameters: [String: String] = [:]

  init() {}
}

extension SharedContext.Keys {
  /// Whether the workflow signs in by a browser.
  public static let oidcIsWeb = "com.sealring.oidc.IS_WEB"
  /// The scheme of the redirect, in the context of a run.
  public static let callbackURLSchemeKey = "com.sealring.oidc.CALLBACK_URL_SCHEME"
  static let oidcClientConfig = "com.sealring.oidc.CLIENT"
  static let oidcOptions = "com.sealring.oidc.OPTIONS"
  static let oidcRedirect = "com.sealring.oidc.REDIRECT"
  static let oidcSignIn = "com.sealring.oidc.SIGN_IN"
}

extension OidcWeb {
  /// A sign-in by the browser; `block` adds ``OidcModule`` with the provider and the client.
  public static func createOidcWeb(block: @Sendable (OidcWebConfig) -> Void = { _ in }) -> OidcWeb {
    let config = OidcWebConfig()
    config.module(WebModule.config)
    block(config)
    return Workflow(config: config)
  }

  /// Opens the browser, stores the new tokens and returns the person who has signed in. Tokens that were stored before are revoked.
  ///
  /// Fails when the redirect answers another request, is another provider's or says that the provider refused. The stored tokens then stay.
  public func authorize(
    _ configure: @Sendable (inout OidcOptions) -> Void = { _ in }
  ) async -> Result<any User, OidcError> {
    var options = OidcOptions()
    configure(&options)
    do {
      try await initialize()
      guard let client = oidcClientConfig else { throw Self.notConfigured }
      let chosen = options
      let node = try await BrowserRedirect.with(client.redirectUri) { [self] redirect in
        await start(
          Request(),
          in: FlowContext(
            flowContext: SharedContext([
              SharedContext.Keys.oidcOptions: chosen, SharedContext.Keys.oidcRedirect: redirect,
            ])))
      }
      switch node {
      case let success as SuccessNode:
        guard let user = (success.session as? WebSession)?.user else { throw Self.notConfigured }
        return .success(user)
      case let failure as FailureNode: throw failure.cause
      default: throw Self.notConfigured
      }
    } catch { return .failure(OidcError.wrapping(error)) }
  }

  /// The person whose tokens are stored; `nil` when nobody has signed in.
  public func oidcLoginUser() async -> (any User)? {
    guard (try? await initialize()) != nil, let client = oidcClientConfig,
      (try? await client.storedToken()) != nil
    else { return nil }
    return OidcUser(config: client)
  }

  private var oidcClientConfig: OidcClientConfig? {
    sharedContext.get(key: SharedContext.Keys.oidcClientConfig) as? OidcClientConfig
  }

  private static var notConfigured: OidcError {
    .unknown(
      message: "The workflow does not sign in by a browser: make it with createOidcWeb and OidcModule.")
  }
}
