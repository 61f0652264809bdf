import CommonFixtures
import Foundation
import JourneyStore
import ProofFixtures
import SecurityEvents
import StrictJSON
import Testing

@testable import Assembly
@testable import OpenIDProvider
@testable import Operations
@testable import ServerHTTP

@Suite("OpenID Connect: tokens of a client for itself") struct ClientTokenTests {
  /// `other`, registered for it, with scopes of its own.
  private static func register(_ file: inout JSONObject, opaque: Bool = false) {
    var clients = file["clients"]?.arrayValue ?? []
    guard var client = clients[3].objectValue else { return }
    client["grant_types"] = ["client_credentials"]
    client["redirect_uris"] = nil
    client["scope"] = "openid email reports:read reports:write"
    client["access_token_format"] = opaque ? "opaque" : "jwt"
    clients[3] = .object(client)
    file["clients"] = .array(clients)
  }

  private static func ask(
    _ world: OpenIDFixture, _ change: [String: String] = [:], as client: String = "other",
    headers: [String: String] = [:]
  ) async throws -> Page {
    try await world.post(
      "/access_token", ["grant_type": "client_credentials"].merging(change) { $1 },
      headers: OpenIDFixture.basic(client).merging(headers) { $1 })
  }

  @Test(arguments: [false, true])
  func `a client gets a token about itself, that ends with its time, and with its registration`(opaque: Bool)
    async throws
  {
    try await OpenIDFixture.run({ Self.register(&$0, opaque: opaque) }) { world async throws in
      let page = try await Self.ask(world)
      #expect(page.status == 200 && page["token_type"] == "Bearer", "\(page.text)")
      #expect(page["refresh_token"] == nil && page["id_token"] == nil)
      #expect(page["scope"] == "reports:read reports:write")
      let access = try #require(page["access_token"])
      #expect(access.contains(".") != opaque)
      if !opaque {
        let claims = try await world.claims(access, type: "at+jwt")
        #expect(claims["sub"] == "other" && claims["client_id"] == "other" && claims["grant"] == nil)
      }
      let told = try await world.introspect(access)
      #expect(told["active"] == true && told["sub"] == "other" && told["username"] == nil)
      #expect(try await world.introspect(access, as: "other")["active"] == true)
      #expect(try await world.userinfo(access).status == 401)
      let revoked = try await world.post(
        "/token/revoke", ["token": access], headers: OpenIDFixture.basic("other"))
      #expect(revoked.error == "unsupported_token_type")
      let foreign = try await world.post(
        "/token/revoke", ["token": access], headers: OpenIDFixture.basic("web"))
      #expect(foreign.status == 200)
      world.local.clock.advance(by: 300)
      #expect(try await world.introspect(access) == ["active": false])
    }
  }

  @Test func `it asks for its own scopes only, and for none that is about a person`() async throws {
    try await OpenIDFixture.run({ Self.register(&$0) }) { world async throws in
      #expect(try await Self.ask(world, ["scope": "reports:read"])["scope"] == "reports:read")
      for scope in ["openid", "email reports:read", "offline_access", "reports:delete", "profile"] {
        #expect(try await Self.ask(world, ["scope": scope]).error == "invalid_scope", "\(scope)")
      }
    }
  }

  @Test func `who is not registered for it, or proves nothing, gets none`() async throws {
    try await OpenIDFixture.run({ Self.register(&$0) }) { world async throws in
      #expect(try await Self.ask(world, as: "web").error == "unauthorized_client")
      let wrong = try await world.post(
        "/access_token", ["grant_type": "client_credentials"], headers: OpenIDFixture.basic("other", "no"))
      #expect(wrong.status == 401 && wrong.error == "invalid_client")
      let open = try await world.post(
        "/access_token", ["grant_type": "client_credentials", "client_id": "app"])
      #expect(open.error == "unauthorized_client")
    }
    await #expect(throws: (any Error).self, "a public client") {
      try await OpenIDFixture.run({ file in
        var clients = file["clients"]?.arrayValue ?? []
        var app = clients[0].objectValue ?? [:]
        app["grant_types"] = ["client_credentials"]
        clients[0] = .object(app)
        file["clients"] = .array(clients)
      }) { _ in }
    }
  }

  @Test func `a person's token is never a client's, nor the other way round`() async throws {
    try await OpenIDFixture.run({ Self.register(&$0) }) { world async throws in
      let tokens = try await world.tokens(session: try await world.local.signIn("ada"))
      let person = try #require(tokens["access_token"]?.stringValue)
      #expect(try await world.introspect(person)["username"] == "ada")
      let own = try #require(try await Self.ask(world)["access_token"])
      #expect(try await world.refresh(own).error == "invalid_grant")
      #expect(try await world.redeem(own).error == "invalid_grant")
    }
  }

  @Test func `with a proof it is bound to the key`() async throws {
    try await OpenIDFixture.run({ Self.register(&$0) }) { world async throws in
      let key = try KeyHolder()
      let page = try await Self.ask(world, headers: try await key.header())
      #expect(page["token_type"] == "DPoP")
      let told = try await world.introspect(try #require(page["access_token"]))
      #expect(told["cnf"]?["jkt"]?.stringValue == key.thumbprint && told["token_type"] == "DPoP")
    }
  }
}

@Suite("OpenID Connect: what is told of stolen tokens and keys") struct TokenMisuseTests {
  @Test func `a code, a refresh token and a proof that come a second time are told to those who watch`()
    async throws
  {
    let events = RecordedEvents()
    try await OpenIDFixture.run(configure: { $0.eventSink = events }) { world async throws in
      func kinds() -> [String?] { events.of(.tokenMisused).map { $0.detail["kind"]?.stringValue } }
      let session = try await world.local.signIn("ada")
      let code = try await world.code(session: session)
      _ = try await world.redeem(code)
      #expect(kinds().isEmpty)
      _ = try await world.redeem(code)
      #expect(kinds() == ["code"])
      let told = try #require(events.of(.tokenMisused).first)
      #expect(told.account == "ada" && told.realm == "alpha" && told.detail["client"] == "app")
      #expect(told.outcome == .refused)

      let tokens = try await world.tokens(session: session)
      let refresh = try #require(tokens["refresh_token"]?.stringValue)
      _ = try await world.refresh(refresh)
      _ = try await world.refresh(refresh)
      #expect(kinds() == ["code", "refresh-token"])

      let key = try KeyHolder()
      let headers = try await key.header()
      _ = try await world.redeem(try await world.code(session: session), headers: headers)
      _ = try await world.redeem(try await world.code(session: session), headers: headers)
      #expect(kinds() == ["code", "refresh-token", "dpop-proof"])
      // What was never given out tells nothing of a thief.
      _ = try await world.redeem("invented")
      _ = try await world.refresh("invented")
      #expect(kinds().count == 3)

      let assertion = try await world.assertion()
      for _ in 0..<2 { _ = try await world.answer(to: assertion) }
      #expect(kinds().last == "client-assertion" && kinds().count == 4)
      #expect(events.of(.tokenMisused).last?.detail["client"] == "bank")
    }
  }

  @Test func `a code that only comes late is no theft`() async throws {
    let events = RecordedEvents()
    try await OpenIDFixture.run(configure: { $0.eventSink = events }) { world async throws in
      let session = try await world.local.signIn("ada")
      let (late, used) = (try await world.code(session: session), try await world.code(session: session))
      let access = try #require(try await world.redeem(used)["access_token"])
      world.local.clock.advance(by: 61)
      #expect(try await world.redeem(late).error == "invalid_grant")
      #expect(events.of(.tokenMisused).isEmpty)
      // One that was used is, however late it comes again.
      #expect(try await world.redeem(used).error == "invalid_grant")
      #expect(events.of(.tokenMisused).count == 1)
      #expect(try await world.userinfo(access).status == 401)
    }
  }

  @Test func `keys that are ended sign no more, and what they signed is refused`() async throws {
    try await OpenIDFixture.run { world async throws in
      let session = try await world.local.signIn("ada")
      let tokens = try await world.tokens(session: session)
      let access = try #require(tokens["access_token"]?.stringValue)
      let refresh = try #require(tokens["refresh_token"]?.stringValue)
      let provider = world.local.server.openID
      let old = Set(try await provider.keys.published().map(\.id))
      let store = world.local.server.store
      try await TokenKeys.end(in: store)
      world.local.clock.advance(by: TokenKeys.memory)
      let new = try await provider.keys.published().map(\.id)
      #expect(Set(new).count == 3 && old.isDisjoint(with: new))
      #expect(try await world.userinfo(access).status == 401)
      #expect(try await world.introspect(access) == ["active": false])
      // The grant goes on, with a token of the new key.
      let next = try await world.refresh(refresh)
      #expect(next.status == 200)
      #expect(try await world.userinfo(try #require(next["access_token"])).status == 200)
    }
  }
}
