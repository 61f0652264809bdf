import CommonFixtures
import Foundation
import HTTPTypes
import ProofFixtures
import StrictJSON
import Testing

@Suite("OpenID Connect: tokens bound to a key (RFC 9449)") struct BoundTokenTests {
  @Test func `a token bound to a key is nothing without it`() async throws {
    try await OpenIDFixture.run { world in
      let (key, thief) = (try KeyHolder(), try KeyHolder())
      let code = try await world.code(session: try await world.local.signIn("ada"))
      let page = try await world.redeem(code, headers: try await key.header())
      #expect(page.status == 200 && page["token_type"] == "DPoP", "\(page.text)")
      let access = try #require(page["access_token"])
      let claims = try await world.claims(access, type: "at+jwt")
      #expect(claims["cnf"]?["jkt"]?.stringValue == key.thumbprint)
      #expect(try await world.introspect(access)["cnf"]?["jkt"]?.stringValue == key.thumbprint)
      #expect(try await world.introspect(access)["token_type"] == "DPoP")

      func ask(_ headers: [String: String], scheme: String = "DPoP") async throws -> Int {
        try await world.userinfo(access, scheme: scheme, headers: headers).status
      }
      #expect(try await ask(key.header("GET", "/userinfo", token: access)) == 200)
      #expect(try await ask(thief.header("GET", "/userinfo", token: access)) == 401)
      #expect(try await ask([:]) == 401)
      #expect(try await ask([:], scheme: "Bearer") == 401)
      #expect(try await ask(key.header("GET", "/userinfo", token: access), scheme: "Bearer") == 401)
      #expect(try await ask(key.header("GET", "/userinfo")) == 401)
      #expect(try await ask(key.header("GET", "/userinfo", token: "another")) == 401)
      #expect(try await ask(key.header("POST", "/userinfo", token: access)) == 401)
      #expect(try await ask(key.header("GET", "/introspect", token: access)) == 401)
      let once = try await key.header("GET", "/userinfo", token: access)
      #expect(try await ask(once) == 200)
      #expect(try await ask(once) == 401)
    }
  }

  @Test func `an unbound token is not taken in the scheme of bound ones`() async throws {
    try await OpenIDFixture.run { world in
      let tokens = try await world.tokens(session: try await world.local.signIn("ada"))
      let access = try #require(tokens["access_token"]?.stringValue)
      let headers = try await KeyHolder().header("GET", "/userinfo", token: access)
      #expect(try await world.userinfo(access, scheme: "DPoP", headers: headers).status == 401)
    }
  }

  @Test func `a public client's refresh token is bound, too`() async throws {
    try await OpenIDFixture.run { world in
      let key = try KeyHolder()
      let code = try await world.code(session: try await world.local.signIn("ada"))
      let page = try await world.redeem(code, headers: try await key.header())
      let refresh = try #require(page["refresh_token"])
      #expect(try await world.refresh(refresh).error == "invalid_grant")
      #expect(try await world.refresh(refresh, headers: KeyHolder().header()).error == "invalid_grant")
      // Whoever stole it has not used it up.
      let next = try await world.refresh(refresh, headers: key.header())
      #expect(next.status == 200 && next["token_type"] == "DPoP")
    }
  }

  @Test func `a public client's refresh token that was not bound is, with the first proof`() async throws {
    try await OpenIDFixture.run { world in
      let (key, thief) = (try KeyHolder(), try KeyHolder())
      let session = try await world.local.signIn("ada")
      let first = try #require(
        try await world.tokens(["scope": "openid offline_access"], session: session)["refresh_token"]?
          .stringValue)
      let unbound = try #require(try await world.refresh(first, ["scope": "openid"])["refresh_token"])
      let page = try await world.refresh(unbound, headers: key.header())
      // All that was granted, though the renewal before was for less.
      #expect(page["token_type"] == "DPoP" && page["scope"] == "openid offline_access", "\(page.text)")
      let bound = try #require(page["refresh_token"])
      #expect(try await world.refresh(bound, headers: thief.header()).error == "invalid_grant")
      #expect(try await world.refresh(bound).error == "invalid_grant")
      #expect(try await world.refresh(bound, headers: key.header()).status == 200)
    }
  }

  @Test func `a thief who binds a refresh token to his key loses it when its owner comes`() async throws {
    try await OpenIDFixture.run { world in
      let thief = try KeyHolder()
      let tokens = try await world.tokens(session: try await world.local.signIn("ada"))
      let refresh = try #require(tokens["refresh_token"]?.stringValue)
      let stolen = try await world.refresh(refresh, headers: thief.header())
      let next = try #require(stolen["refresh_token"])
      #expect(try await world.refresh(refresh).error == "invalid_grant")
      #expect(try await world.refresh(next, headers: thief.header()).error == "invalid_grant")
      #expect(
        try await world.introspect(try #require(stolen["access_token"])) == ["active": false])
    }
  }

  @Test func `a code can be bound to the key before it is given`() async throws {
    try await OpenIDFixture.run { world in
      let (key, session) = (try KeyHolder(), try await world.local.signIn("ada"))
      let bound = ["dpop_jkt": key.thumbprint]
      for headers in [[:], try await KeyHolder().header()] {
        let code = try await world.code(bound, session: session)
        #expect(try await world.redeem(code, headers: headers).error == "invalid_grant")
      }
      let code = try await world.code(bound, session: session)
      #expect(try await world.redeem(code, headers: key.header()).status == 200)
    }
  }

  @Test func `a proof is used once, also by many at once, and a bad one uses no code up`() async throws {
    try await OpenIDFixture.run { world in
      let (key, session) = (try KeyHolder(), try await world.local.signIn("ada"))
      let proof = try await key.header()
      let code = try await world.code(session: session)
      let pages = try await withThrowingTaskGroup(of: Page.self) { group in
        for _ in 0..<10 { group.addTask { try await world.refresh("none", headers: proof) } }
        return try await group.reduce(into: [Page]()) { $0.append($1) }
      }
      #expect(pages.count { $0.error == "invalid_grant" } == 1)
      #expect(pages.count { $0.error == "invalid_dpop_proof" } == 9)
      for headers in [
        proof, ["DPoP": "x"], try await key.header("GET"), try await key.header("POST", "/par"),
      ] {
        let page = try await world.redeem(code, headers: headers)
        #expect(page.status == 400 && page.error == "invalid_dpop_proof")
      }
      world.local.clock.advance(by: 61)
      #expect(try await world.redeem(code, headers: key.header()).error == "invalid_dpop_proof")
    }
  }

  @Test func `a client that is registered for bound tokens gets no others, and a nonce if wanted`()
    async throws
  {
    try await OpenIDFixture.run({ json in
      json["require_dpop_nonce"] = true
      var clients = json["clients"]?.arrayValue ?? []
      if var app = clients[0].objectValue {
        app["dpop_bound_access_tokens"] = true
        clients[0] = .object(app)
      }
      json["clients"] = .array(clients)
    }) { world in
      let key = try KeyHolder()
      let code = try await world.code(session: try await world.local.signIn("ada"))
      #expect(try await world.redeem(code).error == "invalid_dpop_proof")
      let asked = try await world.redeem(code, headers: key.header())
      #expect(asked.status == 400 && asked.error == "use_dpop_nonce")
      let header = try #require(HTTPField.Name("DPoP-Nonce"))
      let nonce = try #require(asked.headers[header])
      #expect(try await world.redeem(code, headers: key.header(nonce: nonce + "x")).error == "use_dpop_nonce")
      #expect(try await world.redeem(code, headers: key.header(nonce: nonce)).status == 200)
    }
  }
}
