import CommonFixtures
import Foundation
import OpenIDFixtures
import PingOrchestrate
import PingStorage
import Testing

@testable import PingOidc

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension FakeOpenIDProvider {
  /// A client whose requests come here.
  var client: HttpClient {
    HttpClient { [self] request in
      let headers = (request.allHTTPHeaderFields ?? [:]).map { ($0.key.lowercased(), $0.value) }
      let answer = try await answer(
        Request(
          request.httpMethod ?? "GET", request.url?.absoluteString ?? "",
          headers: Dictionary(headers) { $1 },
          body: request.httpBody.map { String(decoding: $0, as: UTF8.self) } ?? ""))
      let url = try #require(request.url)
      let head = try #require(
        HTTPURLResponse(
          url: url, statusCode: answer.status, httpVersion: "HTTP/1.1", headerFields: answer.headers))
      return (Data(answer.body.utf8), head)
    }
  }

  /// Plays the person in the browser: agrees, and returns where the provider redirects to.
  func agree(to url: URL) async throws -> URL {
    let answer = try await answer(Request(url: url.absoluteString))
    return try #require(URL(string: answer.headers["Location"] ?? ""))
  }
}

extension FakeOpenIDProvider.Request {
  init(url: String) { self.init("GET", url) }
}

/// An app's configuration at `provider`.
func makeConfig(
  _ provider: FakeOpenIDProvider, now: ManualDate? = nil,
  _ change: (OidcClientConfig) -> Void = { _ in }
) -> OidcClientConfig {
  let config = OidcClientConfig()
  config.discoveryEndpoint = provider.discoveryEndpoint
  config.clientId = "app"
  config.redirectUri = "com.example.app://oauth2redirect"
  config.scopes = ["openid", "profile"]
  config.storage = MemoryStorage<Token>()
  config.httpClient = provider.client
  if let now { config.now = { now.now } }
  change(config)
  return config
}

/// An agent that plays app and person: a browser that agrees at once.
struct AgreeingAgent: Agent {
  let provider: FakeOpenIDProvider

  func config() -> () -> Void { {} }

  func endSession(oidcConfig: OidcConfig<Void>, idToken: String) async throws -> Bool {
    try await DefaultAgent().endSession(oidcConfig: oidcConfig, idToken: idToken)
  }

  func authorize(oidcConfig: OidcConfig<Void>) async throws -> AuthCode {
    let config = oidcConfig.oidcClientConfig
    let openId = try await config.provider()
    let pkce = Pkce.generate()
    let url = try #require(
      config.authorizationRequest(at: openId, pkce: pkce, keyThumbprint: await config.proofKeyThumbprint())
        .urlRequest.url)
    let redirect = try await provider.agree(to: url)
    return config.authCode(
      try config.code(in: redirect.absoluteString, answering: pkce, at: openId), for: pkce)
  }
}

/// Signs in through the browser's redirect.
func signIn(_ client: OidcClient, at provider: FakeOpenIDProvider) async throws -> Token {
  try await client.config.oidcInitialize()
  return try await client.extractCodeAndGetToken(
    from: try await provider.agree(to: client.generateAuthorizeUrl()))
}

/// Why it failed.
func failure<Value>(_ result: Result<Value, OidcError>) -> OidcError? {
  if case .failure(let error) = result { error } else { nil }
}
