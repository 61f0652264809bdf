import CommonFixtures
import Concurrency
import DeviceKeys
import Foundation
import OpenIDFixtures
import PingOrchestrate
import PingStorage
import ProofFixtures
import StrictJSON
import Testing

@testable import PingOidc

@Suite("Tokens that are bound to a key")
struct ProofOfPossessionTests {
  private let provider = FakeOpenIDProvider()

  private func makeKey(_ tag: String = "proof") async throws -> any DeviceKey {
    try await MemoryKeyStore().createKey(tag: tag, protection: .none, unlock: .nothing)
  }

  private func proofs(_ end: String) throws -> [JSONObject] {
    try provider.requests(end).compactMap { $0.headers["dpop"] }.map {
      try UnverifiedToken($0).claims
    }
  }

  @Test func `each request proves the key, for its method, address and token, once`() async throws {
    let key = try await makeKey()
    let config = makeConfig(provider) { $0.proofKey = OpenProofKey(key) }
    let client = OidcClient(config: config)
    #expect(try await signIn(client, at: provider).tokenType == "DPoP")
    _ = try await client.userinfo().get()
    _ = try await OidcUser(config: config).refresh().get()
    let token = try proofs("access_token")
    let info = try #require(try proofs("userinfo").first)
    #expect(token.count == 2 && token[0]["ath"] == nil)
    #expect(info["ath"]?.stringValue == ProofHash.of("access-1") && info["htm"] == "GET")
    #expect(Set((token + [info]).compactMap { $0["jti"]?.stringValue }).count == 3)
    let header = try UnverifiedToken(provider.requests("userinfo")[0].headers["dpop"] ?? "").header
    #expect(header["jwk"]?.objectValue?.names.sorted() == ["crv", "kty", "x", "y"])
  }

  @Test func `the code is asked for the key, too, when its thumbprint can be told without asking anybody`()
    async throws
  {
    struct Asking: ProofKeySource {
      let key: any DeviceKey
      func proofKey() -> any DeviceKey { key }
    }
    let key = try await makeKey()
    func asked(_ source: (any ProofKeySource)?) async throws -> String? {
      let config = makeConfig(provider) {
        $0.proofKey = source
        $0.additionalParameters = ["dpop_jkt": "another"]
      }
      _ = try await AgreeingAgent(provider: provider).authorize(
        oidcConfig: OidcConfig(oidcClientConfig: config, config: ()))
      return try #require(provider.requests("authorize").last).query["dpop_jkt"]
    }
    #expect(try await asked(OpenProofKey(key)) == Thumbprint.of(key.publicKey))
    #expect(try await asked(Asking(key: key)) == nil)
    #expect(try await asked(nil) == nil)
  }

  @Test func `a server's nonce is put into the proof, asked for once and then remembered`() async throws {
    provider.lie { $0.asksForProofNonce = true }
    let key = try await makeKey()
    let client = OidcClient(config: makeConfig(provider) { $0.proofKey = OpenProofKey(key) })
    _ = try await signIn(client, at: provider)
    #expect(try proofs("access_token").map { $0["nonce"]?.stringValue } == [nil, "nonce-a"])
    _ = try await client.userinfo().get()
    #expect(try proofs("userinfo").map { $0["nonce"]?.stringValue } == ["nonce-a", "nonce-b"])
    #expect(Set(try proofs("access_token").compactMap { $0["jti"]?.stringValue }).count == 2)
  }

  @Test func `a server that asks for a nonce for ever is asked twice`() async throws {
    provider.lie {
      $0.instead = [
        "access_token": FakeOpenIDProvider.Answer(
          400, #"{"error":"use_dpop_nonce"}"#, headers: ["DPoP-Nonce": "again"])
      ]
    }
    let key = try await makeKey()
    let client = OidcClient(config: makeConfig(provider) { $0.proofKey = OpenProofKey(key) })
    await #expect(throws: OidcError.self) { try await signIn(client, at: provider) }
    #expect(provider.requests("access_token").count == 2)
  }

  @Test func `a token that is not bound although the key was proved is refused`() async throws {
    provider.lie { $0.tokens = { $0["token_type"] = "Bearer" } }
    let key = try await makeKey()
    let client = OidcClient(config: makeConfig(provider) { $0.proofKey = OpenProofKey(key) })
    await #expect(throws: OidcError.self) { try await signIn(client, at: provider) }
    #expect(try await client.config.storage.get() == nil)
  }

  @Test func `a key that is not released ends the request before anything is sent`() async throws {
    struct Locked: ProofKeySource {
      func proofKey() async throws -> any DeviceKey { throw CancellationError() }
    }
    let client = OidcClient(config: makeConfig(provider) { $0.proofKey = Locked() })
    await #expect(throws: OidcError.self) { try await signIn(client, at: provider) }
    #expect(provider.requests("access_token").isEmpty)
  }

  @Test func `a bound token is not sent as a bearer's when the key has gone`() async throws {
    let key = try await makeKey()
    let config = makeConfig(provider) { $0.proofKey = OpenProofKey(key) }
    _ = try await signIn(OidcClient(config: config), at: provider)
    config.proofKey = nil
    #expect(failure(await OidcClient(config: config).userinfo()) != nil)
    #expect(provider.requests("userinfo").isEmpty)
  }
}
