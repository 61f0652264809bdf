import BindingFormats
import CommonFixtures
import Concurrency
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import StrictJSON
import Testing

@testable import Assembly
@testable import OpenIDProvider
@testable import Operations
@testable import ServerHTTP

@Suite("OpenID Connect: sign-in, consent, pushed requests") struct AuthorizeTests {
  /// Where a request leads: to the sign-in page with these parameters, or to the client.
  private func lead(
    _ world: OpenIDFixture, _ change: [String: String], session: String?
  ) async throws -> (isPage: Bool, parameters: [String: String]) {
    let page = try await world.get(
      "/authorize", OpenIDFixture.appRequest.merging(change) { $1 }, session: session)
    #expect(page.status == 302, "\(page.text)")
    let (address, parameters) = try page.target()
    return (address.hasSuffix("/XUI/"), parameters)
  }

  private func interaction(_ parameters: [String: String]) throws -> [String: String] {
    ["interaction": String(try #require(parameters["goto"]).drop { $0 != "=" }.dropFirst())]
  }

  @Test func `prompt none never shows a page`() async throws {
    try await OpenIDFixture.run { world in
      let nobody = try await lead(world, ["prompt": "none"], session: nil)
      #expect(!nobody.isPage && nobody.parameters["error"] == "login_required")
      #expect(
        try await lead(world, ["prompt": "none"], session: "sst_x").parameters["error"] == "login_required")
      let session = try await world.local.signIn("ada")
      #expect(try await lead(world, ["prompt": "none"], session: session).parameters["code"] != nil)
      world.local.clock.advance(by: 100)
      let old = try await lead(world, ["prompt": "none", "max_age": "99"], session: session)
      #expect(old.parameters["error"] == "login_required")
    }
  }

  @Test(arguments: [["prompt": "login"], ["max_age": "50"]])
  func `who has to sign in anew is not let through by the old session`(change: [String: String]) async throws
  {
    try await OpenIDFixture.run { world in
      let session = try await world.local.signIn("ada")
      world.local.clock.advance(by: 60)
      let sent = try await lead(world, change, session: session)
      #expect(sent.isPage && sent.parameters["ForceAuth"] == "true")
      let back = try interaction(sent.parameters)
      // Sent to sign in once more, a browser that signs in by itself would never come to an end.
      let early = try await world.get("/authorize", back, session: session).target()
      #expect(early.address == OpenIDFixture.appAddress && early.parameters["error"] == "login_required")
      world.local.clock.advance(by: 10)
      let newer = try await world.local.signIn("ada")
      #expect(try await world.get("/authorize", back, session: newer).target().parameters["code"] != nil)
    }
  }

  @Test func `an acr value asks for its journey, and the ID token says which was reached`() async throws {
    try await OpenIDFixture.run { world in
      let session = try await world.local.signIn("ada")
      let sent = try await lead(world, ["acr_values": "urn:unknown urn:strong"], session: session)
      #expect(sent.isPage && sent.parameters["service"] == "TwoSteps")
      let back = try interaction(sent.parameters)
      // Who comes back as before has not reached it.
      let same = try await world.get("/authorize", back, session: session).target().parameters
      #expect(same["error"] == "unmet_authentication_requirements")

      let server = world.local
      var step = try await server.start("TwoSteps")
      for text in ["ada", "ada-password", "x"] {
        step = try await server.call(
          .post, "\(LocalServer.alpha)/authenticate", body: LocalServer.reply(to: step, text))
      }
      let strong = try #require(step["tokenId"]?.stringValue)
      let code = try #require(
        try await world.get("/authorize", back, session: strong).target().parameters["code"])
      let tokens = try await world.redeem(code).json
      #expect(try await world.claims(tokens["id_token"]?.stringValue, type: "JWT")["acr"] == "urn:strong")
      let unknown = try await lead(world, ["acr_values": "urn:unknown"], session: nil)
      #expect(unknown.parameters["error"] == "unmet_authentication_requirements")
    }
  }

  @Test(arguments: [["prompt": "login"], ["prompt": "select_account"], ["max_age": "600"]])
  func `who has to sign in anew is told so although nobody is signed in here yet`(
    change: [String: String]
  ) async throws {
    // They may be signed in at a provider that the journey asks.
    try await OpenIDFixture.run { world async throws in
      #expect(try await lead(world, change, session: nil).parameters["ForceAuth"] == "true")
      #expect(try await lead(world, [:], session: nil).parameters["ForceAuth"] == nil)
    }
  }

  @Test func `a hint of another person's ID token gives no code for who is signed in`() async throws {
    try await OpenIDFixture.run { world in
      let (ada, bob) = (try await world.local.signIn("ada"), try await world.local.signIn("bob"))
      let hint = try #require(try await world.tokens(session: ada)["id_token"]?.stringValue)
      // Also when it is old.
      world.local.clock.advance(by: 600)
      let other = try await lead(world, ["id_token_hint": hint, "prompt": "none"], session: bob)
      #expect(!other.isPage && other.parameters["error"] == "login_required")
      let own = try await lead(world, ["id_token_hint": hint, "prompt": "none"], session: ada)
      #expect(own.parameters["code"] != nil)

      let sent = try await lead(world, ["id_token_hint": hint], session: bob)
      #expect(sent.isPage && sent.parameters["ForceAuth"] == "true")
      let back = try interaction(sent.parameters)
      let same = try await world.get("/authorize", back, session: bob).target().parameters
      #expect(same["error"] == "login_required" && same["code"] == nil)
      #expect(try await world.get("/authorize", back, session: ada).target().parameters["code"] != nil)

      for bad in ["x", hint.dropLast(4) + "AAAA"] {
        let refused = try await lead(world, ["id_token_hint": String(bad)], session: ada)
        #expect(!refused.isPage && refused.parameters["error"] == "invalid_request")
      }
      // A pushed request keeps the person, too.
      let pushed = try await world.post(
        "/par", OpenIDFixture.appRequest.merging(["id_token_hint": hint, "prompt": "none"]) { $1 })
      let request = ["client_id": "app", "request_uri": try #require(pushed["request_uri"])]
      let answer = try await world.get("/authorize", request, session: bob).target().parameters
      #expect(answer["error"] == "login_required")
      let push = OpenIDFixture.appRequest.merging(["id_token_hint": "x"]) { $1 }
      #expect(try await world.post("/par", push).error == "invalid_request")
    }
  }

  @Test func `a request that somebody has prepared is not answered in another browser`() async throws {
    try await OpenIDFixture.run { world in
      let sent = try await lead(world, ["prompt": "login"], session: nil)
      let back = try interaction(sent.parameters)
      world.local.clock.advance(by: 10)
      let session = try await world.local.signIn("ada")
      let own = world.waitingCookie.withLock { $0 }
      for cookie in [nil, "sealring-authorize=\(String(repeating: "A", count: 43))", "sealring-authorize="] {
        world.waitingCookie.withLock { $0 = cookie }
        let page = try await world.get("/authorize", back, session: session)
        #expect(page.status == 400 && page.headers[.location] == nil)
      }
      world.waitingCookie.withLock { $0 = own }
      #expect(try await world.get("/authorize", back, session: session).target().parameters["code"] != nil)
    }
  }

  @Test func `a session that the browser had before is no new sign-in, however young it is`() async throws {
    try await OpenIDFixture.run { world in
      // In the same moment: its time is not before the request's.
      let session = try await world.local.signIn("ada")
      let sent = try await lead(world, ["prompt": "login"], session: session)
      #expect(sent.isPage)
      let same = try await world.get("/authorize", try interaction(sent.parameters), session: session)
      #expect(try same.target().parameters["code"] == nil)
    }
  }

  @Test func `a sign-in between a pushed request and the browser's coming was not made for it`() async throws
  {
    try await OpenIDFixture.run { world in
      let pushed = try await world.post(
        "/par", OpenIDFixture.appRequest.merging(["prompt": "login"]) { $1 })
      #expect(pushed.status == 201, "\(pushed.text)")
      world.local.clock.advance(by: 10)
      let session = try await world.local.signIn("ada")
      world.local.clock.advance(by: 10)
      let page = try await world.get(
        "/authorize", ["client_id": "app", "request_uri": try #require(pushed["request_uri"])],
        session: session)
      #expect(try page.target().address.hasSuffix("/XUI/"))
    }
  }

  /// `StepUp` ends in success at level 1 for people who have no second factor that their client can use.
  @Test(
    arguments: [
      ("urn:mfa", "StepUp", 1, nil), ("urn:mfa", "StepUp", 2, "urn:mfa"), ("urn:mfa", "SignIn", 2, nil),
      ("urn:level", "StepUp", 1, nil), ("urn:level", "SignIn", 2, "urn:level"),
      ("urn:level", "StepUp", 3, "urn:level"),
    ] as [(String, String, Int, String?)])
  func `an acr value is a level, and not the name of a journey that may end below it`(
    asked: String, journey: String, level: Int, reached: String?
  ) async throws {
    try await OpenIDFixture.run { world in
      let server = world.local.server
      let account = UniversalID(username: "ada", realm: "alpha")
      let session = try await server.openID.sessions.issue(
        for: account, from: SessionAuthority.Origin(authLevel: level, service: journey, factors: ["password"])
      )
      let answer = try await lead(world, ["acr_values": asked], session: session.token.text)
      guard let reached else {
        #expect(answer.isPage && answer.parameters["service"] == "StepUp")
        return
      }
      let tokens = try await world.redeem(try #require(answer.parameters["code"])).json
      let claims = try await world.claims(tokens["id_token"]?.stringValue, type: "JWT")
      #expect(claims["acr"]?.stringValue == reached)
      #expect(claims["amr"] == ["pwd"])
    }
  }

  @Test func `a token names no acr value that its session has not reached`() async throws {
    try await OpenIDFixture.run { world in
      let session = try await world.local.server.openID.sessions.issue(
        for: UniversalID(username: "ada", realm: "alpha"),
        from: SessionAuthority.Origin(authLevel: 1, service: "StepUp", factors: ["password"]))
      let tokens = try await world.tokens(session: session.token.text)
      #expect(try await world.claims(tokens["id_token"]?.stringValue, type: "JWT")["acr"] == nil)
    }
  }

  @Test(arguments: [
    ("id.example.com", false), ("localhost.example.com", false), ("localhost:8080", true),
    ("127.0.0.1:8080", true), ("[::1]:80", true),
  ])
  func `without a public URL no other host's name becomes the issuer`(host: String, isIssuer: Bool)
    async throws
  {
    try await OpenIDFixture.run(
      on: .live,
      configure: {
        $0.publicURL = nil
        $0.host = "127.0.0.1"
      }
    ) { world in
      let query = OpenIDFixture.form(OpenIDFixture.appRequest)
      for path in ["/authorize?\(query)", "/.well-known/openid-configuration", "/connect/jwk_uri"] {
        let answer = try await RawConnection.open(to: world.local).closing(
          after: "GET \(OpenIDFixture.path)\(path) HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n\r\n")
        #expect(answer.hasPrefix("HTTP/1.1 400 ") != isIssuer, "\(path): \(answer.prefix(300))")
      }
    }
  }

  @Test func `what this server has not sealed for this realm goes nowhere`() async throws {
    try await OpenIDFixture.run { world in
      let session = try await world.local.signIn("ada")
      let sent = try await lead(world, [:], session: nil)
      let good = try #require(try interaction(sent.parameters)["interaction"])
      for text in [good.withAnotherStart, "https://evil.example/", "", String(good.dropLast(8))] {
        let page = try await world.get("/authorize", ["interaction": text], session: session)
        #expect(page.status == 400 && page.headers[.location] == nil)
      }
      let root = Page(
        try await world.local.client.executeRequest(
          uri: "/am/oauth2/realms/root/authorize?interaction=\(good)", method: .get,
          headers: [.cookie: "iPlanetDirectoryPro=\(session)"], body: nil))
      #expect(root.status == 400)
      // Another realm's session is nobody here.
      let administrator = try await world.local.signInAdministrator()
      #expect(try await lead(world, [:], session: administrator).isPage)
      world.local.clock.advance(by: AuthorizeEndpoint.patience)
      #expect(try await world.get("/authorize", ["interaction": good], session: session).status == 400)
    }
  }

  /// A letter like the last one makes one `Character` with the sign after it.
  @Test(arguments: ["", "&login_hint=ada", "&login_hint=ada\u{0D4E}"])
  func `a parameter that is there twice is refused`(between: String) async throws {
    try await OpenIDFixture.run { world in
      let query =
        OpenIDFixture.form(OpenIDFixture.appRequest) + between + "&redirect_uri=https%3A%2F%2Fevil.example"
      let page = Page(
        try await world.local.client.executeRequest(
          uri: "\(OpenIDFixture.path)/authorize?\(query)", method: .get, headers: [:], body: nil))
      #expect(page.status == 400 && page.headers[.location] == nil)
    }
  }

  // MARK: Consent

  private static let webRequest = [
    "client_id": "web", "redirect_uri": OpenIDFixture.webAddress, "scope": "openid email",
  ]

  @Test func `a person is asked once, and the answer is kept`() async throws {
    try await OpenIDFixture.run { world in
      let session = try await world.local.signIn("ada")
      let request = OpenIDFixture.appRequest.merging(Self.webRequest) { $1 }
      let none = try await world.get(
        "/authorize", request.merging(["prompt": "none"]) { $1 }, session: session)
      #expect(try none.target().parameters["error"] == "consent_required")

      let page = try await world.get("/authorize", request, session: session)
      #expect(page.status == 200 && page.text.contains("The &lt;shop&gt; wants to"))
      let policy = page.headers[.contentSecurityPolicy] ?? ""
      #expect(
        policy.contains("frame-ancestors 'none'")
          && policy.contains("form-action 'self' https://web.example.com;"))
      let ticket = try page.hidden("consent")

      // The page of one session is no use to another, nor without one.
      let other = try await world.local.signIn("bob")
      for stranger in [other, nil] {
        let answer = try await world.post(
          "/authorize", ["consent": ticket, "decision": "allow"], session: stranger)
        #expect(answer.status == 400 && answer.headers[.location] == nil)
      }
      let denied = try await world.post(
        "/authorize", ["consent": ticket, "decision": "deny"], session: session)
      #expect(try denied.target().parameters["error"] == "access_denied")
      let allowed = try await world.post(
        "/authorize", ["consent": ticket, "decision": "allow"], session: session)
      #expect(allowed.status == 303)
      let location = try #require(allowed.headers[.location])
      #expect(location.hasPrefix(OpenIDFixture.webAddress + "&code="))

      let again = try await world.get("/authorize", request, session: session)
      #expect(try again.target().parameters["code"] != nil)
      let asked = try await world.get(
        "/authorize", request.merging(["prompt": "consent"]) { $1 }, session: session)
      #expect(asked.status == 200)
    }
  }

  @Test func `a confidential client proves itself, and its opaque tokens say nothing by themselves`()
    async throws
  {
    try await OpenIDFixture.run({ json in
      var clients = json["clients"]?.arrayValue ?? []
      if var web = clients[1].objectValue {
        web["require_consent"] = false
        clients[1] = .object(web)
      }
      json["clients"] = .array(clients)
    }) { world in
      let session = try await world.local.signIn("ada")
      let code = try await world.code(Self.webRequest, session: session)
      let change = ["client_id": "", "redirect_uri": OpenIDFixture.webAddress]
      let unproven = try await world.redeem(code, change.merging(["client_id": "web"]) { $1 })
      #expect(unproven.status == 401 && unproven.error == "invalid_client")
      let inBody = try await world.redeem(
        code, change.merging(["client_id": "web", "client_secret": OpenIDFixture.webSecret]) { $1 })
      #expect(inBody.error == "invalid_client")
      let page = try await world.redeem(code, change, headers: OpenIDFixture.basic("web"))
      #expect(page.status == 200, "\(page.text)")
      let access = try #require(page["access_token"])
      #expect(!access.contains("."))
      #expect(try await world.userinfo(access).status == 200)
      #expect(try await world.introspect(access)["active"] == true)
    }
  }

  // MARK: Pushed requests

  private func push(
    _ world: OpenIDFixture, _ change: [String: String] = [:], assertion: String? = nil
  ) async throws -> Page {
    let own = [
      "client_id": "bank", "redirect_uri": "https://bank.example.com/cb", "scope": "openid",
      "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
      "client_assertion": try await assertionOrNew(assertion, world),
    ]
    return try await world.post(
      "/par", OpenIDFixture.appRequest.merging(own) { $1 }.merging(change) { $1 })
  }

  private func assertionOrNew(_ text: String?, _ world: OpenIDFixture) async throws -> String {
    if let text { return text }
    return try await world.assertion()
  }

  @Test func `a pushed request is good once, for its client, for a while`() async throws {
    try await OpenIDFixture.run { world in
      let session = try await world.local.signIn("ada")
      let pushed = try await push(world)
      #expect(pushed.status == 201 && pushed.json["expires_in"] == 90)
      let uri = try #require(pushed["request_uri"])
      let foreign = try await world.get(
        "/authorize", ["client_id": "other", "request_uri": uri], session: session)
      #expect(foreign.status == 400)
      let request = ["client_id": "bank", "request_uri": uri]
      let answer = try await world.get("/authorize", request, session: session)
      #expect(try answer.target().parameters["code"] != nil)
      #expect(try await world.get("/authorize", request, session: session).status == 400)

      let late = try #require(try await push(world)["request_uri"])
      world.local.clock.advance(by: 91)
      let over = try await world.get(
        "/authorize", ["client_id": "bank", "request_uri": late], session: session)
      #expect(over.status == 400)
    }
  }

  @Test func `who must push cannot do without, and what is wrong is said at once`() async throws {
    try await OpenIDFixture.run { world in
      let session = try await world.local.signIn("ada")
      let direct = try await world.authorize(
        ["client_id": "bank", "redirect_uri": "https://bank.example.com/cb", "scope": "openid"],
        session: session)
      #expect(direct["error"] == "invalid_request")
      #expect(
        try await push(world, ["redirect_uri": "https://bank.example.com/cb/"]).error == "invalid_request")
      #expect(try await push(world, ["scope": "email"]).error == "invalid_scope")
      let nested = try await push(world, ["request_uri": AuthorizeEndpoint.requestURN + "x"])
      #expect(nested.error == "invalid_request")
      #expect(try await push(world, assertion: "a.b.c").status == 401)
    }
  }
}
