import CommonFixtures
import Concurrency
import Foundation
import OpenIDFixtures
import PingLogger
import PingOidc
import PingOrchestrate
import PingStorage
import StrictJSON
import Testing

@testable import PingJourney

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("The user of a journey")
struct OidcSeamTests {
  private let storage = MemoryStorage<SSOTokenImpl>()
  private let tokens = MemoryStorage<Token>()
  private let provider = FakeOpenIDProvider()

  /// The journey's server, which is the provider too.
  private func makeServer(session: String = "t*") -> FakeServer {
    let sessions = Locked(0)
    return FakeServer { [provider] request in
      let url = request.url?.absoluteString ?? ""
      guard url.contains("/oauth2/") else {
        if url.contains("_action=logout") { return (200, #"{"result":"Successfully logged out"}"#, [:]) }
        let number = sessions.withLock { number in
          number += 1
          return number
        }
        return (200, #"{"tokenId":"\#(session)\#(number)","successUrl":"/s","realm":"/alpha"}"#, [:])
      }
      let answer = try await provider.answer(
        FakeOpenIDProvider.Request(
          request.httpMethod ?? "GET", url, headers: request.headers, body: request.bodyText))
      return (answer.status, answer.body, answer.headers)
    }
  }

  private func makeClient(
    _ server: FakeServer, _ change: @escaping @Sendable (OidcClientConfig) -> Void = { _ in }
  ) -> Journey {
    let (provider, tokens) = (provider, tokens)
    return makeJourney(server, storage: storage) { config in
      config.module(PingJourney.OidcModule.config) { oidc in
        oidc.clientId = "app"
        oidc.scopes = ["openid"]
        oidc.redirectUri = "com.example:/cb"
        oidc.discoveryEndpoint = provider.discoveryEndpoint
        oidc.storage = tokens
        change(oidc)
      }
    }
  }

  @Test func `with par the parameters are pushed, and the session goes with the request's name alone`()
    async throws
  {
    let journey = makeClient(makeServer()) { $0.par = true }
    _ = await journey.start("Login")
    let user = try #require(await journey.journeyUser())
    #expect(try await user.token().get().idToken != nil)
    let pushed = try #require(provider.requests("/par").first)
    #expect(pushed.form["code_challenge_method"] == "S256" && pushed.headers["iplanetdirectorypro"] == nil)
    let asked = try #require(provider.requests("/authorize").first)
    #expect(asked.query.keys.sorted() == ["client_id", "request_uri"])
    #expect(asked.headers["iplanetdirectorypro"]?.hasPrefix("t*") == true)
  }

  @Test func `journeyUser() was missing: there is one as long as there is a session`() async throws {
    let server = FakeServer(200, #"{"tokenId":"t*","successUrl":"/s","realm":"/alpha"}"#)
    let journey = makeJourney(server, storage: storage)
    #expect(await journey.journeyUser() == nil)
    let success = try #require(await journey.start("Login") as? SuccessNode)
    #expect(success.session is any SSOToken)
    #expect(success.user == nil)

    let user = try #require(await journey.journeyUser())
    #expect(user.session?.value == "t*")
    await user.revoke()
    #expect(await journey.journeyUser() != nil)
    await user.logout()
    #expect(server.requests.last?.url?.query == "_action=logout")
    #expect(await journey.journeyUser() == nil)
  }

  @Test(arguments: [
    (#"{"error":"invalid_client","error_description":"Client authentication failed"}"#, "invalid_client"),
    ("<html>\n<b>invalid_client</b>\u{1B}[2J</html>", "<html> <b>invalid_client</b> [2J</html>"),
    (String(repeating: "x", count: 5000), "xxx"),
  ])
  func `what the authorization endpoint says is in the error's message`(body: String, shown: String)
    async throws
  {
    let provider = provider
    let server = FakeServer { request in
      let url = request.url?.absoluteString ?? ""
      if url.contains("/authorize") { return (400, body, [:]) }
      guard url.contains("/oauth2/") else {
        return (200, #"{"tokenId":"t*","successUrl":"/s","realm":"/alpha"}"#, [:])
      }
      let answer = try await provider.answer(
        FakeOpenIDProvider.Request(
          request.httpMethod ?? "GET", url, headers: request.headers, body: request.bodyText))
      return (answer.status, answer.body, answer.headers)
    }
    let journey = makeClient(server)
    _ = try #require(await journey.start("Login") as? SuccessNode)
    let user = try #require(await journey.journeyUser())
    guard case .failure(let error) = await user.token() else {
      Issue.record("there is a token")
      return
    }
    guard case .apiError(400, let message) = error else {
      Issue.record("\(error)")
      return
    }
    #expect(message.contains(shown) && message.utf8.count < 600)
    #expect(!message.contains("\n") && !message.contains("\u{1B}"))
    #expect(error.localizedDescription.contains(shown))
  }

  @Test func `a user of an app's own session is the node's user`() {
    struct Person: User, Session {
      let value = "mine"
      func token() async -> Result<Token, OidcError> { .failure(.unknown()) }
      func refresh() async -> Result<Token, OidcError> { .failure(.unknown()) }
      func revoke() async {}
      func userinfo(cache: Bool) async -> Result<UserInfo, OidcError> { .success(["sub": "mira"]) }
      func logout() async {}
    }
    #expect(SuccessNode(session: Person()).user?.session?.value == "mine")
    #expect(SuccessNode(session: EmptySession()).user == nil)
  }

  @Test func `the session is exchanged for tokens, which are used until they end`() async throws {
    let server = makeServer()
    let journey = makeClient(server)
    _ = await journey.start("Login")
    let user = try #require(await journey.journeyUser())
    let token = try await user.token().get()
    #expect(token.accessToken == "access-1" && token.idToken != nil)
    let asked = try #require(provider.requests("authorize").first)
    #expect(asked.headers["iplanetdirectorypro"] == "t*1")
    #expect(asked.headers["accept-api-version"] == "resource=2.1, protocol=1.0")
    #expect(try await user.token().get().accessToken == "access-1")
    #expect(try await user.userinfo(cache: true).get()["name"] as? String == "Ada")
    #expect(try await journey.journeyUser()?.userinfo(cache: true).get()["sub"] as? String == "ada")
    #expect(provider.requests("userinfo").count == 1)
    #expect(try await user.refresh().get().accessToken == "access-2")
    // The session token goes to the authorization endpoint and to nothing else of the provider.
    #expect(provider.requests.filter { $0.headers["iplanetdirectorypro"] != nil }.count == 1)
  }

  @Test func `the tokens of one session were those of the next person too`() async throws {
    let journey = makeClient(makeServer())
    _ = await journey.start("Login")
    _ = try await journey.journeyUser()?.token().get()
    _ = await journey.start("Login")
    #expect(try await tokens.get() == nil)
    #expect(provider.revoked == ["refresh-1"])
    #expect(try await journey.journeyUser()?.token().get().accessToken == "access-2")
    #expect(provider.requests("authorize").last?.headers["iplanetdirectorypro"] == "t*2")
  }

  @Test
  func `a journey that knows of no tokens left them to the next person, as did a crash between two writes`()
    async throws
  {
    let server = makeServer()
    let journey = makeClient(server)
    _ = await journey.start("Login")
    _ = try await journey.journeyUser()?.token().get()
    _ = await makeJourney(server, storage: storage).start("Login")
    let user = try #require(await journey.journeyUser())
    #expect(user.session?.value == "t*2")
    guard case .failure = await user.refresh() else {
      Issue.record("the earlier session's tokens were renewed")
      return
    }
    #expect(try await user.token().get().accessToken == "access-2")
    #expect(provider.requests("authorize").last?.headers["iplanetdirectorypro"] == "t*2")
    #expect(try await user.refresh().get().accessToken == "access-3")
    #expect(try await user.token().get().accessToken == "access-3")
  }

  @Test func `tokens whose session is not known are not a session's`() async throws {
    let journey = makeClient(makeServer())
    _ = await journey.start("Login")
    try await tokens.save(
      item: Token(
        accessToken: "anybody's", tokenType: "Bearer", scope: nil, expiresIn: 60, refreshToken: nil,
        idToken: nil))
    #expect(try await journey.journeyUser()?.token().get().accessToken == "access-1")
  }

  @Test func `a sign-in as one client revoked the tokens of another that shared its storage`() async throws {
    let server = makeServer()
    let journey = makeClient(server)
    _ = await journey.start("Login")
    _ = try await journey.journeyUser()?.token().get()
    let other = makeClient(server) { $0.clientId = "other" }
    _ = await other.start("Login")
    try await other.journeySignOff().get()
    #expect(provider.revoked.isEmpty && provider.requests("endSession").isEmpty)
    #expect(try await tokens.get()?.refreshToken == "refresh-1")
  }

  @Test func `signing off revokes and deletes the tokens, then ends the session`() async throws {
    let server = makeServer()
    let journey = makeClient(server)
    _ = await journey.start("Login")
    _ = try await journey.journeyUser()?.token().get()
    try await journey.journeySignOff().get()
    #expect(provider.revoked == ["refresh-1"])
    #expect(try await tokens.get() == nil)
    #expect(server.requests.last?.url?.query == "_action=logout")
  }

  @Test func `a discovery document cannot have the session token sent elsewhere`() async throws {
    provider.lie { $0.metadata = { $0["authorization_endpoint"] = "https://evil.example.com/authorize" } }
    let server = makeServer()
    let journey = makeClient(server)
    _ = await journey.start("Login")
    guard case .failure(.authorizeError) = await journey.journeyUser()?.token() else {
      Issue.record("authorized elsewhere")
      return
    }
    #expect(!server.requests.contains { $0.url?.host == "evil.example.com" })
  }

  @Test(arguments: ["wrong state", "error", "sign-in page", "no redirect"])
  func `an authorization that is none gets no tokens`(kind: String) async throws {
    provider.lie { behaviour in
      switch kind {
      case "wrong state": behaviour.redirect = { $0["state"] = "x" }
      case "error": behaviour.redirect = { $0 = ["error": "access_denied", "state": $0["state"] ?? ""] }
      case "sign-in page":
        behaviour.instead["authorize"] = .init(302, headers: ["Location": "https://am.example.com/am/XUI/"])
      default: behaviour.instead["authorize"] = .init(200, "<html>")
      }
    }
    let journey = makeClient(makeServer())
    _ = await journey.start("Login")
    let result = await journey.journeyUser()?.token()
    guard case .failure(let error) = result else {
      Issue.record("tokens out of nothing")
      return
    }
    #expect(!error.errorMessage.isEmpty && !error.errorMessage.contains("t*"))
    #expect(provider.requests("access_token").isEmpty)
  }

  @Test(arguments: [
    (
      400, #"{"error":"invalid_client","error_description":"Client\nauthentication failed"}"#,
      "invalid_client: Client authentication failed"
    ),
    (401, #"{"error":"invalid_client"}"#, "invalid_client"),
    (400, "<html>session t*1</html>", "did not redirect with a code"),
    (500, "", "did not redirect with a code"),
  ])
  func `the reason of an authorization endpoint that refuses was lost`(
    status: Int, body: String, reason: String
  )
    async throws
  {
    provider.lie { $0.instead["authorize"] = .init(status, body) }
    let journey = makeClient(makeServer())
    _ = await journey.start("Login")
    guard case .failure(.apiError(let code, let message)) = await journey.journeyUser()?.token() else {
      Issue.record("no refusal")
      return
    }
    #expect(code == status && message.contains(reason) && !message.contains("t*1"))
  }

  @Test(arguments: [
    ("{page}{session}", "xxx…"), (#"{"error":"invalid_request","error_description":"{session}"}"#, "…"),
  ])
  func `a session at the end of what is shown, or in an error of JSON, was in the message`(
    body: String, shown: String
  ) async throws {
    let session = String(repeating: "s3cret", count: 40)
    let page = String(repeating: "x", count: 300)
    let text = body.replacing("{page}", with: page).replacing("{session}", with: session + "1")
    provider.lie { $0.instead["authorize"] = .init(400, text) }
    let journey = makeClient(makeServer(session: session))
    _ = await journey.start("Login")
    guard case .failure(.apiError(400, let message)) = await journey.journeyUser()?.token() else {
      Issue.record("no refusal")
      return
    }
    #expect(message.contains(shown) && !message.contains("s3cret"))
  }

  @Test func `a provider that cannot be reached makes the start fail, and the next one try again`()
    async throws
  {
    provider.lie { $0.instead = ["openid-configuration": .init(503, "")] }
    let journey = makeClient(makeServer())
    #expect(await journey.start("Login") is FailureNode)
    provider.lie { $0.instead = [:] }
    #expect(await journey.start("Login") is SuccessNode)
  }

  @Test func `without a client id the error says what is missing, and what there is`() async throws {
    try await storage.save(item: token)
    let journey = makeJourney(FakeServer(), storage: storage)
    let user = try #require(await journey.journeyUser())
    for result in [await user.token(), await user.refresh()] {
      guard case .failure(let error) = result else {
        Issue.record("a token out of nothing")
        continue
      }
      #expect(error.errorMessage.contains("clientId") && error.errorMessage.contains("session()"))
      #expect(error.failureReason?.isEmpty == false && error.recoverySuggestion?.isEmpty == false)
    }
    guard case .failure(.authorizeError) = await user.userinfo(cache: false) else {
      Issue.record("claims out of nothing")
      return
    }
    var dumped = ""
    dump(user, to: &dumped)
    let agent = SessionAgent(session: token.value, cookie: "c", origin: nil)
    dump(agent, to: &dumped)
    #expect(!"\(user) \(agent) \(String(reflecting: user)) \(dumped)".contains(token.value))
  }

  @Test func `the journey's client and logger serve the app's settings, and a copy is separate`() async throws
  {
    let logger = MemoryLogger()
    let seen = Locked<OidcClientConfig?>(nil)
    let journey = makeJourney(FakeServer(), storage: storage) { config in
      config.useLogger(logger)
      config.module(PingJourney.OidcModule.config) { oidc in
        oidc.clientId = "app"
        oidc.scopes = ["openid"]
        oidc.scope("profile")
        seen.withLock { $0 = oidc }
      }
    }
    #expect(journey.config.modules.count == 4)
    try await journey.initialize()
    let config = try #require(seen.withLock { $0 })
    #expect(config.httpClient === journey.config.httpClient)
    #expect(config.logger as? MemoryLogger === logger)
    let clone = config.clone()
    clone.clientId = "other"
    #expect(config.clientId == "app" && clone.scopes == ["openid", "profile"])
    #expect(clone.storage === config.storage)
  }

  @Test func `tokens are read from a server's answer, keep their end, and show nothing of themselves`() throws
  {
    let answer =
      #"{"access_token":"secret-a","token_type":"Bearer","expires_in":3600,"refresh_token":"secret-r"}"#
    let read = try JSONDecoder().decode(Token.self, from: Data(answer.utf8))
    #expect(read.accessToken == "secret-a" && read.refreshToken == "secret-r" && read.idToken == nil)
    #expect(!read.isExpired && read.isExpired(threshold: 3601))
    #expect(
      try JSONDecoder().decode(Token.self, from: JSONEncoder().encode(read)).expiresAt == read.expiresAt)
    var dumped = ""
    dump(read, to: &dumped)
    let shown = "\(read) \(String(reflecting: read)) \(dumped)"
    #expect(!shown.contains("secret-a") && !shown.contains("secret-r"))
    let ended = Token(
      accessToken: "at", tokenType: nil, scope: nil, expiresIn: 0, refreshToken: nil, idToken: nil)
    #expect(ended.isExpired)
  }

  @Test(arguments: [Int64.max, .min])
  func `a server that names an absurd time does not stop the program`(seconds: Int64) throws {
    let token = Token(
      accessToken: "at", tokenType: nil, scope: nil, expiresIn: seconds, refreshToken: nil, idToken: nil)
    #expect(token.isExpired == (seconds < 0))
    #expect(token.isExpired(threshold: .max) == (seconds < 0 || seconds == .max))
    #expect(token.isExpired(threshold: .min) == (seconds < 0))
  }

  @Test(arguments: [0, 302, 404, 503])
  func `ApiError had neither reason nor advice`(status: Int) {
    let error = ApiError.error(status, [:], "")
    #expect(error.failureReason?.isEmpty == false && error.recoverySuggestion?.isEmpty == false)
  }
}
