import Concurrency
import Foundation
import PingJourney
import PingLogger
import PingOidc
import PingOrchestrate
import PingStorage
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("The user of a journey")
struct OidcSeamTests {
  private let storage = MemoryStorage<SSOTokenImpl>()

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

  @Test func `where a token would be needed the error says that there is none, and what there is`()
    async throws
  {
    try await storage.save(item: token)
    let journey = makeJourney(FakeServer(), storage: storage)
    let user = try #require(await journey.journeyUser())
    for result in [await user.token(), await user.refresh()] {
      guard case .failure(let error) = result else {
        Issue.record("a token out of nothing")
        continue
      }
      #expect(error.errorMessage.contains("session()"))
      #expect(error.failureReason?.isEmpty == false && error.recoverySuggestion?.isEmpty == false)
    }
    guard case .failure(.authorizeError) = await user.userinfo(cache: false) else {
      Issue.record("claims out of nothing")
      return
    }
    var dumped = ""
    dump(user, to: &dumped)
    #expect(!"\(user) \(String(reflecting: user)) \(dumped)".contains(token.value))
  }

  @Test func `the app's settings are kept, and the log says that they get no tokens`() async throws {
    let logger = MemoryLogger()
    let seen = Locked<OidcClientConfig?>(nil)
    let journey = makeJourney(FakeServer(), storage: storage) { config in
      config.useLogger(logger)
      config.module(PingJourney.OidcModule.config) { oidc in
        oidc.clientId = "app"
        oidc.scopes = ["openid"]
        oidc.scope("profile")
        oidc.redirectUri = "com.example:/cb"
        oidc.discoveryEndpoint =
          "https://am.example.com/am/oauth2/realms/alpha/.well-known/openid-configuration"
        seen.withLock { $0 = oidc }
      }
    }
    #expect(journey.config.modules.count == 4)
    try await journey.initialize()
    let config = try #require(seen.withLock { $0 })
    #expect(config.httpClient === journey.config.httpClient)
    #expect(logger.warnings.count == 1)
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
