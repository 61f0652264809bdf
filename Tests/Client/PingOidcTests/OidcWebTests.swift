import Concurrency
import Foundation
import OpenIDFixtures
import PingOrchestrate
import PingStorage
import StrictJSON
import Testing

@testable import PingBrowser
@testable import PingOidc

/// A person in a browser, who comes back with the redirect that `change` makes of the provider's.
private final class Browser: BrowserLauncherProtocol {
  let opened = Locked<[String]>([])
  private let provider: FakeOpenIDProvider
  private let change: @Sendable (String) throws -> String

  nonisolated init(
    _ provider: FakeOpenIDProvider, change: @escaping @Sendable (String) throws -> String = { $0 }
  ) {
    (self.provider, self.change) = (provider, change)
  }

  var isInProgress: Bool { false }
  func reset() {}
  func handleAppActivation() {}

  func launch(
    url: URL, customParams: [String: String]?, browserType: BrowserType, browserMode: BrowserMode,
    callbackURLScheme: String
  ) async throws -> URL {
    opened.withLock { $0.append(url.absoluteString) }
    #expect(browserType == .ephemeralAuthSession && browserMode == .custom)
    #expect(callbackURLScheme == "com.example.app")
    return try #require(URL(string: try change(try await provider.agree(to: url).absoluteString)))
  }
}

@Suite("Signing in by the browser")
struct OidcWebTests {
  private let provider = FakeOpenIDProvider()
  private let storage = MemoryStorage<Token>()

  private func web(_ change: @escaping @Sendable (OidcClientConfig) -> Void = { _ in }) -> OidcWeb {
    let (provider, storage) = (provider, storage)
    return OidcWeb.createOidcWeb { config in
      config.browserType = .ephemeralAuthSession
      config.browserMode = .custom
      config.module(PingOidc.OidcModule.config) { client in
        client.discoveryEndpoint = provider.discoveryEndpoint
        client.clientId = "app"
        client.redirectUri = "com.example.app://oauth2redirect"
        client.scopes = ["openid"]
        client.storage = storage
        client.httpClient = provider.client
        change(client)
      }
    }
  }

  private func signIn(_ web: OidcWeb, _ browser: Browser) async -> Result<any User, OidcError> {
    await ScriptedBrowser.$current.withValue(browser) {
      await web.authorize { $0.additionalParameters = ["acr_values": "Strong", "redirect_uri": "evil:/"] }
    }
  }

  @Test func `the person signs in, has tokens, stays and signs out`() async throws {
    let web = web()
    #expect(await web.oidcLoginUser() == nil)
    let browser = Browser(provider)
    let user = try await signIn(web, browser).get()
    let sent = FakeOpenIDProvider.Request(url: try #require(browser.opened.withLock { $0.first })).query
    #expect(sent["acr_values"] == "Strong" && sent["redirect_uri"] == "com.example.app://oauth2redirect")
    #expect(try await user.token().get().accessToken == "access-1")
    #expect(try await user.userinfo(cache: false).get()["name"] as? String == "Ada")
    let later = try #require(await web.oidcLoginUser())
    #expect(try await later.token().get().accessToken == "access-1")
    await later.logout()
    #expect(provider.revoked == ["refresh-1"] && provider.requests("endSession").count == 1)
    #expect(await web.oidcLoginUser() == nil)
  }

  @Test func `a second person's tokens take the place of the first one's, which are revoked`() async throws {
    let web = web()
    _ = try await signIn(web, Browser(provider)).get()
    _ = try await signIn(web, Browser(provider)).get()
    #expect(try await storage.get()?.refreshToken == "refresh-2" && provider.revoked == ["refresh-1"])
  }

  @Test func `remembered claims are those of the stored tokens, not of the person before`() async throws {
    let web = web()
    let user = try await signIn(web, Browser(provider)).get()
    #expect(try await user.userinfo(cache: true).get()["name"] as? String == "Ada")
    provider.lie { behaviour in
      behaviour.claims = { $0["sub"] = "bob" }
      behaviour.userinfo = ["sub": "bob", "name": "Bob"]
    }
    let second = try await signIn(web, Browser(provider)).get()
    // The app still has the first person's object: it has the second one's tokens now.
    #expect(try await user.token().get().accessToken == "access-2")
    #expect(try await user.userinfo(cache: true).get()["name"] as? String == "Bob")
    #expect(try await user.userinfo(cache: true).get()["name"] as? String == "Bob")
    #expect(provider.requests("userinfo").count == 2)
    await second.logout()
    #expect(failure(await user.userinfo(cache: true)) != nil)
  }

  @Test(arguments: [
    ["state=", "state=x"], ["oauth2redirect", "elsewhere"], ["code=", "kode="],
    ["code=", "iss=https%3A%2F%2Fevil.example.com&code="], ["code=", "code=x"],
  ])
  func `a redirect that is not the answer gets no tokens, and what was stored stays`(change: [String])
    async throws
  {
    let web = web()
    _ = try await signIn(web, Browser(provider)).get()
    let forging = Browser(provider) { $0.replacingOccurrences(of: change[0], with: change[1]) }
    #expect(failure(await signIn(web, forging)) != nil)
    #expect(try await storage.get()?.refreshToken == "refresh-1" && provider.revoked.isEmpty)
    // The same page may be opened again.
    #expect(failure(await signIn(web, Browser(provider))) == nil)
  }

  @Test func `a browser that brings nothing back says why`() async throws {
    let closed = Browser(provider) { _ in throw BrowserError.externalUserAgentCancelled }
    guard case .authorizeError(let cause, let message) = failure(await signIn(web(), closed)) else {
      Issue.record("no error")
      return
    }
    #expect(cause as? BrowserError == .externalUserAgentCancelled)
    #expect(message?.hasPrefix("Browser authorization failed: ") == true)
    #expect(try await storage.get() == nil)
  }

  @Test func `a workflow that is none says so, and a sign-off ends the session`() async throws {
    #expect(failure(await OidcWeb.createOidcWeb().authorize()) != nil)
    #expect(failure(await Workflow.createWorkflow().authorize()) != nil)
    let web = web()
    _ = try await signIn(web, Browser(provider)).get()
    try await web.signOff().get()
    #expect(try await storage.get() == nil && provider.requests("endSession").count == 1)
  }

  @Test func `a free port of this machine is the redirect, also at the exchange`() async throws {
    let web = web { $0.redirectUri = "http://127.0.0.1/callback" }
    let provider = provider
    let launcher = await BrowserLauncher(
      agent: SystemBrowser(place: .desktop) { address, _ in
        Task.detached {
          let redirect = try await provider.agree(to: address)
          _ = try await HttpClient().sendRequest(request: Request(urlString: redirect.absoluteString))
        }
      })
    for par in [false, true] {
      let web = par ? self.web { ($0.redirectUri, $0.par) = ("http://127.0.0.1/callback", true) } : web
      _ = try await ScriptedBrowser.$current.withValue(launcher) { try await web.authorize().get() }
    }
    let exchanged = provider.requests("access_token").map { $0.form["redirect_uri"] ?? "" }
    #expect(exchanged.count == 2)
    #expect(exchanged.allSatisfy { $0.hasPrefix("http://127.0.0.1:") && $0.hasSuffix("/callback") })
  }
}

@Suite("Pushed authorization requests")
struct PushedRequestTests {
  private let provider = FakeOpenIDProvider()

  @Test func `the parameters go to the provider, and the browser carries none of them`() async throws {
    let client = OidcClient(config: makeConfig(provider) { $0.par = true })
    let url = try await client.authorizeUrl(customParams: ["acr_values": "Strong", "request_uri": "urn:mine"])
    let sent = FakeOpenIDProvider.Request(url: url.absoluteString).query
    #expect(sent.keys.sorted() == ["client_id", "request_uri"] && sent["request_uri"] != "urn:mine")
    let pushed = try #require(provider.requests("/par").first)
    #expect(pushed.method == "POST" && pushed.form["acr_values"] == "Strong")
    #expect(pushed.form["code_challenge_method"] == "S256" && pushed.form["request_uri"] == nil)
    let redirect = try await provider.agree(to: url)
    #expect(try await client.extractCodeAndGetToken(from: redirect).idToken != nil)
  }

  @Test func `no request goes through the browser instead`() async throws {
    let client = OidcClient(config: makeConfig(provider) { $0.par = true })
    try await client.config.oidcInitialize()
    #expect(throws: OidcError.self) { try client.generateAuthorizeUrl() }
    provider.lie { $0.instead["/par"] = .init(400, #"{"error":"invalid_request"}"#) }
    await #expect(throws: OidcError.self) { try await client.authorizeUrl() }
    provider.lie { $0.instead["/par"] = .init(201, "{}") }
    await #expect(throws: OidcError.self) { try await client.authorizeUrl() }
    provider.lie { $0.metadata = { $0["pushed_authorization_request_endpoint"] = nil } }
    let other = OidcClient(config: makeConfig(provider) { $0.par = true })
    await #expect(throws: OidcError.self) { try await other.authorizeUrl() }
    #expect(client.pkce == nil && client.config.clone().par)
  }
}
