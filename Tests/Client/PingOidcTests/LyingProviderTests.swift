import Bytes
import CommonFixtures
import Foundation
import OpenIDFixtures
import PingStorage
import StrictJSON
import Testing

@testable import PingOidc

@Suite("A provider that lies, or one in the middle")
struct LyingProviderTests {
  static let lies: [String: @Sendable (inout FakeOpenIDProvider.Behaviour) -> Void] = [
    "alg none": {
      $0.idToken = { token in
        let payload = token.split(separator: ".")[1]
        return Base64URL.encode(Array(#"{"alg":"none"}"#.utf8)) + ".\(payload)."
      }
    },
    "HS256 with what everybody knows": {
      $0.idToken = { token in
        let payload = token.split(separator: ".")[1]
        return Base64URL.encode(Array(#"{"alg":"HS256","kid":"k1"}"#.utf8)) + ".\(payload)."
          + Base64URL.encode([UInt8](repeating: 1, count: 32))
      }
    },
    "a changed claim": {
      $0.idToken = { token in
        let parts = token.split(separator: ".")
        let payload = Base64URL.decode(parts[1]).map { String(decoding: $0, as: UTF8.self) } ?? ""
        return "\(parts[0])."
          + Base64URL.encode(Array(payload.replacingOccurrences(of: "ada", with: "eve").utf8))
          + ".\(parts[2])"
      }
    },
    "another audience": { $0.claims = { $0["aud"] = "other" } },
    "several audiences and no party": { $0.claims = { $0["aud"] = ["app", "other"] } },
    "another party": { $0.claims = { $0["azp"] = "other" } },
    "another issuer": { $0.claims = { $0["iss"] = "https://evil.example.com" } },
    "another nonce": { $0.claims = { $0["nonce"] = "other" } },
    "no nonce": { $0.claims = { $0["nonce"] = nil } },
    "expired": { $0.claims = { $0["exp"] = 1 } },
    "no expiry": { $0.claims = { $0["exp"] = nil } },
    "from the future": { $0.claims = { $0["iat"] = 9_999_999_999 } },
    "another access token": { $0.claims = { $0["at_hash"] = .string(ProofHash.half(of: "other")) } },
    "no subject": { $0.claims = { $0["sub"] = nil } },
    "no ID token": { $0.idToken = { _ in nil } },
    "not a token": { $0.idToken = { _ in "a.b" } },
    "an ID token too large": { $0.idToken = { $0 + String(repeating: "A", count: 70_000) } },
    "a token with a line break": { $0.tokens = { $0["access_token"] = "a\r\nX-Admin: 1" } },
    "no access token": { $0.tokens = { $0["access_token"] = nil } },
    "an error that looks like success": { $0.tokens = { $0["error"] = "invalid_grant" } },
    "an unknown token type": { $0.tokens = { $0["token_type"] = "mac" } },
    "an answer too large": { $0.tokens = { $0["x"] = .string(String(repeating: "x", count: 300_000)) } },
    "duplicate members": {
      $0.instead = [
        "access_token": FakeOpenIDProvider.Answer(
          200, #"{"access_token":"a","access_token":"b","token_type":"Bearer"}"#)
      ]
    },
    "keys that are none": { $0.instead = ["jwk_uri": FakeOpenIDProvider.Answer(200, "[]")] },
    "no keys": { $0.instead = ["jwk_uri": FakeOpenIDProvider.Answer(404, "")] },
  ]

  @Test(arguments: lies.keys.sorted())
  func `none of the tokens is believed or kept`(lie: String) async throws {
    let provider = FakeOpenIDProvider()
    if let change = Self.lies[lie] { provider.lie(change) }
    let client = OidcClient(config: makeConfig(provider))
    await #expect(throws: OidcError.self) { try await signIn(client, at: provider) }
    #expect(try await client.config.storage.get() == nil)
  }

  @Test func `an honest provider is believed, so that the lies above are what is refused`() async throws {
    let provider = FakeOpenIDProvider()
    let client = OidcClient(config: makeConfig(provider))
    #expect(try await signIn(client, at: provider).accessToken == "access-1")
  }

  @Test func `a new signing key is fetched once, and a withdrawn one is not believed`() async throws {
    let date = ManualDate()
    let provider = FakeOpenIDProvider { date.now }
    let client = OidcClient(config: makeConfig(provider, now: date))
    _ = try await signIn(client, at: provider)
    _ = try await signIn(client, at: provider)
    #expect(provider.requests("jwk_uri").count == 1)
    provider.rotate()
    _ = try await signIn(client, at: provider)
    #expect(provider.requests("jwk_uri").count == 2)

    // Made-up key ids do not make it fetch again and again.
    provider.lie { behaviour in
      behaviour.idToken = { token in
        let header = Base64URL.encode(Array(#"{"alg":"ES256","kid":"made-up"}"#.utf8))
        return header + token.drop { $0 != "." }
      }
    }
    for _ in 1...5 { _ = try? await signIn(client, at: provider) }
    #expect(provider.requests("jwk_uri").count == 2)
    date.advance(by: 31)
    for _ in 1...5 { _ = try? await signIn(client, at: provider) }
    #expect(provider.requests("jwk_uri").count == 3)
  }

  @Test func `keys are believed for ten minutes`() async throws {
    let date = ManualDate()
    let provider = FakeOpenIDProvider { date.now }
    let client = OidcClient(config: makeConfig(provider, now: date))
    _ = try await signIn(client, at: provider)
    date.advance(by: 601)
    _ = try await signIn(client, at: provider)
    #expect(provider.requests("jwk_uri").count == 2)
  }

  @Test func `claims about another person than the ID token's are refused`() async throws {
    let provider = FakeOpenIDProvider()
    let client = OidcClient(config: makeConfig(provider))
    _ = try await signIn(client, at: provider)
    #expect(try await client.userinfo().get()["name"] as? String == "Ada")
    provider.lie { $0.userinfo = ["sub": "eve"] }
    #expect(failure(await client.userinfo()) != nil)
  }

  @Test func `a person whose name is the same under normalisation only is another one`() async throws {
    let provider = FakeOpenIDProvider()
    let client = OidcClient(config: makeConfig(provider))
    provider.lie {
      $0.claims = { $0["sub"] = "ren\u{e9}" }
      $0.userinfo = ["sub": "ren\u{e9}"]
    }
    _ = try await signIn(client, at: provider)
    #expect(failure(await client.userinfo()) == nil)
    provider.lie { $0.userinfo = ["sub": "rene\u{301}"] }
    #expect(failure(await client.userinfo()) != nil)
    provider.lie { $0.userinfo = [:] }
    #expect(failure(await client.userinfo()) != nil)
  }

  @Test(
    arguments: [
      "http://am.example.com/end", "javascript:alert(1)", "https://am.example.com/end#x", "end", "", 7,
    ] as [JSONValue])
  func `an ID token is sent to no address that others can read, PingOne's neither`(address: JSONValue)
    async throws
  {
    let provider = FakeOpenIDProvider()
    provider.lie { $0.metadata = { $0["ping_end_idp_session_endpoint"] = address } }
    let client = OidcClient(config: makeConfig(provider))
    await #expect(throws: OidcError.self) { try await client.config.oidcInitialize() }
    provider.lie { $0.metadata = { $0["ping_end_idp_session_endpoint"] = "https://am.example.com/end" } }
    try await client.config.oidcInitialize()
    #expect(client.config.openId?.pingEndsessionEndpoint == "https://am.example.com/end")
  }

  @Test func `nothing that is printed shows a code, a verifier or a token`() {
    let pkce = Pkce.generate()
    let code = AuthCode(code: "secret-c", codeVerifier: "secret-v", nonce: "n")
    var dumped = ""
    dump(pkce, to: &dumped)
    dump(code, to: &dumped)
    let shown = "\(pkce) \(code) \(String(reflecting: pkce)) \(String(reflecting: code)) \(dumped)"
    #expect(!shown.contains(pkce.codeVerifier) && !shown.contains("secret"))
  }
}
