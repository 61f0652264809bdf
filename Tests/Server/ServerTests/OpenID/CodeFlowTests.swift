import BindingFormats
import Bytes
import CommonFixtures
import Crypto
import Foundation
import HTTPTypes
import HummingbirdTesting
import JourneyStore
import StrictJSON
import Testing

@testable import Assembly
@testable import OpenIDProvider
@testable import Operations
@testable import ServerHTTP

@Suite("OpenID Connect: codes and tokens") struct CodeFlowTests {
  @Test func `somebody signs in for an app, which gets tokens by code and verifier`() async throws {
    try await OpenIDFixture.run { world in
      // Nobody is signed in yet: the page of journeys first, which goes on to the sealed request.
      let sent = try await world.get("/authorize", OpenIDFixture.appRequest)
      #expect(sent.status == 302)
      let page = try sent.target()
      #expect(page.address == "https://id.example.com/am/XUI/")
      #expect(page.parameters["realm"] == "/alpha" && page.parameters["ForceAuth"] == nil)
      let goto = try #require(page.parameters["goto"])
      #expect(goto.hasPrefix(OpenIDFixture.issuer + "/authorize?interaction="))

      let session = try await world.local.signIn("ada")
      let interaction = String(goto.drop { $0 != "=" }.dropFirst())
      let back = try await world.get("/authorize", ["interaction": interaction], session: session)
      let (address, answer) = try back.target()
      #expect(address == OpenIDFixture.appAddress)
      #expect(answer["state"] == "a state" && answer["iss"] == OpenIDFixture.issuer)

      let page2 = try await world.redeem(try #require(answer["code"]))
      #expect(page2.status == 200 && page2.headers[.cacheControl] == "no-store")
      let tokens = page2.json
      #expect(tokens["token_type"] == "Bearer" && tokens["expires_in"] == 300)
      #expect(tokens["scope"] == "openid email")
      let id = try await world.claims(tokens["id_token"]?.stringValue, type: "JWT")
      let user = try #require(try await world.local.store.user(named: "ada", realm: "alpha"))
      #expect(id["iss"]?.stringValue == OpenIDFixture.issuer && id["aud"] == "app")
      #expect(id["sub"]?.stringValue == user.id && user.id != "ada")
      #expect(id["nonce"] == "a nonce" && id["amr"] == ["pwd"])
      #expect(id["auth_time"]?.integerValue == Int64(LocalServer.morning.timeIntervalSince1970))
      #expect(id["sid"]?.stringValue?.isEmpty == false && id["email"] == nil)
      let access = try await world.claims(tokens["access_token"]?.stringValue, type: "at+jwt")
      #expect(access["client_id"] == "app" && access["sub"] == id["sub"] && access["jti"] != nil)
      #expect(access["aud"]?.stringValue == OpenIDFixture.issuer)

      let info = try await world.userinfo(try #require(tokens["access_token"]?.stringValue))
      #expect(info.json == ["sub": .string(user.id), "email": "ada@example.com", "email_verified": false])
    }
  }

  @Test(arguments: [
    "https://app.example.com/cb/", "https://app.example.com/CB", "https://app.example.com:443/cb",
    "https://APP.example.com/cb", "http://app.example.com/cb", "https://app.example.com/cb?a=b",
    "https://app.example.com/cb#x", "https://app.example.com.evil.example/cb", "javascript:alert(1)",
    "https://app.example.com/%63b", " https://app.example.com/cb",
  ])
  func `a redirect address that differs in anything leads nowhere`(uri: String) async throws {
    try await OpenIDFixture.run { world in
      let session = try await world.local.signIn("ada")
      var request = OpenIDFixture.appRequest
      request["redirect_uri"] = uri
      let page = try await world.get("/authorize", request, session: session)
      #expect(page.status == 400 && page.headers[.location] == nil)
      #expect(!page.text.contains("evil"))
      request["client_id"] = "stranger"
      #expect(try await world.get("/authorize", request, session: session).headers[.location] == nil)
    }
  }

  @Test func `a public client needs a challenge, of SHA-256`() async throws {
    try await OpenIDFixture.run { world in
      let session = try await world.local.signIn("ada")
      for change in [
        ["code_challenge": ""], ["code_challenge_method": "plain"], ["code_challenge_method": ""],
        ["code_challenge": "short"],
      ] {
        let answer = try await world.authorize(change, session: session)
        #expect(answer["error"] == "invalid_request" && answer["code"] == nil)
        #expect(answer["state"] == "a state" && answer["iss"] == OpenIDFixture.issuer)
      }
      for (change, error) in [
        (["response_type": "token"], "unsupported_response_type"),
        (["scope": "openid admin"], "invalid_scope"), (["request": "x.y.z"], "request_not_supported"),
        (["prompt": "none login"], "invalid_request"), (["max_age": "-1"], "invalid_request"),
      ] {
        #expect(try await world.authorize(change, session: session)["error"] == error)
      }
    }
  }

  @Test(arguments: ["", "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXX", "short"])
  func `a wrong verifier gets nothing, and uses the code up`(verifier: String) async throws {
    try await OpenIDFixture.run { world in
      let code = try await world.code(session: try await world.local.signIn("ada"))
      let refused = try await world.redeem(code, ["code_verifier": verifier])
      #expect(refused.status == 400 && refused.error == "invalid_grant")
      #expect(try await world.redeem(code).error == "invalid_grant")
    }
  }

  @Test func `a code that comes a second time ends the tokens that it gave`() async throws {
    try await OpenIDFixture.run { world in
      let session = try await world.local.signIn("ada")
      let code = try await world.code(session: session)
      let tokens = try await world.redeem(code).json
      let access = try #require(tokens["access_token"]?.stringValue)
      #expect(try await world.userinfo(access).status == 200)
      #expect(try await world.redeem(code).error == "invalid_grant")
      let refused = try await world.userinfo(access)
      #expect(refused.status == 401 && refused.error == "invalid_token")
      #expect(try await world.introspect(access) == ["active": false])
      let refresh = try #require(tokens["refresh_token"]?.stringValue)
      #expect(try await world.refresh(refresh).error == "invalid_grant")
    }
  }

  @Test func `another client cannot use a code, nor use it up`() async throws {
    try await OpenIDFixture.run { world in
      let code = try await world.code(session: try await world.local.signIn("ada"))
      let stolen = try await world.redeem(code, ["client_id": ""], headers: OpenIDFixture.basic("other"))
      #expect(stolen.status == 400 && stolen.error == "invalid_grant")
      #expect(try await world.redeem(code).status == 200)
    }
  }

  @Test func `of fifty requests at once with one code at most one gets tokens, and none keeps them`()
    async throws
  {
    try await OpenIDFixture.run { world in
      let code = try await world.code(session: try await world.local.signIn("ada"))
      let pages = try await withThrowingTaskGroup(of: Page.self) { group in
        for _ in 0..<50 { group.addTask { try await world.redeem(code) } }
        return try await group.reduce(into: [Page]()) { $0.append($1) }
      }
      let given = pages.compactMap { $0["access_token"] }
      #expect(given.count <= 1)
      for token in given { #expect(try await world.userinfo(token).status == 401) }
    }
  }

  @Test func `codes and access tokens end with their time`() async throws {
    try await OpenIDFixture.run { world in
      let session = try await world.local.signIn("ada")
      let code = try await world.code(session: session)
      let access = try #require(try await world.tokens(session: session)["access_token"]?.stringValue)
      world.local.clock.advance(by: 61)
      #expect(try await world.redeem(code).error == "invalid_grant")
      #expect(try await world.userinfo(access).status == 200)
      world.local.clock.advance(by: 240)
      #expect(try await world.userinfo(access).status == 401)
    }
  }

  // MARK: Refresh

  @Test func `a refresh token that comes a second time ends its whole family`() async throws {
    try await OpenIDFixture.run { world in
      let tokens = try await world.tokens(session: try await world.local.signIn("ada"))
      let first = try #require(tokens["refresh_token"]?.stringValue)
      let page = try await world.refresh(first)
      #expect(page.status == 200)
      let second = try #require(page["refresh_token"])
      #expect(second != first)
      #expect(try await world.claims(page["id_token"], type: "JWT")["nonce"] == nil)
      let narrow = try await world.refresh(second, ["scope": "openid"])
      #expect(narrow["scope"] == "openid")
      let third = try #require(narrow["refresh_token"])
      #expect(try await world.refresh(third, ["scope": "openid profile"]).error == "invalid_scope")

      #expect(try await world.refresh(first).error == "invalid_grant")
      #expect(try await world.refresh(third).error == "invalid_grant")
      #expect(try await world.userinfo(try #require(narrow["access_token"])).status == 401)
    }
  }

  @Test func `a refresh token is its own client's`() async throws {
    try await OpenIDFixture.run { world in
      let tokens = try await world.tokens(session: try await world.local.signIn("ada"))
      let refresh = try #require(tokens["refresh_token"]?.stringValue)
      let stolen = try await world.post(
        "/access_token", ["grant_type": "refresh_token", "refresh_token": refresh],
        headers: OpenIDFixture.basic("other"))
      #expect(stolen.error == "invalid_grant")
      _ = try await world.post("/token/revoke", ["token": refresh], headers: OpenIDFixture.basic("other"))
      #expect(try await world.refresh(refresh).status == 200)
    }
  }

  /// What ends tokens, and whether those for offline use go on.
  @Test(
    arguments: [
      "sign-out", "all sign-outs", "time", "password", "inactive", "inactive for a while", "deleted",
    ], [false, true])
  func `what ends a person's session ends the tokens`(cause: String, isOffline: Bool) async throws {
    try await OpenIDFixture.run { world in
      let (server, session) = (world.local, try await world.local.signIn("ada"))
      let scope = isOffline ? "openid offline_access" : "openid"
      let tokens = try await world.tokens(["scope": scope], session: session)
      let refresh = try #require(tokens["refresh_token"]?.stringValue)
      let administrator = try await server.signInAdministrator()
      switch cause {
      case "sign-out":
        _ = try await server.call(
          .post, "\(LocalServer.alpha)/sessions?_action=logout", token: session, body: [:])
      case "all sign-outs":
        _ = try await server.call(
          .post, "\(LocalServer.alpha)/sessions?_action=logoutByUser", token: administrator,
          body: ["username": "ada"])
      case "time": server.clock.advance(by: 1801)
      case "password":
        _ = try await server.call(
          .put, "\(LocalServer.alpha)/users/ada", token: administrator,
          body: ["userpassword": "another password"])
      case "inactive", "inactive for a while":
        for status in cause == "inactive" ? ["Inactive"] : ["Inactive", "Active"] {
          let changed = try await server.call(
            .put, "\(LocalServer.alpha)/users/ada", token: administrator,
            body: ["inetUserStatus": .string(status)])
          #expect(changed.status == 200)
        }
      default: _ = try await server.store.deleteUser(UniversalID(username: "ada", realm: "alpha"))
      }
      let page = try await world.refresh(refresh)
      #expect((page.status == 200) == (isOffline && cause == "time"), "\(page.text)")
    }
  }

  @Test func `revocation ends a grant, by either of its tokens, and says nothing of others`() async throws {
    try await OpenIDFixture.run { world in
      let session = try await world.local.signIn("ada")
      for name in ["access_token", "refresh_token"] {
        let tokens = try await world.tokens(session: session)
        let page = try await world.post(
          "/token/revoke", ["client_id": "app", "token": try #require(tokens[name]?.stringValue)])
        #expect(page.status == 200)
        #expect(try await world.userinfo(try #require(tokens["access_token"]?.stringValue)).status == 401)
        #expect(
          try await world.refresh(try #require(tokens["refresh_token"]?.stringValue)).error
            == "invalid_grant")
      }
      let unknown = try await world.post("/token/revoke", ["client_id": "app", "token": "nothing"])
      #expect(unknown.status == 200)
    }
  }

  // MARK: Introspection

  @Test func `introspection is for clients that prove themselves, of tokens that concern them`() async throws
  {
    try await OpenIDFixture.run { world in
      let tokens = try await world.tokens(session: try await world.local.signIn("ada"))
      let access = try #require(tokens["access_token"]?.stringValue)
      let answer = try await world.introspect(access)
      #expect(answer["active"] == true && answer["client_id"] == "app" && answer["username"] == "ada")
      #expect(answer["token_type"] == "Bearer" && answer["scope"] == "openid email")
      #expect(try await world.introspect(access, as: "other") == ["active": false])
      let refresh = try #require(tokens["refresh_token"]?.stringValue)
      // Nobody hands another client a refresh token, whatever that client may read.
      #expect(try await world.introspect(refresh) == ["active": false])
      let own = try await world.redeem(
        try await world.code(
          ["client_id": "other", "redirect_uri": "https://other.example.com/cb", "scope": "openid"],
          session: try await world.local.signIn("ada")),
        ["client_id": "", "redirect_uri": "https://other.example.com/cb"],
        headers: OpenIDFixture.basic("other"))
      let itsOwn = try await world.introspect(try #require(own["refresh_token"]), as: "other")
      #expect(itsOwn["token_type"] == "refresh_token" && itsOwn["client_id"] == "other")
      let open = try await world.post("/introspect", ["token": access, "client_id": "app"])
      #expect(open.status == 401 && open.error == "invalid_client")
      let wrong = try await world.post(
        "/introspect", ["token": access], headers: OpenIDFixture.basic("web", "wrong"))
      #expect(wrong.status == 401 && wrong.headers[.wwwAuthenticate]?.hasPrefix("Basic") == true)
      #expect(try await world.introspect(String(access.dropLast(4)) + "AAAA") == ["active": false])
    }
  }

  // MARK: Keys

  @Test func `a key is published before it signs and after, and then no more`() async throws {
    try await OpenIDFixture.run { world in
      func published() async throws -> [String] {
        (try await world.get("/connect/jwk_uri").json["keys"]?.arrayValue ?? [])
          .compactMap { $0["kid"]?.stringValue }
      }
      let before = try await published()
      #expect(before.count == 3 && Set(before).count == 3)
      let provider = world.local.server.openID
      #expect(try await provider.keys.current().id == before[0])
      world.local.clock.advance(by: TokenKeys.period)
      let after = try await published()
      #expect(try await provider.keys.current().id == before[1])
      #expect(after[0] == before[1] && after[2] == before[0])
      world.local.clock.advance(by: TokenKeys.period)
      try await provider.removeExpired()
      #expect(try await !published().contains(before[0]))
    }
  }

  @Test func `a realm with an address of its own is an issuer there, whatever host the request names`()
    async throws
  {
    try await OpenIDFixture.run(configure: { $0.realmURLs = ["alpha": "https://alpha.example.com/am"] }) {
      world in
      let json = try await world.get(
        "/.well-known/openid-configuration",
        headers: ["X-Forwarded-Host": "evil.example", "Forwarded": "host=evil.example;proto=http"]
      ).json
      let issuer = "https://alpha.example.com/am/oauth2/realms/root/realms/alpha"
      #expect(json["issuer"]?.stringValue == issuer)
      #expect(json["jwks_uri"]?.stringValue == issuer + "/connect/jwk_uri")
      let root = Page(
        try await world.local.client.executeRequest(
          uri: "/am/oauth2/.well-known/openid-configuration", method: .get, headers: [:], body: nil))
      #expect(root["issuer"] == "https://id.example.com/am/oauth2")
    }
  }

  @Test func `clients find out what there is`() async throws {
    try await OpenIDFixture.run { world in
      let json = try await world.get("/.well-known/openid-configuration").json
      #expect(json["issuer"]?.stringValue == OpenIDFixture.issuer)
      #expect(json["token_endpoint"]?.stringValue == OpenIDFixture.issuer + "/access_token")
      #expect(json["acr_values_supported"] == ["urn:level", "urn:mfa", "urn:strong"])
      let root = Page(
        try await world.local.client.executeRequest(
          uri: "/am/oauth2/.well-known/openid-configuration", method: .get, headers: [:], body: nil))
      #expect(root["issuer"] == "https://id.example.com/am/oauth2")
      let short = Page(
        try await world.local.client.executeRequest(
          uri: "/am/oauth2/alpha/.well-known/openid-configuration", method: .get, headers: [:], body: nil))
      #expect(short["issuer"] == "https://id.example.com/am/oauth2/alpha")
    }
  }
}
