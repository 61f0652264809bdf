internal import Foundation
public import PingBrowser
internal import PingOidc
public import PingOrchestrate
internal import PingStorage
internal import StrictJSON

/// Signs the person in at an OpenID provider in the browser, and gets the ID token for the server.
///
/// The app is a public client of the provider: the code is bound to it by PKCE, and the ID token to the journey by its nonce. Nothing from
/// the provider is stored.
public struct OpenIDHandler: IdpHandler {
  public var tokenType: String { "id_token" }

  private let discoveryEndpoint: String
  private let clientId: String?
  private let browserType: BrowserType
  private let httpClient: HttpClient?

  /// - Parameters:
  ///   - discoveryEndpoint: the address of the provider's discovery document. The app sets it, because a server that named another one
  ///     could make the person sign in there.
  ///   - clientId: the app's own client id at the provider. A journey server that names another one is refused: it could get an ID token
  ///     for another app, with a nonce of that app's server. `nil` accepts what the server names.
  ///   - browserType: how the browser is shown.
  ///   - httpClient: sends the requests to the provider.
  public init(
    discoveryEndpoint: String, clientId: String? = nil, browserType: BrowserType = .authSession,
    httpClient: HttpClient? = nil
  ) {
    self.discoveryEndpoint = discoveryEndpoint
    self.clientId = clientId
    self.browserType = browserType
    self.httpClient = httpClient
  }

  public func authorize(idpClient: IdpClient) async throws -> IdpResult {
    guard let clientId = idpClient.clientId, !clientId.isEmpty, let redirect = idpClient.redirectUri,
      let nonce = idpClient.nonce, !nonce.isEmpty
    else {
      throw IdpExceptions.illegalArgumentException(
        message: "The server's request has no client id, no redirect or no nonce.")
    }
    guard clientId.hasSameBytes(as: self.clientId ?? clientId) else {
      throw IdpExceptions.illegalArgumentException(message: "The server's request names another client id.")
    }
    let config = OidcClientConfig()
    config.discoveryEndpoint = discoveryEndpoint
    config.clientId = clientId
    config.scopes = Set(idpClient.scopes)
    config.nonce = nonce
    config.acrValues = idpClient.acrValues.isEmpty ? nil : idpClient.acrValues.joined(separator: " ")
    config.httpClient = httpClient
    config.storage = MemoryStorage<Token>()
    try await config.oidcInitialize()
    let token = try await BrowserRedirect.with(redirect) { redirect in
      config.redirectUri = redirect
      let client = OidcClient(config: config)
      let answer = try await BrowserLauncher.currentBrowser.launch(
        url: client.generateAuthorizeUrl(), customParams: nil, browserType: browserType, browserMode: .login,
        callbackURLScheme: client.redirectURIScheme() ?? "")
      return try await client.extractCodeAndGetToken(from: answer)
    }
    guard let idToken = token.idToken else {
      throw IdpExceptions.illegalStateException(message: "The provider sent no ID token.")
    }
    return IdpResult(token: idToken)
  }
}
