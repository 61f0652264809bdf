import Concurrency
import JourneyEngine
import OpenIDFixtures
import StrictJSON
import Testing

@testable import JourneyNodes

@Suite("Providers of OAuth 2.0 alone")
struct PlainOAuthTests {
  /// As the platform exports a provider such as Facebook.
  private static let settings: JSONObject = [
    "issuer": .null, "clientAuthenticationMethod": "CLIENT_SECRET_POST", "authenticationIdKey": "id",
    "authorizationEndpoint": "https://op.example.com/oauth2/authorize",
    "tokenEndpoint": "https://op.example.com/oauth2/access_token",
    "userInfoEndpoint": "https://op.example.com/oauth2/userinfo?fields=id,name",
    "scopes": ["email", "public_profile"], "scopeDelimiter": ",",
  ]
  private static let alias = "https://op.example.com#id 42"
  private static let node: JSONObject = [
    "provider": "op", "authenticationIdKey": "id", "scopeString": "email,public_profile",
    "cfgAttributeMappingConfiguration": ["first_name": "givenName", "email": "mail"],
  ]

  private func world(_ accounts: [JSONObject] = []) throws -> FederationWorld {
    let world = try FederationWorld(accounts: accounts, settings: Self.settings)
    world.provider.lie { behaviour in
      behaviour.idToken = { _ in nil }
      behaviour.userinfo = ["id": 42, "first_name": "Ada", "email": "ada@example.com"]
    }
    return world
  }

  @Test func `a person is who the userinfo of their own code says`() async throws {
    let account: JSONObject = [
      "_id": "1", "userName": "ada", "realm": "alpha", "aliasList": [.string(Self.alias)],
    ]
    for type in ["SocialFacebookNode", "SocialProviderHandlerNode"] {
      let world = try world([account])
      var step = try world.node(type, type == "SocialFacebookNode" ? Self.node : [:])
      #expect(try await step.signIn(at: world.provider) == .outcome("ACCOUNT_EXISTS"))
      #expect(step.state.username == "ada" && step.node.warnings.isEmpty)
      let asked = try #require(world.provider.requests("authorize").first?.query)
      #expect(asked["scope"] == "email,public_profile" && asked["nonce"] == nil)
      #expect(asked["code_challenge_method"] == "S256" && asked["state"]?.isEmpty == false)
      let exchange = try #require(world.provider.requests("access_token").first)
      #expect(exchange.form["client_secret"] == "shh:%" && exchange.form["code_verifier"]?.isEmpty == false)
      #expect(!world.transport.asked.withLock { $0.contains { $0.hasSuffix("openid-configuration") } })
    }
  }

  @Test func `nobody is linked with them by an address that nobody vouches for`() async throws {
    let world = try world([
      ["_id": "2", "userName": "eve", "realm": "alpha", "mail": "ada@example.com"]
    ])
    var step = try world.node("SocialFacebookNode", Self.node)
    #expect(try await step.signIn(at: world.provider) == .outcome("NO_ACCOUNT"))
    #expect(
      step.state.shared["objectAttributes"] == ["givenName": "Ada", "aliasList": [.string(Self.alias)]])
  }

  @Test func `an answer of another sign-in, and a userinfo without the person, sign nobody in`() async throws
  {
    let forged = try world()
    forged.provider.lie { $0.redirect = { $0["state"] = "x" } }
    let named = try world()
    named.provider.lie { $0.redirect = { $0["iss"] = "https://evil.example.com" } }
    for world in [forged, named] {
      var step = try world.node("SocialProviderHandlerNode")
      await #expect(throws: NodeError.self) { try await step.signIn(at: world.provider) }
    }
    for id in [nil, "", true, 1.5, ["42"], .string(String(repeating: "4", count: 256))] as [JSONValue?] {
      let world = try world()
      let userinfo: JSONObject = ["sub": "42", "first_name": "Ada"]
      world.provider.lie { $0.userinfo = userinfo.setting("id", id) }
      var step = try world.node("SocialProviderHandlerNode")
      #expect(try await step.signIn(at: world.provider) == .outcome("SOCIAL_AUTH_INTERRUPTED"))
      #expect(step.state.shared["objectAttributes"] == nil)
    }
  }

  @Test(arguments: ["id_token", "authorization_code", "access_token"])
  func `an app's own tokens and codes are nobody's`(type: String) async throws {
    let world = try world()
    var step = try world.node("SocialProviderHandlerNode", ["clientType": "NATIVE"])
    _ = try await step.evaluate()
    let result = try await step.evaluate([:], reply: ["token": "code-1", "token_type": .string(type)])
    #expect(result == .outcome("SOCIAL_AUTH_INTERRUPTED"))
    #expect(world.provider.requests.isEmpty)
  }

  @Test(
    arguments: [
      ["tokenEndpoint": .null], ["authorizationEndpoint": ""], ["userInfoEndpoint": .null],
      ["authenticationIdKey": .null], ["tokenEndpoint": "http://op.example.com/t"],
      ["userInfoEndpoint": "op.example.com"], ["authenticationIdKey": "a b"], ["authenticationIdKey": "a#b"],
    ] as [JSONObject])
  func `a provider without issuer needs its addresses, over TLS, and what identifies people`(
    change: JSONObject
  )
    throws
  {
    var settings = Self.settings
    settings["clientId"] = "sealring"
    settings["clientSecret"] = "shh"
    settings.merge(change)
    #expect(throws: JSONFault.self) {
      _ = try IdentityProvider.parse(JSONObject([("op", .object(settings))]).serialized) { _ in nil }
    }
  }

  @Test func `an OpenID provider of the same host is another one`() throws {
    let file: JSONObject = [
      "a": ["issuer": "https://op.example.com", "clientId": "a"],
      "b": .object(Self.settings.setting("clientId", "b").setting("clientSecret", "s")),
    ]
    let providers = try IdentityProvider.parse(file.serialized) { _ in nil }
    #expect(Set(providers.map(\.issuer)) == ["https://op.example.com", "https://op.example.com#id"])
  }
}

extension JSONObject {
  fileprivate func setting(_ name: String, _ value: JSONValue?) -> JSONObject {
    var changed = self
    changed[name] = value
    return changed
  }
}
