import CommonFixtures
import Foundation
import OpenIDFixtures
import PingOrchestrate
import PingStorage
import PrivateFiles
import StrictJSON
import Testing

@testable import PingOidc

@Suite("Tokens belong to a provider and a client")
struct TokenOwnerTests {
  private let bank = FakeOpenIDProvider()
  private let shop = FakeOpenIDProvider(issuer: "https://shop.example/oauth2")
  private let storage = MemoryStorage<Token>()

  private func client(
    _ provider: FakeOpenIDProvider, _ clientID: String = "app"
  ) -> OidcClient {
    let config = makeConfig(provider) {
      $0.storage = storage
      $0.clientId = clientID
    }
    config.updateAgent(AgreeingAgent(provider: provider))
    return OidcClient(config: config)
  }

  @Test func `tokens of one provider are never sent to another that shares its storage`() async throws {
    _ = try await client(bank).token().get()
    let other = client(shop)
    await other.revoke()
    #expect(await other.endSession())
    #expect(failure(await OidcUser(config: other.config).refresh()) != nil)
    #expect(shop.requests.allSatisfy { !$0.body.contains("refresh-1") && !$0.body.contains("access-1") })
    #expect(shop.revoked.isEmpty && shop.requests("endSession").isEmpty)
    // They are not deleted either.
    #expect(try await storage.get()?.refreshToken == "refresh-1")
    #expect(bank.revoked.isEmpty)
  }

  @Test func `tokens of another provider are not this one's, however valid they are`() async throws {
    _ = try await client(bank).token().get()
    let token = try await client(shop).token().get()
    #expect(shop.requests("authorize").count == 1)
    #expect(token.owner?.issuer == shop.issuer)
  }

  @Test func `another client of the same provider gets none, and revokes none`() async throws {
    _ = try await client(bank).token().get()
    await client(bank, "second").revoke()
    #expect(bank.revoked.isEmpty)
    #expect(try await client(bank, "second").config.storedToken() == nil)
  }

  @Test(arguments: [
    ("https://am.example.com", "https://am.example.com:443/", true),
    ("https://am.example.com", "https://am.example.com/other", false),
    ("https://am.example.com", "https://evil.example/https://am.example.com", false),
  ])
  func `issuers are compared as ID tokens' are`(one: String, other: String, isSame: Bool) {
    let owners = [one, other].map { TokenOwner(issuer: $0, clientId: "app") }
    #expect((owners[0] == owners[1]) == isSame)
  }

  @Test func `owners are compared by bytes, as providers compare them`() {
    let (one, other) = ("ren\u{e9}", "rene\u{301}")
    func owner(_ issuer: String, _ client: String) -> TokenOwner {
      TokenOwner(issuer: "https://am.example.com/\(issuer)", clientId: client)
    }
    #expect(owner(one, one) == owner(one, one) && owner(one, one) != owner(one, other))
    #expect(owner(one, one) != owner(other, one))
  }

  // MARK: Without an owner, from an earlier version or the app

  private func unowned(_ token: Token) -> Token {
    Token(
      accessToken: token.accessToken, tokenType: token.tokenType, scope: token.scope,
      expiresIn: token.expiresIn,
      refreshToken: token.refreshToken, idToken: token.idToken)
  }

  @Test func `tokens without an owner are those of their ID token's provider and client`() async throws {
    let token = unowned(try await client(bank).token().get())
    #expect(token.owner == nil)
    try await storage.save(item: token)
    #expect(try await client(bank).config.storedToken()?.accessToken == token.accessToken)
    #expect(try await client(bank, "second").config.storedToken() == nil)
    #expect(try await client(shop).config.storedToken() == nil)
  }

  @Test func `the stored form keeps the owner, and no answer of a server names one`() async throws {
    let token = try await client(bank).token().get()
    let stored = try JSONDecoder().decode(Token.self, from: JSONEncoder().encode(token))
    #expect(stored.owner == TokenOwner(issuer: bank.issuer, clientId: "app"))
    shop.lie {
      $0.tokens = { $0["sealring_owner"] = ["issuer": "https://bank.example", "client_id": "app"] }
    }
    #expect(try await client(shop).token().get().owner?.issuer == shop.issuer)
  }

  #if !canImport(Security)
    @Suite("Two processes of one home")
    struct Processes {
      private let date = ManualDate()
      private let provider: FakeOpenIDProvider
      private let folder: TemporaryFolder

      init() throws {
        let date = date
        provider = FakeOpenIDProvider { date.now }
        folder = try TemporaryFolder.make()
      }

      private var home: ClientHome { ClientHome(directory: folder.file("home")) }

      /// A client with a state of its own, as each process has.
      private func process() -> OidcClient {
        let config = OidcClientConfig()
        config.discoveryEndpoint = provider.discoveryEndpoint
        config.clientId = "app"
        config.redirectUri = "com.example.app://oauth2redirect"
        config.scopes = ["openid", "profile"]
        config.httpClient = provider.client
        config.now = { [date] in date.now }
        config.updateAgent(AgreeingAgent(provider: provider))
        return OidcClient(config: config)
      }

      private var renewals: Int {
        provider.requests("access_token").count { $0.form["grant_type"] == "refresh_token" }
      }

      @Test func `one sent the refresh token that the other had used, which ends the grant`() async throws {
        try await ClientHome.$ofTask.withValue(home) {
          let (one, two) = (process(), process())
          _ = try await one.token().get()
          #expect(try await two.token().get().accessToken == "access-1")
          date.advance(by: 61)
          #expect(try await two.token().get().accessToken == "access-2")
          #expect(try await one.token().get().accessToken == "access-2")
          #expect(try await one.refresh().get().accessToken == "access-3")
          #expect(provider.requests("authorize").count == 1)
        }
      }

      @Test func `expired tokens are renewed once, however many processes ask at once`() async throws {
        try await ClientHome.$ofTask.withValue(home) {
          let processes = (0..<8).map { _ in process() }
          for process in processes { _ = try await process.token().get() }
          date.advance(by: 61)
          let tokens = try await withThrowingTaskGroup(of: String.self) { group in
            for process in processes { group.addTask { try await process.token().get().accessToken } }
            return try await group.reduce(into: Set()) { $0.insert($1) }
          }
          #expect(tokens == ["access-2"] && renewals == 1)
          #expect(provider.requests("authorize").count == 1)
        }
      }

      @Test func `one kept the tokens in memory that the other had revoked`() async throws {
        try await ClientHome.$ofTask.withValue(home) {
          let (one, two) = (process(), process())
          _ = try await one.token().get()
          await two.revoke()
          #expect(provider.revoked == ["refresh-1"])
          #expect(try await one.token().get().accessToken == "access-2")
        }
      }
    }

    @Suite("The default place")
    struct Places {
      private let folder: TemporaryFolder
      private let bank = TokenOwner(issuer: "https://bank.example", clientId: "app")
      private let shop = TokenOwner(issuer: "https://shop.example", clientId: "app")

      init() throws { folder = try TemporaryFolder.make() }

      private var home: ClientHome { ClientHome(directory: folder.file("home")) }
      private func keychain(_ account: String) -> Keychain<Token> {
        Keychain(account: account, encryptor: DeviceEncryptor(home: home), home: home)
      }
      private func tokens(of owner: TokenOwner) -> OwnTokens { OwnTokens(of: owner, keychain: keychain) }
      private var former: Keychain<Token> { keychain("ACCESS_TOKEN_STORAGE") }

      private func token(_ name: String, issuer: String?, audience: String = "app") -> Token {
        let claims = issuer.map { #"{"iss":"\#($0)","aud":"\#(audience)","sub":"ada"}"# }
        let idToken = claims.map { claims in
          [#"{"alg":"ES256"}"#, claims, "x"].map {
            Data($0.utf8).base64EncodedString().replacing("=", with: "").replacing("+", with: "-")
              .replacing("/", with: "_")
          }.joined(separator: ".")
        }
        return Token(
          accessToken: name, tokenType: "Bearer", scope: nil, expiresIn: 60, refreshToken: nil,
          idToken: idToken)
      }

      @Test func `each client of each provider has its own`() async throws {
        try await tokens(of: bank).save(item: token("bank", issuer: nil))
        #expect(try await tokens(of: shop).get() == nil)
        try await tokens(of: shop).save(item: token("shop", issuer: nil))
        try await tokens(of: shop).delete()
        #expect(try await tokens(of: bank).get()?.accessToken == "bank")
      }

      @Test func `what an earlier version stored is taken over by whom it belongs to, once`() async throws {
        try await former.save(item: token("old", issuer: "https://bank.example"))
        #expect(try await tokens(of: shop).get() == nil)
        #expect(try await former.get()?.accessToken == "old")
        let taken = try await tokens(of: bank).get()
        #expect(taken?.accessToken == "old" && taken?.owner == bank)
        #expect(try await former.get() == nil)
        try await tokens(of: bank).delete()
        #expect(try await tokens(of: bank).get() == nil)
      }

      @Test func `deleting deletes what an earlier version stored, too`() async throws {
        try await former.save(item: token("old", issuer: "https://bank.example"))
        try await tokens(of: bank).delete()
        #expect(try await former.get() == nil)
        #expect(try await tokens(of: bank).get() == nil)
      }

      @Test(arguments: [nil, "https://shop.example", "https://bank.example.evil"])
      func `what is not proved to be this owner's is left where it is`(issuer: String?) async throws {
        try await former.save(item: token("old", issuer: issuer))
        #expect(try await tokens(of: bank).get() == nil)
        #expect(try await former.get()?.accessToken == "old")
      }

      @Test func `another client's tokens are left where they are`() async throws {
        try await former.save(item: token("old", issuer: "https://bank.example", audience: "other"))
        #expect(try await tokens(of: bank).get() == nil)
      }

      @Test func `newer tokens are not replaced by older ones`() async throws {
        try await tokens(of: bank).save(item: token("new", issuer: nil))
        try await former.save(item: token("old", issuer: "https://bank.example"))
        #expect(try await tokens(of: bank).get()?.accessToken == "new")
      }

      @Test func `many that take over at once get the same tokens`() async throws {
        try await former.save(item: token("old", issuer: "https://bank.example"))
        let names = try await withThrowingTaskGroup(of: String?.self) { group in
          for _ in 0..<8 { group.addTask { try await tokens(of: bank).get()?.accessToken } }
          return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(names == ["old"])
        #expect(try await former.get() == nil)
      }

      @Test func `an unreadable earlier place keeps nobody from signing in`() async throws {
        let file = try home.folder("storage").appending(path: "ACCESS_TOKEN_STORAGE")
        try Data("damaged".utf8).write(to: file)
        #expect(try await tokens(of: bank).get() == nil)
        try await tokens(of: bank).save(item: token("new", issuer: nil))
        #expect(try await tokens(of: bank).get()?.accessToken == "new")
      }
    }
  #endif
}
