import Bytes
import Concurrency
import Foundation
import JourneyEngine
import OpenIDFixtures
import StrictJSON
import Testing

@testable import JourneyNodes

@Suite("Signing in by another provider")
struct SocialProviderHandlerTests {
  private static let linked: JSONObject = [
    "_id": "1", "userName": "ada", "realm": "alpha", "aliasList": ["https://op.example.com/oauth2 ada"],
  ]

  private func handler(_ world: FederationWorld, _ properties: JSONObject = [:]) throws -> Step {
    try world.node("SocialProviderHandlerNode", properties)
  }

  @Test func `the person is sent with PKCE, state and nonce, and comes back as the linked account`()
    async throws
  {
    let world = try FederationWorld(accounts: [Self.linked])
    var step = try handler(world)
    #expect(try await step.signIn(at: world.provider) == .outcome("ACCOUNT_EXISTS"))
    #expect(step.state.username == "ada" && step.state.shared["_id"] == "1")
    #expect(step.state.accountID == "1", "an account that gets the name later is not the run's")
    let asked = try #require(world.provider.requests("authorize").first?.query)
    #expect(
      asked["redirect_uri"] == "https://id.example.com/am/XUI/" && asked["code_challenge_method"] == "S256")
    #expect(asked["scope"] == "openid profile email" && asked["nonce"]?.isEmpty == false)
    let exchange = try #require(world.provider.requests("access_token").first)
    let basic = PaddedBase64.encode(Array("sealring:shh%3A%25".utf8))
    #expect(exchange.headers["authorization"] == "Basic \(basic)" && exchange.form["client_secret"] == nil)
    #expect(step.state.transient["socialOAuthData"]?["op"]?["rawProfile"]?["name"] == "Ada")
  }

  @Test(arguments: [false, true])
  func `whether the person has to prove themselves now is passed on`(_ isForced: Bool) async throws {
    let world = try FederationWorld(accounts: [Self.linked])
    var step = try handler(world)
    step.isForced = isForced
    let query = FakeOpenIDProvider.Request("GET", try await step.redirect()).query
    #expect(query["prompt"] == (isForced ? "login" : nil))
    // Asked for an age, a provider has to say when the person signed in.
    #expect(query["max_age"] == (isForced ? "0" : "31536000"))
  }

  @Test func `a provider that takes no prompt gets the age alone`() async throws {
    let world = try FederationWorld(accounts: [Self.linked], settings: ["honoursPrompt": false])
    var step = try handler(world)
    step.isForced = true
    let query = FakeOpenIDProvider.Request("GET", try await step.redirect()).query
    #expect(query["prompt"] == nil && query["max_age"] == "0")
    let google = try IdentityProvider.parse(
      Array(#"{"google": {"issuer": "https://accounts.google.com", "clientId": "c"}}"#.utf8)
    ) { _ in nil }
    #expect(google.map(\.honoursPrompt) == [false])
  }

  @Test(arguments: [-36_000, -5, 3600] as [Double])
  func `a sign-in at a provider is as old as the provider has signed it`(_ age: Double) async throws {
    let world = try FederationWorld(accounts: [Self.linked])
    let then = Date().addingTimeInterval(age)
    world.provider.lie { $0.claims = { $0["auth_time"] = .integer(Int64(then.timeIntervalSince1970)) } }
    var step = try handler(world)
    #expect(try await step.signIn(at: world.provider) == .outcome("ACCOUNT_EXISTS"))
    let moment = try #require(step.state.authenticatedAt)
    // A provider's clock that is ahead makes nobody fresh for longer.
    #expect(abs(moment.timeIntervalSince(min(then, Date()))) < 30)
    #expect(step.state.factors == ["provider"])
  }

  @Test(arguments: [(false, false, false), (true, false, false), (false, true, false), (true, true, true)])
  func `a sign-in whose time nobody knows is not fresh`(
    isForced: Bool, isVouchedFor: Bool, isFresh: Bool
  ) async throws {
    let world = try FederationWorld(
      accounts: [Self.linked], settings: ["honoursPrompt": .bool(isVouchedFor)])
    world.provider.lie { $0.claims = { $0["auth_time"] = nil } }
    var step = try handler(world)
    step.isForced = isForced
    #expect(try await step.signIn(at: world.provider) == .outcome("ACCOUNT_EXISTS"))
    let moment = try #require(step.state.authenticatedAt)
    #expect(isFresh == (moment > Date().addingTimeInterval(-60)))
  }

  @Test func `a provider takes nothing from what the journey has proven before`() async throws {
    let world = try FederationWorld(accounts: [Self.linked])
    var step = try handler(world)
    step.state.username = "ada"
    let now = Date()
    step.state.noteAuthentication(at: now, by: "password")
    #expect(try await step.signIn(at: world.provider) == .outcome("ACCOUNT_EXISTS"))
    #expect(step.state.authenticatedAt.map { abs($0.timeIntervalSince(now)) < 1 } == true)
    #expect(step.state.factors == ["password", "provider"])
  }

  @Test func `a person that nobody is linked with has no account, whatever the mail address`() async throws {
    let world = try FederationWorld(accounts: [
      ["_id": "2", "userName": "boss", "realm": "alpha", "mail": "boss@example.com"]
    ])
    world.provider.lie { behaviour in
      behaviour.userinfo = [
        "sub": "ada", "email": "boss@example.com", "email_verified": false, "given_name": "Ada",
        "preferred_username": "amAdmin",
      ]
    }
    var step = try handler(world)
    #expect(try await step.signIn(at: world.provider) == .outcome("NO_ACCOUNT"))
    #expect(step.state.username == nil)
    let attributes = step.state.shared["objectAttributes"]
    #expect(attributes?["mail"] == nil && attributes?["givenName"] == "Ada")
    #expect(attributes?["aliasList"] == ["https://op.example.com/oauth2 ada"])
  }

  @Test func `a verified address goes into the profile, and is still no link`() async throws {
    let world = try FederationWorld(accounts: [
      ["_id": "2", "userName": "boss", "realm": "alpha", "mail": "boss@example.com"]
    ])
    world.provider.lie { $0.userinfo = ["sub": "ada", "email": "boss@example.com", "email_verified": true] }
    var step = try handler(world)
    #expect(try await step.signIn(at: world.provider) == .outcome("NO_ACCOUNT"))
    #expect(step.state.shared["objectAttributes"]?["mail"] == "boss@example.com")
  }

  @Test func `the same subject of another provider, or in another realm, is another person`() async throws {
    for account: JSONObject in [
      ["_id": "1", "userName": "ada", "realm": "alpha", "aliasList": ["https://other.example.com ada"]],
      ["_id": "1", "userName": "ada", "realm": "beta", "aliasList": ["https://op.example.com/oauth2 ada"]],
    ] {
      let world = try FederationWorld(accounts: [account])
      var step = try handler(world)
      #expect(try await step.signIn(at: world.provider) == .outcome("NO_ACCOUNT"))
    }
  }

  @Test func `a person whose name at the provider differs in case is another one, and keeps nobody out`()
    async throws
  {
    let other: JSONObject = [
      "_id": "2", "userName": "eve", "realm": "alpha", "aliasList": ["https://op.example.com/oauth2 ADA"],
    ]
    let alone = try FederationWorld(accounts: [other])
    var step = try handler(alone)
    #expect(try await step.signIn(at: alone.provider) == .outcome("NO_ACCOUNT"))
    let both = try FederationWorld(accounts: [other, Self.linked])
    var known = try handler(both)
    #expect(try await known.signIn(at: both.provider) == .outcome("ACCOUNT_EXISTS"))
    #expect(known.state.username == "ada")
  }

  @Test func `two accounts with one link, or a link to another than the journey's user, sign nobody in`()
    async throws
  {
    var second = Self.linked
    second["userName"] = "eve"
    let world = try FederationWorld(accounts: [Self.linked, second])
    var step = try handler(world)
    await #expect(throws: NodeError.self) { try await step.signIn(at: world.provider) }
    let other = try FederationWorld(accounts: [Self.linked])
    var known = try handler(other)
    known.state.username = "eve"
    await #expect(throws: NodeError.self) { try await known.signIn(at: other.provider) }
    #expect(known.state.username == "eve")
  }

  @Test(arguments: [
    "state", "no state", "issuer", "nonce", "audience", "alg none", "code of another sign-in",
  ])
  func `an answer that is not this journey's ends the journey`(kind: String) async throws {
    let world = try FederationWorld(accounts: [Self.linked])
    world.provider.lie { behaviour in
      switch kind {
      case "state": behaviour.redirect = { $0["state"] = "x" }
      case "no state": behaviour.redirect = { $0["state"] = nil }
      case "issuer": behaviour.redirect = { $0["iss"] = "https://evil.example.com" }
      case "nonce": behaviour.claims = { $0["nonce"] = "x" }
      case "audience": behaviour.claims = { $0["aud"] = "other" }
      case "alg none":
        behaviour.idToken = { "eyJhbGciOiJub25lIn0." + $0.split(separator: ".")[1] + "." }
      default: break
      }
    }
    var step = try handler(world)
    if kind == "code of another sign-in" {
      // An attacker's code, in the victim's browser.
      var attacker = try handler(world)
      let back = try await world.provider.answer(.init("GET", attacker.redirect())).headers["Location"] ?? ""
      let parameters = FakeOpenIDProvider.Request("GET", back).query
      _ = try await step.redirect()
      await #expect(throws: NodeError.self) { try await step.evaluate(parameters, reply: [:]) }
    } else {
      await #expect(throws: NodeError.self) { try await step.signIn(at: world.provider) }
    }
    #expect(step.state.username == nil)
  }

  @Test func `a person who declines, and a provider that fails, are an interruption`() async throws {
    let world = try FederationWorld()
    world.provider.lie { $0.redirect = { $0 = ["error": "access_denied", "state": $0["state"] ?? ""] } }
    var declined = try handler(world)
    #expect(try await declined.signIn(at: world.provider) == .outcome("SOCIAL_AUTH_INTERRUPTED"))
    for end in ["userinfo", "jwk_uri"] {
      let world = try FederationWorld()
      world.provider.lie { $0.instead = [end: .init(500, "")] }
      var step = try handler(world)
      #expect(try await step.signIn(at: world.provider) == .outcome("SOCIAL_AUTH_INTERRUPTED"))
    }
    let down = try FederationWorld()
    down.provider.lie { $0.instead = ["openid-configuration": .init(503, "")] }
    var step = try handler(down)
    #expect(try await step.evaluate() == .outcome("SOCIAL_AUTH_INTERRUPTED"))
  }

  @Test func `a document that names servers which are not configured is not followed`() async throws {
    let world = try FederationWorld()
    world.provider.lie { $0.metadata = { $0["token_endpoint"] = "https://169.254.169.254/latest" } }
    var step = try handler(world)
    #expect(try await step.evaluate() == .outcome("SOCIAL_AUTH_INTERRUPTED"))
    #expect(
      world.transport.asked.withLock { $0 } == [
        "https://op.example.com/oauth2/.well-known/openid-configuration"
      ])
    #expect(step.reasons.contains { $0.contains("hosts") })
  }

  @Test func `coming back without an answer sends the person again, in the same sign-in`() async throws {
    let world = try FederationWorld()
    var step = try handler(world)
    let first = try await step.redirect()
    guard case .callbacks(let again) = try await step.evaluate([:], reply: [:]) else {
      Issue.record("not asked again")
      return
    }
    #expect(again[0].outputs.first?.value.stringValue == first)
  }

  @Test func `a native app sends an ID token for the nonce, or a code; an access token is nobody's`()
    async throws
  {
    let world = try FederationWorld(accounts: [Self.linked], settings: ["userinfo": false])
    for type in ["id_token", "access_token"] {
      var step = try handler(world, ["clientType": "NATIVE"])
      guard case .callbacks(let asked) = try await step.evaluate() else {
        Issue.record("not asked")
        return
      }
      #expect(asked[0].type == "IdPCallback" && asked[0].inputs.map(\.name) == ["token", "token_type"])
      let nonce = try #require(asked[0].outputs.first { $0.name == "nonce" }?.value.stringValue)
      let back = try await world.provider.answer(
        .init(
          "GET",
          "https://op.example.com/oauth2/authorize?nonce=\(nonce)&redirect_uri=app&code_challenge=\(ProofHash.of("v"))"
        ))
      let code = FakeOpenIDProvider.Request("GET", back.headers["Location"] ?? "").query["code"] ?? ""
      let tokens = try await world.provider.answer(
        .init(
          "POST", "https://op.example.com/oauth2/access_token",
          body:
            "grant_type=authorization_code&code=\(code)&client_id=sealring&code_verifier=v&redirect_uri=app"))
      let token = try JSONObject(parsing: Array(tokens.body.utf8))[type]?.stringValue ?? ""
      let result = try await step.evaluate(
        [:], reply: ["token": .string(token), "token_type": .string(type)])
      #expect(result == .outcome(type == "id_token" ? "ACCOUNT_EXISTS" : "SOCIAL_AUTH_INTERRUPTED"))
    }
  }

  @Test func `a script makes the profile, and cannot choose the link`() async throws {
    struct Fixed: ProfileTransforming {
      func transform(
        _ profile: JSONObject, normalized: JSONObject, by script: JourneyScript,
        among scripts: [JourneyScript], realm: String
      ) async throws -> JSONObject {
        ["userName": profile["sub"], "aliasList": ["https://op.example.com/oauth2 boss"]].compactMapped
      }
    }
    let world = try FederationWorld(transformer: Fixed())
    var step = try world.node(
      "SocialProviderHandlerNode", ["script": "s"],
      scripts: ["s": JourneyScript(id: "s", name: "Mine", source: "")])
    #expect(try await step.signIn(at: world.provider) == .outcome("NO_ACCOUNT"))
    #expect(step.state.shared["objectAttributes"]?["userName"] == "ada")
    #expect(step.state.shared["objectAttributes"]?["aliasList"] == ["https://op.example.com/oauth2 ada"])
  }

  @Test
  func `the provider's script makes the profile that the node's makes attributes of; Groovy makes neither`()
    async throws
  {
    struct Named: ProfileTransforming {
      func transform(
        _ profile: JSONObject, normalized: JSONObject, by script: JourneyScript,
        among scripts: [JourneyScript], realm: String
      ) async throws -> JSONObject {
        var made = normalized
        made["username"] = .string("\(script.name)(\(normalized["username"]?.stringValue ?? ""))")
        made["userName"] = made["username"]
        return made
      }
    }
    let world = try FederationWorld(settings: ["transform": "p"], transformer: Named())
    world.provider.lie { $0.userinfo = ["sub": "ada", "preferred_username": "ada"] }
    func name(_ script: String, _ scripts: [String: JourneyScript]) async throws -> JSONValue? {
      var step = try world.node("SocialProviderHandlerNode", ["script": .string(script)], scripts: scripts)
      #expect(try await step.signIn(at: world.provider) == .outcome("NO_ACCOUNT"))
      return step.state.shared["objectAttributes"]?["userName"]
    }
    let provider = JourneyScript(id: "p", name: "provider", source: "")
    let node = JourneyScript(id: "n", name: "node", source: "")
    let groovy = JourneyScript(id: "g", name: "groovy", source: "", language: "GROOVY")
    #expect(try await name("n", ["p": provider, "n": node]) == "node(provider(ada))")
    #expect(try await name("", ["p": provider]) == "provider(ada)")
    #expect(try await name("n", ["n": node]) == "node(ada)")
    #expect(try await name("g", ["g": groovy]) == "ada")
    let step = try world.node("SocialProviderHandlerNode", ["script": "g"], scripts: ["g": groovy])
    #expect(step.node.warnings.first?.contains("is not JavaScript") == true)
  }

  @Test func `a provider that the realm does not have cannot be used, whatever the state says`() async throws
  {
    let world = try FederationWorld()
    var step = try handler(world)
    step.realm = "beta"
    await #expect(throws: NodeError.self) { try await step.evaluate() }
    var other = try handler(world)
    other.state.shared["selectedIdp"] = "evil"
    await #expect(throws: NodeError.self) { try await other.evaluate() }
  }
}

extension [String: JSONValue?] {
  fileprivate var compactMapped: JSONObject { JSONObject(compactMapValues { $0 }.map { ($0.key, $0.value) }) }
}
