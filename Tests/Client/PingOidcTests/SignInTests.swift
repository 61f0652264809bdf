import CommonFixtures
import Concurrency
import Foundation
import OpenIDFixtures
import PingOrchestrate
import PingStorage
import StrictJSON
import Testing

@testable import PingOidc

@Suite("Signing in at an OpenID provider")
struct SignInTests {
  private let provider = FakeOpenIDProvider()

  @Test func `code, PKCE, state and nonce go out, and verified tokens are stored`() async throws {
    let config = makeConfig(provider) { config in
      config.loginHint = "ada"
      config.acrValues = "Login"
      config.additionalParameters = ["theme": "dark", "redirect_uri": "https://evil.example.com"]
    }
    let client = OidcClient(config: config)
    #expect(client.redirectURIScheme() == "com.example.app")
    #expect(throws: OidcError.self) { try client.generateAuthorizeUrl() }
    try await config.oidcInitialize()
    let url = try client.generateAuthorizeUrl(customParams: ["acr_values": "Strong", "state": "mine"])
    let sent = FakeOpenIDProvider.Request(url: url.absoluteString).query
    #expect([sent["login_hint"], sent["acr_values"], sent["theme"]] == ["ada", "Strong", "dark"])
    #expect(sent["redirect_uri"] == "com.example.app://oauth2redirect" && sent["scope"] == "openid profile")
    #expect(sent["state"] == client.pkce?.state && sent["code_challenge_method"] == "S256")
    #expect(sent["nonce"]?.isEmpty == false)

    let token = try await client.extractCodeAndGetToken(from: try await provider.agree(to: url))
    #expect(token.accessToken == "access-1" && token.idToken != nil)
    #expect(try await config.storage.get()?.refreshToken == "refresh-1")
    #expect(try await client.token().get().accessToken == "access-1")
    #expect(provider.requests("access_token").count == 1)
  }

  @Test func `a redirect is good once, and only while its sign-in is open`() async throws {
    let client = OidcClient(config: makeConfig(provider))
    try await client.config.oidcInitialize()
    let redirect = try await provider.agree(to: client.generateAuthorizeUrl())
    let pkce = client.pkce
    _ = try await client.extractCodeAndGetToken(from: redirect)
    await #expect(throws: OidcError.self) { try await client.extractCodeAndGetToken(from: redirect) }
    client.pkce = pkce
    await #expect(throws: OidcError.self) { try await client.extractCodeAndGetToken(from: redirect) }
    #expect(provider.requests("access_token").count == 1)
  }

  @Test func `a program that was ended while the browser was open goes on with what it kept`() async throws {
    let config = makeConfig(provider)
    let first = OidcClient(config: config)
    try await config.oidcInitialize()
    let redirect = try await provider.agree(to: first.generateAuthorizeUrl())
    let second = OidcClient(config: config)
    second.pkce = first.pkce
    #expect(try await second.extractCodeAndGetToken(from: redirect).idToken != nil)
  }

  @Test(arguments: [
    "com.example.app://oauth2redirect?code=stolen&state=wrong",
    "com.example.app://oauth2redirect?code=stolen",
    "com.example.app://elsewhere?code=stolen&state=STATE",
    "com.example.app://oauth2redirect?code=stolen&state=STATE&iss=https%3A%2F%2Fevil.example.com",
    "com.example.app://oauth2redirect?code=one&code=two&state=STATE",
    "com.example.app://oauth2redirect?error=access_denied&state=STATE",
    "com.example.app://oauth2redirect?state=STATE",
  ])
  func `a redirect that is not the answer to the request gets no tokens and leaves the sign-in open`(
    text: String
  ) async throws {
    let client = OidcClient(config: makeConfig(provider))
    try await client.config.oidcInitialize()
    let url = try client.generateAuthorizeUrl()
    let forged = try #require(
      URL(string: text.replacingOccurrences(of: "STATE", with: client.pkce?.state ?? "")))
    await #expect(throws: OidcError.self) { try await client.extractCodeAndGetToken(from: forged) }
    #expect(provider.requests("access_token").isEmpty)
    #expect(try await client.extractCodeAndGetToken(from: try await provider.agree(to: url)).idToken != nil)
  }

  @Test func `a provider that always names itself must do so in each redirect`() async throws {
    provider.lie { $0.metadata = { $0["authorization_response_iss_parameter_supported"] = true } }
    let client = OidcClient(config: makeConfig(provider))
    await #expect(throws: OidcError.self) { try await signIn(client, at: provider) }
    let issuer = provider.issuer
    provider.lie { $0.redirect = { $0["iss"] = issuer } }
    #expect(try await signIn(client, at: provider).idToken != nil)
  }

  @Test func `a discovery document of another issuer, or without https, or too large, is refused`()
    async throws
  {
    let large = #"{"issuer":"\#(provider.issuer)","x":"\#(String(repeating: "x", count: 300_000))"}"#
    let lies: [@Sendable (inout FakeOpenIDProvider.Behaviour) -> Void] = [
      { $0.metadata = { $0["issuer"] = "https://evil.example.com" } },
      { $0.metadata = { $0["issuer"] = "https://am.example.com/am/oauth2/realms/root/realms/beta" } },
      { $0.metadata = { $0["token_endpoint"] = "http://am.example.com/token" } },
      { $0.metadata = { $0["jwks_uri"] = nil } },
      { $0.instead = ["openid-configuration": FakeOpenIDProvider.Answer(200, large)] },
      { $0.instead = ["openid-configuration": FakeOpenIDProvider.Answer(500, "<html>")] },
    ]
    for lie in lies {
      let provider = FakeOpenIDProvider()
      provider.lie(lie)
      let config = makeConfig(provider)
      await #expect(throws: OidcError.self) { try await config.oidcInitialize() }
      #expect(config.openId == nil)
    }
  }

  @Test(arguments: ["/oauth2/alpha", "/oauth2/realms/root/realms/alpha"])
  func `the port that PingAM prints is right, in both forms of its paths`(path: String) async throws {
    let provider = FakeOpenIDProvider(issuer: "https://am.example.com/am" + path)
    provider.lie {
      $0.metadata = { $0["issuer"] = .string("https://am.example.com:443/am" + path) }
      $0.claims = { $0["iss"] = .string("https://am.example.com:443/am" + path) }
    }
    #expect(try await signIn(OidcClient(config: makeConfig(provider)), at: provider).idToken != nil)
  }

  @Test func `an issuer that the app names is right`() async throws {
    let other = FakeOpenIDProvider()
    other.lie { $0.metadata = { $0["issuer"] = "https://login.example.com" } }
    let config = makeConfig(other) { $0.issuer = "https://login.example.com/" }
    try await config.oidcInitialize()
    #expect(config.openId?.issuer == "https://login.example.com")
  }

  @Test func `without a discovery address there is nothing to look up, and asking for tokens says so`()
    async throws
  {
    for text in ["", "no address"] {
      let config = makeConfig(provider) { $0.discoveryEndpoint = text }
      try await config.oidcInitialize()
      #expect(failure(await OidcClient(config: config).token()) != nil)
    }
    #expect(provider.requests.isEmpty)
  }

  @Test func `an agent with a configuration of its own authorizes, and serves copies too`() async throws {
    final class Settings: Sendable { let code = Locked("") }
    struct Fixed: Agent {
      func config() -> () -> Settings { { Settings() } }
      func endSession(oidcConfig: OidcConfig<Settings>, idToken: String) async throws -> Bool { true }
      func authorize(oidcConfig: OidcConfig<Settings>) async throws -> AuthCode {
        AuthCode(
          code: oidcConfig.config.code.withLock { $0 }, codeVerifier: oidcConfig.oidcClientConfig.clientId)
      }
    }
    let config = makeConfig(provider)
    config.updateAgent(Fixed()) { settings in settings.code.withLock { $0 = "mine" } }
    let copy = config.clone()
    copy.clientId = "copy"
    _ = await OidcClient(config: copy).token()
    let form = try #require(provider.requests("access_token").last?.form)
    #expect([form["code"], form["code_verifier"], form["client_id"]] == ["mine", "copy", "copy"])
    #expect(
      failure(await OidcClient(config: makeConfig(provider)).token())?.errorMessage.contains("agent") == true)
  }
}
