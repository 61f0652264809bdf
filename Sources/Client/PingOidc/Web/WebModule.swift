internal import Foundation
internal import PingBrowser
public import PingOrchestrate

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// Opens a workflow's request in the browser, and returns the code of the redirect as the answer.
public class WebModule {
  public init() {}

  /// The module; every ``OidcWeb`` has it.
  public static let config: Module<Void> = Module.of { setup in
    let context = setup.context  // A handler that captured `setup` would keep the workflow alive for ever.
    let config = setup.workflow.config as? OidcWebConfig
    setup.initialize { context.set(key: SharedContext.Keys.oidcIsWeb, value: true) }
    setup.transport { flow, request in
      // A sign-off has no sign-in: OidcModule has already asked the provider to end the session.
      guard let signIn = WebSignIn(in: flow) else { return answer([:]) }
      return answer([OidcClient.Constants.code: try await code(for: request, of: signIn, flow, config)])
    }
    setup.transform { _, response in
      let json = (try? response.json()) ?? [:]
      guard let code = json[OidcClient.Constants.code] as? String else {
        throw OidcError.authorizeError(
          cause: AuthorizeError.missingAuthCode, message: "Authorization code not found in response")
      }
      var session = EmptySession()
      session.value = code
      return SuccessNode(session: session)
    }
  }

  private static func code(
    for request: Request, of signIn: WebSignIn, _ flow: FlowContext, _ config: OidcWebConfig?
  ) async throws -> String {
    guard request.problem == nil, let url = request.urlRequest.url else {
      throw OidcError.authorizeError(
        cause: request.problem, message: "Browser authorization failed: URL not found")
    }
    let scheme = flow.flowContext.get(key: SharedContext.Keys.callbackURLSchemeKey) as? String ?? ""
    let redirect: URL
    do {
      // The address of a pushed request does not contain the redirect URI.
      redirect = try await RedirectHint.$current.withValue(signIn.hint) {
        try await BrowserLauncher.currentBrowser.launch(
          url: url, customParams: nil, browserType: config?.browserType ?? .authSession,
          browserMode: config?.browserMode ?? .login, callbackURLScheme: scheme)
      }
    } catch {
      throw OidcError.authorizeError(
        cause: error, message: "Browser authorization failed: \(error.localizedDescription)")
    }
    return try signIn.code(in: redirect)
  }

  private static func answer(_ json: [String: String]) -> HttpResponse {
    HttpResponse(
      data: (try? JSONEncoder().encode(json)) ?? Data(),
      response: URLResponse(
        url: URL(fileURLWithPath: "/"), mimeType: nil, expectedContentLength: 0, textEncodingName: nil))
  }
}

/// A sign-in whose page is open.
struct WebSignIn: Sendable {
  /// The client, with the redirect of this sign-in.
  let client: OidcClientConfig
  let provider: OpenIdConfiguration
  let pkce: Pkce

  init(client: OidcClientConfig, provider: OpenIdConfiguration) {
    self.client = client
    self.provider = provider
    pkce = Pkce.generate()
  }

  init?(in flow: FlowContext) {
    guard let own = flow.flowContext.get(key: SharedContext.Keys.oidcSignIn) as? Self else { return nil }
    self = own
  }

  var hint: RedirectHint { RedirectHint(redirect: client.redirectUri, state: client.state ?? pkce.state) }

  /// - Throws: ``OidcError`` for a redirect that answers another request.
  func code(in redirect: URL) throws -> String {
    try client.code(in: redirect.absoluteString, answering: pkce, at: provider)
  }
}

/// The session of a person who has signed in.
struct WebSession: Session {
  /// Always empty: the code has been exchanged.
  let value = ""
  let user: OidcUser
}
