import Concurrency
import JourneyEngine
import OpenIDFixtures
import StrictJSON
import Testing

@testable import JourneyNodes

@Suite("Older social nodes over configured providers")
struct SocialNodeTests {
  private static let linked: JSONObject = [
    "_id": "1", "userName": "ada", "realm": "alpha", "aliasList": ["https://op.example.com/oauth2 ada"],
  ]

  /// As PingAM exports a SocialGoogleNode.
  private static let exported: JSONObject = [
    "provider": "google", "clientId": "sealring", "scopeString": "profile email",
    "authorizeEndpoint": "https://op.example.com/oauth2/authorize",
    "tokenEndpoint": "https://op.example.com/oauth2/access_token",
    "userInfoEndpoint": "https://op.example.com/oauth2/userinfo",
    "redirectURI": "https://id.example.com/am/XUI/", "issuer": "https://op.example.com/oauth2",
    "authenticationIdKey": "sub", "basicAuth": true, "cfgMixUpMitigation": false,
    "saveUserAttributesToSession": false,
    "cfgAccountProviderClass":
      "org.forgerock.openam.authentication.modules.common.mapping.DefaultAccountProvider",
    "cfgAccountMapperConfiguration": ["sub": "iplanet-am-user-alias-list"],
    "cfgAttributeMappingConfiguration": [
      "sub": "iplanet-am-user-alias-list", "given_name": "givenName", "family_name": "sn", "name": "cn",
      "email": "mail",
    ],
  ]

  private static func exported(_ changes: JSONObject) -> JSONObject {
    var properties = exported
    properties.merge(changes)
    return properties
  }

  // MARK: People

  @Test(arguments: ["SocialGoogleNode", "SocialFacebookNode", "SocialNode", "SocialOpenIdConnectNode"])
  func `an exported node loads without a warning, and the linked account goes on`(type: String) async throws {
    let world = try FederationWorld(accounts: [Self.linked])
    #expect(NodeLibrary.social(world.federation)[type] != nil)
    var step = try world.node(type, Self.exported)
    #expect(step.node.outcomes == ["ACCOUNT_EXISTS", "NO_ACCOUNT"] && step.node.warnings.isEmpty)
    #expect(try await step.signIn(at: world.provider) == .outcome("ACCOUNT_EXISTS"))
    #expect(step.state.username == "ada" && step.state.shared["_id"] == "1")
    #expect(step.state.shared["objectAttributes"] == nil)
    let asked = try #require(world.provider.requests("authorize").first?.query)
    #expect(asked["code_challenge_method"] == "S256" && asked["nonce"]?.isEmpty == false)
    #expect(asked["scope"] == "openid profile email")
  }

  @Test func `a person whom nobody is linked with leaves mapped attributes, and the link`() async throws {
    let world = try FederationWorld(accounts: [
      ["_id": "2", "userName": "boss", "realm": "alpha", "mail": "boss@example.com"]
    ])
    world.provider.lie { behaviour in
      behaviour.userinfo = [
        "sub": "ada", "email": "boss@example.com", "email_verified": true, "given_name": "Ada",
        "family_name": "Byron", "preferred_username": "amAdmin",
      ]
    }
    var step = try world.node("SocialGoogleNode", Self.exported)
    #expect(try await step.signIn(at: world.provider) == .outcome("NO_ACCOUNT"))
    #expect(step.state.username == nil)
    #expect(
      step.state.shared["objectAttributes"] == [
        "givenName": "Ada", "sn": "Byron", "mail": "boss@example.com",
        "aliasList": ["https://op.example.com/oauth2 ada"],
      ])
    // Scripts of such journeys look here.
    #expect(
      step.state.shared["userInfo"] == [
        "attributes": ["givenName": ["Ada"], "sn": ["Byron"], "mail": ["boss@example.com"]],
        "userNames": ["iplanet-am-user-alias-list": ["ada"]],
      ])
    #expect(step.state.shared["emailAddress"] == "boss@example.com")
  }

  @Test(arguments: ["mail", "userName", "description"])
  func `an address that the provider does not vouch for becomes no attribute`(attribute: String) async throws
  {
    let world = try FederationWorld()
    world.provider.lie { behaviour in
      behaviour.userinfo = ["sub": "ada", "email": "boss@example.com", "phone_number": "+1"]
    }
    var step = try world.node(
      "SocialGoogleNode",
      Self.exported([
        "cfgAttributeMappingConfiguration": ["email": .string(attribute), "phone_number": "telephoneNumber"]
      ]))
    #expect(try await step.signIn(at: world.provider) == .outcome("NO_ACCOUNT"))
    #expect(
      step.state.shared["objectAttributes"] == ["aliasList": ["https://op.example.com/oauth2 ada"]])
    #expect(step.state.shared["emailAddress"] == nil)
  }

  @Test(arguments: [
    "aliasList", "iplanet-am-user-alias-list", "password", "userPassword", "accountStatus", "_id",
    "adminRoles", "kbaInfo", "consentedMappings",
  ])
  func `a file does not map claims to what is the server's own`(attribute: String) async throws {
    let world = try FederationWorld()
    world.provider.lie { $0.userinfo = ["sub": "ada", "nick": "https://op.example.com/oauth2 boss"] }
    var step = try world.node(
      "SocialGoogleNode",
      Self.exported(["cfgAttributeMappingConfiguration": ["nick": .string(attribute), "sub": "uid"]]))
    #expect(try await step.signIn(at: world.provider) == .outcome("NO_ACCOUNT"))
    #expect(
      step.state.shared["objectAttributes"] == [
        "userName": "ada", "aliasList": ["https://op.example.com/oauth2 ada"],
      ])
  }

  @Test func `without a mapping the default transformation makes the attributes`() async throws {
    let world = try FederationWorld()
    var step = try world.node(
      "SocialGoogleNode", Self.exported(["cfgAttributeMappingConfiguration": [:]]))
    #expect(try await step.signIn(at: world.provider) == .outcome("NO_ACCOUNT"))
    #expect(step.state.shared["objectAttributes"]?["cn"] == "Ada")
  }

  @Test func `attributes become session properties where the file wants it, but not the server's own`()
    async throws
  {
    for accounts in [[Self.linked], []] {
      let world = try FederationWorld(accounts: accounts)
      var step = try world.node(
        "SocialGoogleNode",
        Self.exported([
          "saveUserAttributesToSession": true,
          "cfgAttributeMappingConfiguration": ["name": "cn", "sub": "AuthLevel"],
        ]))
      _ = try await step.signIn(at: world.provider)
      #expect(step.state.sessionProperties == ["cn": "Ada"])
      #expect(step.reasons.contains { $0.contains("AuthLevel") })
    }
  }

  @Test func `who declines, a provider that is away, and a forged answer end the journey`() async throws {
    let declined = try FederationWorld()
    declined.provider.lie { $0.redirect = { $0 = ["error": "access_denied", "state": $0["state"] ?? ""] } }
    let away = try FederationWorld()
    away.provider.lie { $0.instead = ["openid-configuration": .init(503, "")] }
    let forged = try FederationWorld(accounts: [Self.linked])
    forged.provider.lie { $0.redirect = { $0["state"] = "x" } }
    for world in [declined, away, forged] {
      var step = try world.node("SocialGoogleNode", Self.exported)
      await #expect(throws: NodeError.self) { try await step.signIn(at: world.provider) }
      #expect(step.state.username == nil)
    }
  }

  @Test func `a person linked with another account than the journey's is refused`() async throws {
    let world = try FederationWorld(accounts: [Self.linked])
    var step = try world.node("SocialGoogleNode", Self.exported)
    step.state.username = "eve"
    await #expect(throws: NodeError.self) { try await step.signIn(at: world.provider) }
    #expect(step.state.username == "eve")
  }

  @Test func `subjects that differ in case are different people`() async throws {
    struct Folding: ManagedObjects {
      let account: JSONObject
      func query(
        _ resource: String, filter: String, fields: [String], limit: Int, realm: String
      ) async throws -> [JSONObject] { [account] }
      func read(_ resource: String, realm: String) async throws -> JSONObject? { nil }
      func create(
        _ resource: String, id: String?, content: JSONObject, realm: String
      ) async throws -> JSONObject { content }
      func update(
        _ resource: String, revision: String?, content: JSONObject, realm: String
      ) async throws -> JSONObject { content }
      func patch(
        _ resource: String, revision: String?, operations: [JSONObject], realm: String
      ) async throws -> JSONObject { [:] }
      func delete(_ resource: String, revision: String?, realm: String) async throws -> JSONObject { [:] }
    }
    var account = Self.linked
    account["aliasList"] = ["https://op.example.com/oauth2 ADA"]
    let world = try FederationWorld()
    var federation = world.federation
    federation.identities = Folding(account: account)
    for type in ["SocialGoogleNode", "SocialProviderHandlerNode"] {
      let definition = NodeDefinition(id: "n", type: type, properties: Self.exported)
      var step = Step(
        node: type == "SocialGoogleNode"
          ? try SocialNode(definition, federation: federation)
          : try SocialProviderHandlerNode(definition, federation: federation))
      #expect(try await step.signIn(at: world.provider) == .outcome("NO_ACCOUNT"))
    }
  }

  // MARK: What the file says of the provider

  @Test func `a secret and a code go to the configured provider, whatever the file names`() async throws {
    let world = try FederationWorld(accounts: [Self.linked])
    let evil = "https://evil.example.com"
    var step = try world.node(
      "SocialGoogleNode",
      Self.exported([
        "provider": "op", "clientId": "theirs", "clientSecret": "my-own", "issuer": .string(evil),
        "authorizeEndpoint": .string("\(evil)/a"), "tokenEndpoint": .string("\(evil)/t"),
        "userInfoEndpoint": .string("\(evil)/u"), "redirectURI": .string("\(evil)/back"),
        "scopeString": "openid everything",
      ]))
    #expect(try await step.signIn(at: world.provider) == .outcome("ACCOUNT_EXISTS"))
    #expect(world.transport.asked.withLock { $0.allSatisfy { $0.hasPrefix("https://op.example.com/") } })
    let asked = try #require(world.provider.requests("authorize").first?.query)
    #expect(asked["redirect_uri"] == "https://id.example.com/am/XUI/" && asked["client_id"] == "sealring")
    #expect(asked["scope"] == "openid profile email")
    let warnings = step.node.warnings.joined(separator: "\n")
    for word in [
      "authorizeEndpoint, tokenEndpoint, userInfoEndpoint, issuer, clientId, redirectURI, scopeString",
      "client secret is not used",
    ] { #expect(warnings.contains(word), "\(warnings)") }
    #expect(!warnings.contains("my-own"))
  }

  @Test func `the client id chooses the provider, then the name`() async throws {
    let other: JSONObject = [
      "other": ["issuer": "https://other.example.com", "clientId": "other"],
      "twin": ["issuer": "https://twin.example.com", "clientId": "sealring"],
    ]
    let world = try FederationWorld(others: other)
    func chosen(_ clientID: String, _ name: String) throws -> String? {
      let definition = NodeDefinition(
        id: "n", type: "SocialNode",
        properties: ["clientId": .string(clientID), "provider": .string(name)])
      return ProviderChoice(definition).provider(among: world.federation.providers.all(in: "alpha"))?.name
    }
    #expect(try chosen("other", "op") == "other")
    #expect(try chosen("sealring", "op") == "op" && chosen("sealring", "twin") == "twin")
    #expect(try chosen("sealring", "google") == nil, "two have the client id")
    #expect(try chosen("unknown", "op") == "op" && chosen("", "other") == "other")
    #expect(try chosen("", "") == nil && chosen("unknown", "OP") == nil)
  }

  @Test func `without a configured provider the node says so, and fails when it is reached`() async throws {
    let world = try FederationWorld()
    for (realm, properties) in [
      ("alpha", Self.exported(["clientId": "none", "provider": "none"])), ("beta", Self.exported),
    ] {
      var step = try world.node("SocialGoogleNode", properties)
      step.realm = realm
      await #expect(throws: NodeError.self) { try await step.evaluate() }
      #expect(step.node.warnings.isEmpty == (realm == "beta"))
    }
    let definition = NodeDefinition(id: "n", type: "SocialNode", properties: Self.exported)
    let node = try SocialNode(definition, federation: nil)
    #expect(node.warnings == ["no identity providers are configured: give --identity-providers"])
  }

  @Test func `a mapper that finds accounts by another claim is named`() throws {
    let world = try FederationWorld()
    let step = try world.node(
      "SocialGoogleNode", Self.exported(["cfgAccountMapperConfiguration": ["email": "mail", "sub": "uid"]]))
    #expect(step.node.warnings.count == 1 && step.node.warnings[0].contains("finds accounts by email"))
  }

  @Test func `a session is for an account, whatever the profile is to be`() async throws {
    var step = Step(node: PlainNode.ignoreProfile)
    await #expect(throws: NodeError.self) { try await step.evaluate() }
    step.state.username = "ada"
    #expect(try await step.evaluate() == .outcome("outcome"))
    #expect(step.node.warnings.count == 1)
  }
}
