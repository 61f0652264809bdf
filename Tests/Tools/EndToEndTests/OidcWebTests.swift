import Assembly
import CommonFixtures
import Concurrency
import Foundation
import PingBrowser
import PingOidc
import PingOrchestrate
import PingStorage
import SealringTesting
import StrictJSON
import Testing

/// Our own client in a browser at our own OAuth server, with and without pushed requests.
@Suite struct OidcWebTests {
  private static let password = "correct horse 1"
  private static let redirect = "com.example.app://oauth2redirect"

  private static let clients = """
    {"clients": [
      {"client_id": "app", "token_endpoint_auth_method": "none", "redirect_uris": ["\(redirect)"],
        "scope": "openid profile", "require_consent": false},
      {"client_id": "pushing", "token_endpoint_auth_method": "none", "redirect_uris": ["\(redirect)"],
        "scope": "openid profile", "require_consent": false, "require_pushed_authorization_requests": true}]}
    """

  /// The browser of a person who has a session: it goes where it is sent, and comes back with the server's redirect.
  private final class SignedInBrowser: BrowserLauncherProtocol {
    let opened = Locked<[String]>([])
    private let headers: [String: String]

    nonisolated init(session: String, on server: TestServer) {
      headers = ["Cookie": "\(server.cookieName)=\(session)"]
    }

    var isInProgress: Bool { false }
    func reset() {}
    func handleAppActivation() {}

    func launch(
      url: URL, customParams: [String: String]?, browserType: BrowserType, browserMode: BrowserMode,
      callbackURLScheme: String
    ) async throws -> URL {
      opened.withLock { $0.append(url.absoluteString) }
      let answer = try await WebRequests.send(url.absoluteString, headers: headers)
      guard let back = answer.location.flatMap(URL.init(string:)) else {
        throw BrowserError.externalUserAgentCancelled
      }
      return back
    }
  }

  private func run(_ body: @escaping @Sendable (TestServer, SignedInBrowser) async throws -> Void)
    async throws
  {
    try await withTemporaryFolder { folder in
      let file = folder.appending(path: "clients.json")
      try Data(Self.clients.utf8).write(to: file)
      try await TestServer.run(configure: {
        $0.openIDClients = file
        $0.clock = { Date() }
      }) { server in
        try await server.addUser("mira", password: Self.password)
        let session = try await WebRequests.signIn("mira", Self.password, realm: "alpha", at: server.address)
        try await body(server, SignedInBrowser(session: session, on: server))
      }
    }
  }

  private func web(_ client: String, par: Bool, on server: TestServer) -> OidcWeb {
    let discovery = "\(server.address)/oauth2/alpha/.well-known/openid-configuration"
    return OidcWeb.createOidcWeb { config in
      config.module(PingOidc.OidcModule.config) {
        $0.discoveryEndpoint = discovery
        $0.clientId = client
        $0.redirectUri = Self.redirect
        $0.scopes = ["openid", "profile"]
        $0.par = par
        $0.storage = MemoryStorage<Token>()
      }
    }
  }

  private func query(_ address: String) -> Set<String> {
    Set(URLComponents(string: address)?.queryItems?.map(\.name) ?? [])
  }

  @Test(arguments: [("app", false), ("app", true), ("pushing", true)])
  func `a person signs in, has tokens of this server, and signs out`(client: String, par: Bool) async throws {
    try await run { server, browser in
      let web = web(client, par: par, on: server)
      let user = try await ScriptedBrowser.$current.withValue(browser) { await web.authorize() }.get()
      let token = try await user.token().get()
      #expect(token.idToken != nil)
      #expect(try await user.userinfo(cache: false).get()["preferred_username"] as? String == "mira")
      let opened = try #require(browser.opened.withLock { $0.first })
      if par {
        #expect(
          query(opened) == ["client_id", "request_uri"], "the browser's address has nothing of the request")
        // Once: somebody who has seen the address gets no code.
        await #expect(throws: BrowserError.self) {
          try await browser.launch(
            url: try #require(URL(string: opened)), customParams: nil, browserType: .authSession,
            browserMode: .login, callbackURLScheme: "com.example.app")
        }
      } else {
        #expect(query(opened).isSuperset(of: ["code_challenge", "state", "nonce", "redirect_uri"]))
      }
      await user.logout()
      #expect(await web.oidcLoginUser() == nil)
    }
  }

  @Test func `a client that has to push gets no code for a request in the address`() async throws {
    try await run { server, browser in
      let result = await ScriptedBrowser.$current.withValue(browser) {
        await web("pushing", par: false, on: server).authorize()
      }
      guard case .failure(let error) = result else {
        Issue.record("signed in")
        return
      }
      #expect(!error.errorMessage.isEmpty && browser.opened.withLock { $0.count } == 1)
    }
  }
}
