import BindingFormats
import CommonFixtures
import Concurrency
import Foundation
import HTTPTypes
import JourneyStore
import StrictJSON
import Testing

@testable import Assembly
@testable import OpenIDProvider
@testable import Operations
@testable import ServerHTTP

@Suite("OpenID Connect: sign-out") struct EndSessionTests {
  private func isAlive(_ world: OpenIDFixture, _ session: String) async throws -> Bool {
    try await world.local.server.openID.sessions.verify(session) != nil
  }

  @Test func `an ID token of the session signs out without a question, and leads back`() async throws {
    try await OpenIDFixture.run { world in
      let session = try await world.local.signIn("ada")
      let tokens = try await world.tokens(["scope": "openid offline_access"], session: session)
      let hint = try #require(tokens["id_token"]?.stringValue)
      // Also when it is old.
      world.local.clock.advance(by: 600)
      let page = try await world.get(
        "/connect/endSession",
        [
          "id_token_hint": hint, "post_logout_redirect_uri": "https://app.example.com/bye", "state": "s",
        ], session: session)
      let target = try page.target()
      #expect(target.address == "https://app.example.com/bye" && target.parameters == ["state": "s"])
      #expect(page.headers[.setCookie]?.hasPrefix("iPlanetDirectoryPro=\"\"") == true)
      #expect(try await !isAlive(world, session))
      #expect(
        try await world.refresh(try #require(tokens["refresh_token"]?.stringValue)).error == "invalid_grant")
    }
  }

  @Test func `a form of another site, which brings no cookie, takes none away`() async throws {
    try await OpenIDFixture.run { world in
      let page = try await world.post("/connect/endSession", [:])
      #expect(page.status == 200 && page.headers[values: .setCookie].isEmpty)
      // One that stands for nothing any more may go.
      let old = try await world.get("/connect/endSession", session: "sst_old")
      #expect(old.headers[values: .setCookie].contains { $0.hasPrefix("iPlanetDirectoryPro=") })
    }
  }

  @Test func `without the session's own ID token the person is asked, and an other's is refused`()
    async throws
  {
    try await OpenIDFixture.run { world in
      let (ada, bob) = (try await world.local.signIn("ada"), try await world.local.signIn("bob"))
      let hint = try #require(try await world.tokens(session: bob)["id_token"]?.stringValue)
      let foreign = try await world.get("/connect/endSession", ["id_token_hint": hint], session: ada)
      #expect(foreign.status == 400)
      #expect(try await isAlive(world, ada))
      for bad in ["x", hint.dropLast(4) + "AAAA", try #require(hint.split(separator: ".").first) + ".e30."] {
        let page = try await world.get(
          "/connect/endSession", ["id_token_hint": String(bad)], session: ada)
        #expect(page.status == 400)
      }
      let asked = try await world.get("/connect/endSession", session: ada)
      #expect(asked.status == 200)
      #expect(try await isAlive(world, ada))
      let ticket = try asked.hidden("confirmation")
      let stranger = try await world.post("/connect/endSession", ["confirmation": ticket], session: bob)
      #expect(stranger.status == 400)
      #expect(try await isAlive(world, bob))
      #expect(
        try await world.post("/connect/endSession", ["confirmation": ticket], session: ada).status == 200)
      #expect(try await !isAlive(world, ada))
    }
  }

  @Test(arguments: ["https://app.example.com/bye/", "https://evil.example/", "https://app.example.com/cb"])
  func `nobody is led to an address that is not registered for it`(uri: String) async throws {
    try await OpenIDFixture.run { world in
      let session = try await world.local.signIn("ada")
      for client in ["app", "web", "stranger"] {
        let page = try await world.get(
          "/connect/endSession", ["client_id": client, "post_logout_redirect_uri": uri], session: session)
        #expect(page.status == 400 && page.headers[.location] == nil)
      }
      #expect(try await isAlive(world, session))
    }
  }

  // MARK: Back channel

  private struct Sent: Sendable {
    var address: String
    var token: String
  }

  /// Signs `ada` in for the client `web`, and out again.
  private func signOut(_ world: OpenIDFixture, byHandle: Bool = false) async throws {
    let session = try await world.local.signIn("ada")
    let request = OpenIDFixture.appRequest.merging([
      "client_id": "web", "redirect_uri": OpenIDFixture.webAddress,
    ]) { $1 }
    let ticket = try await world.get("/authorize", request, session: session).hidden("consent")
    let code = try await world.post(
      "/authorize", ["consent": ticket, "decision": "allow"], session: session
    ).target().parameters["code"]
    let page = try await world.redeem(
      try #require(code), ["client_id": "", "redirect_uri": OpenIDFixture.webAddress],
      headers: OpenIDFixture.basic("web"))
    #expect(page.status == 200)
    guard byHandle else {
      _ = try await world.local.call(
        .post, "\(LocalServer.alpha)/sessions?_action=logout", token: session, body: [:])
      return
    }
    let admin = try await world.local.signInAdministrator()
    let ada = UniversalID(username: "ada", realm: "alpha")
    let handles = try await world.local.store.sessions(of: ada, now: world.local.clock.now)
      .map { JSONValue.string($0.handle) }
    let answer = try await world.local.call(
      .post, "\(LocalServer.root)/sessions?_action=logoutByHandle", token: admin,
      body: ["sessionHandles": .array(handles)])
    #expect(answer.status == 200 && !handles.isEmpty)
  }

  private func notifier(
    _ world: OpenIDFixture, _ sent: Locked<[Sent]>, status: Int
  ) -> LogoutNotifier {
    let provider = world.local.server.openID
    return LogoutNotifier(
      file: provider.file, grants: provider.grants, keys: provider.keys, clock: provider.clock,
      randomBytes: provider.randomBytes, logger: provider.logger
    ) { address, body in
      let form = try FormParameters.parse(String(decoding: body, as: UTF8.self))
      sent.withLock { $0.append(Sent(address: address, token: form["logout_token"] ?? "")) }
      return status
    }
  }

  @Test(arguments: [false, true])
  func `a client is told that the session has ended, once`(byHandle: Bool) async throws {
    try await OpenIDFixture.run { world in
      try await signOut(world, byHandle: byHandle)
      let sent = Locked<[Sent]>([])
      try await notifier(world, sent, status: 200).run()
      world.local.clock.advance(by: 3600)
      try await notifier(world, sent, status: 200).run()
      let all = sent.withLock { $0 }
      #expect(all.count == 1 && all.first?.address == "https://web.example.com/logout")
      let claims = try await world.claims(all.first?.token, type: "logout+jwt")
      let user = try #require(try await world.local.store.user(named: "ada", realm: "alpha"))
      #expect(claims["aud"] == "web" && claims["sub"]?.stringValue == user.id && claims["nonce"] == nil)
      #expect(claims["sid"]?.stringValue?.isEmpty == false && claims["jti"] != nil)
      #expect(claims["events"]?["http://schemas.openid.net/event/backchannel-logout"] == [:])
      // It is not an ID token, though the same key signs it.
      let page = try await world.get(
        "/connect/endSession", ["id_token_hint": try #require(all.first?.token)])
      #expect(page.status == 400)
    }
  }

  @Test func `a client that does not answer is told again, a few times`() async throws {
    try await OpenIDFixture.run { world in
      try await signOut(world)
      let sent = Locked<[Sent]>([])
      for _ in 0..<10 {
        try await notifier(world, sent, status: 503).run()
        world.local.clock.advance(by: 300)
      }
      #expect(sent.withLock { $0.count } == 5)
    }
  }
}
