import CommonFixtures
import Concurrency
import DeviceKeys
import Foundation
import OpenIDFixtures
import PingOrchestrate
import PingStorage
import StrictJSON
import Testing

@testable import PingOidc

@Suite("Tokens from their first day to their last")
struct TokenLifeTests {
  private let date = ManualDate()
  private let provider: FakeOpenIDProvider
  private let config: OidcClientConfig
  private let client: OidcClient

  init() async throws {
    let date = date
    provider = FakeOpenIDProvider { date.now }
    config = makeConfig(provider, now: date)
    config.updateAgent(AgreeingAgent(provider: provider))
    client = OidcClient(config: config)
    _ = try await client.token().get()
  }

  @Test func `expired tokens are renewed once, however many ask`() async throws {
    date.advance(by: 61)
    let (client, other) = (client, OidcUser(config: config.clone()))
    async let one = client.token()
    async let two = other.token()
    async let three = client.token()
    let tokens = try await [one.get(), two.get(), three.get()].map(\.accessToken)
    #expect(tokens == ["access-2", "access-2", "access-2"])
    #expect(
      provider.requests("access_token").map { $0.form["grant_type"] } == [
        "authorization_code", "refresh_token",
      ])
  }

  @Test func `a threshold renews before the end`() async throws {
    config.refreshThreshold = 30
    date.advance(by: 31)
    #expect(try await client.token().get().accessToken == "access-2")
  }

  @Test func `a renewal that says less keeps the rest`() async throws {
    provider.lie { behaviour in
      behaviour.idToken = { _ in nil }
      behaviour.tokens = { $0["refresh_token"] = nil }
    }
    let before = try await config.storage.get()
    let token = try await OidcUser(config: config).refresh().get()
    #expect(token.refreshToken == "refresh-1" && token.idToken == before?.idToken)
    #expect(token.accessToken == "access-2")
  }

  @Test func `a renewal for another person is refused, and the old tokens stay`() async throws {
    provider.lie { $0.claims = { $0["sub"] = "eve" } }
    #expect(failure(await OidcUser(config: config).refresh()) != nil)
    #expect(try await config.storage.get()?.accessToken == "access-1")
  }

  @Test func `a void refresh token leads back to the agent`() async throws {
    date.advance(by: 61)
    _ = try await client.refreshToken("refresh-1")
    // Another device has used this one's token: the server no longer knows it.
    try await config.storage.save(
      item: Token(
        accessToken: "old", tokenType: "Bearer", scope: nil, expiresIn: -1, refreshToken: "used",
        idToken: nil,
        issuedAt: date.now))
    let token = try await client.token().get()
    #expect(token.accessToken.hasPrefix("access-") && provider.requests("authorize").count == 2)
  }

  @Test func `a provider that is down costs no token`() async throws {
    date.advance(by: 61)
    provider.lie { $0.instead = ["access_token": FakeOpenIDProvider.Answer(503, "busy")] }
    #expect(failure(await client.token()) != nil)
    #expect(try await config.storage.get()?.refreshToken == "refresh-1")
    config.httpClient = HttpClient { _ in throw URLError(.notConnectedToInternet) }
    guard case .networkError = failure(await client.token()) else {
      Issue.record("not a network error")
      return
    }
    #expect(try await config.storage.get()?.refreshToken == "refresh-1")
  }

  @Test func `revoking gives back the refresh token and forgets, also without a network`() async throws {
    await client.revoke()
    #expect(provider.revoked == ["refresh-1"])
    #expect(try await config.storage.get() == nil)
    _ = try await client.token().get()
    config.httpClient = HttpClient { _ in throw URLError(.notConnectedToInternet) }
    await client.revoke()
    #expect(try await config.storage.get() == nil)
  }

  @Test func `the end of the session names its ID token, and revokes first`() async throws {
    let idToken = try await config.storage.get()?.idToken
    #expect(await client.endSession())
    #expect(provider.requests("endSession").first?.query["id_token_hint"] == idToken)
    #expect(provider.revoked == ["refresh-1"])
    #expect(await client.endSession { _ in false })  // Nobody is signed in: nothing to end.
  }

  @Test func `claims are remembered until they are asked for anew, or the person has gone`() async throws {
    let user = OidcUser(config: config)
    _ = try await user.userinfo().get()
    _ = try await user.userinfo().get()
    #expect(provider.requests("userinfo").count == 1)
    _ = try await user.userinfo(cache: false).get()
    #expect(provider.requests("userinfo").count == 2)
    await user.logout()
    _ = try await user.userinfo().get()
    #expect(provider.requests("userinfo").count == 3)
  }
}
