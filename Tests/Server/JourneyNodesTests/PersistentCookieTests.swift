import Accounts
import BindingFormats
import Bytes
import Foundation
import JourneyEngine
import JourneyNodes
import JourneyStore
import StrictJSON
import Testing

@Suite("Persistent cookies")
struct PersistentCookieTests {
  /// The cookie of somebody who has just signed in.
  private func cookie(
    in world: World, _ properties: JSONObject = [:], of name: String = "mira"
  ) async throws -> PersistentCookies.Issued {
    var visit = try world.visit("SetPersistentCookieNode", properties, state: JourneyState(username: name))
    #expect(try await visit.evaluate() == .outcome("outcome"))
    return try #require(await issued(visit.state, in: world, of: name).first)
  }

  private func issued(_ state: JourneyState, in world: World, of name: String) async throws
    -> [PersistentCookies.Issued]
  {
    world.services.persistentCookies.issue(
      state, for: try await world.user(name), clientAddress: "192.0.2.1", now: world.now,
      randomBytes: world.services.randomBytes)
  }

  private func decision(
    _ world: World, _ cookie: String, _ properties: JSONObject = [:]
  ) throws -> Visit {
    var visit = try world.visit("PersistentCookieDecisionNode", properties)
    visit.request.headers["cookie"] = "other=1; \(cookie)"
    visit.request.clientAddress = "192.0.2.1"
    return visit
  }

  @Test func `a browser signs in again by its cookie, as of the moment of its password`() async throws {
    let world = try await World()
    let signedIn = world.now
    let cookie = try await cookie(in: world)
    #expect(cookie.name == "session-jwt" && cookie.lifetime == 5 * 3600)
    #expect(
      !cookie.value.contains("mira")
        && cookie.value.split(separator: ".", omittingEmptySubsequences: false).count == 5)
    world.advance(3600)
    var visit = try decision(world, "session-jwt=\(cookie.value)")
    #expect(try await visit.evaluate() == .outcome("true"))
    #expect(visit.state.username == "mira" && visit.state.authenticatedAt == signedIn)
    #expect(visit.state.factors == ["persistent-cookie"])
    #expect(visit.state.passwordMark == PasswordMark(try await world.user()).text)
    // The cookie is renewed, and its end stays.
    let renewed = try #require(await issued(visit.state, in: world, of: "mira").first)
    #expect(renewed.lifetime == 4 * 3600)
    world.advance(4 * 3600)
    var late = try decision(world, "session-jwt=\(renewed.value)")
    #expect(try await late.evaluate() == .outcome("false"))
  }

  @Test func `an idle cookie is over`() async throws {
    let world = try await World()
    let cookie = try await cookie(in: world, ["idleTimeout": 1, "maxLife": 100])
    world.advance(3601)
    var visit = try decision(world, "session-jwt=\(cookie.value)")
    #expect(try await visit.evaluate() == .outcome("false"))
  }

  @Test func `a new password, a deactivation and another account of the name end a cookie`() async throws {
    let world = try await World()
    let properties: JSONObject = ["persistentCookieName": "again"]
    var cookie = try await self.cookie(in: world, properties)
    func outcome() async throws -> NodeResult {
      var visit = try decision(world, "again=\(cookie.value)", properties)
      return try await visit.evaluate()
    }
    #expect(try await outcome() == .outcome("true"))
    var status = UserChange(of: try await world.user())
    status.isActive = false
    _ = try await world.store.updateUser(status)
    #expect(try await outcome() == .outcome("false"))
    status.isActive = true
    _ = try await world.store.updateUser(status)
    #expect(try await outcome() == .outcome("false"), "it does not come back")
    cookie = try await self.cookie(in: world, properties)
    #expect(try await outcome() == .outcome("true"))
    var password = UserChange(of: try await world.user())
    password.password = UserChange.Password(hash: "plain:Another horse 2")
    _ = try await world.store.updateUser(password)
    #expect(try await outcome() == .outcome("false"))
    let rosas = try await self.cookie(in: world, properties, of: "rosa")
    _ = try await world.store.deleteUser(UniversalID(username: "rosa", realm: "alpha"))
    try await world.store.createUser(UserRecord(realm: "alpha", username: "rosa", createdAt: world.now))
    var again = try decision(world, "again=\(rosas.value)", properties)
    #expect(try await again.evaluate() == .outcome("false"))
  }

  @Test func `whoever ends all sessions ends the cookies by which browsers sign in again`() async throws {
    let world = try await World()
    let cookie = try await cookie(in: world)
    let account = UniversalID(username: "mira", realm: "alpha")
    try await world.services.accounts.endSessions(of: account, by: .operator)
    var visit = try decision(world, "session-jwt=\(cookie.value)")
    #expect(try await visit.evaluate() == .outcome("false"))
    let new = try await self.cookie(in: world)
    var next = try decision(world, "session-jwt=\(new.value)")
    #expect(try await next.evaluate() == .outcome("true"))
  }

  /// Somebody has come in by a cookie and waits at the next page.
  @Test(arguments: [EndingSessions.all, .others(than: [1])])
  func `a journey that a cookie began does not outlive the end of the sessions`(ending: EndingSessions)
    async throws
  {
    let world = try await World()
    let cookie = try await cookie(in: world)
    var visit = try decision(world, "session-jwt=\(cookie.value)")
    #expect(try await visit.evaluate() == .outcome("true"))
    let mark = try #require(visit.state.passwordMark.flatMap { PasswordMark(text: $0) })
    let user = try await world.user()
    try await world.store.endSessions(ending, of: user.account, now: world.now)
    let session = SessionRecord(
      tokenHash: [2], handle: "h", realm: user.realm, username: user.username, createdAt: world.now,
      latestAccess: world.now, maximumIdle: 60, expiresAt: world.now + 60, properties: [:], authLevel: 0,
      authenticatedAt: world.now)
    await #expect(throws: StoreError.self) {
      try await world.store.openSession(NewSession(session, mark: mark, now: world.now), by: nil)
    }
  }

  @Test func `a cookie is good under its name, in its realm, unchanged, by this server's secret`()
    async throws
  {
    let world = try await World()
    let cookie = try await cookie(in: world)
    var renamed = try decision(world, "other=\(cookie.value)", ["persistentCookieName": "other"])
    #expect(try await renamed.evaluate() == .outcome("false"))
    var elsewhere = try decision(world, "session-jwt=\(cookie.value)")
    elsewhere.request.realm = "bravo"
    #expect(try await elsewhere.evaluate() == .outcome("false"))
    let stranger = try await World()
    var forged = try decision(stranger, "session-jwt=\(cookie.value)")
    #expect(try await forged.evaluate() == .outcome("false"))
    let parts = cookie.value.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    let plain = Base64URL.encode(Array(#"{"alg":"none"}"#.utf8))
    let changed = [
      "", "x", "....", parts.dropLast().joined(separator: ".") + ".AAAAAAAAAAAAAAAAAAAAAA",
      "\(plain)..\(parts[2]).\(parts[3]).\(parts[4])", "\(parts[0])..\(parts[2])..\(parts[4])",
      String(repeating: "x", count: 5000),
    ]
    for text in changed {
      var visit = try decision(world, "session-jwt=\(text)")
      #expect(try await visit.evaluate() == .outcome("false"))
    }
  }

  @Test func `a cookie that is bound to an address is good from there`() async throws {
    let world = try await World()
    let cookie = try await cookie(in: world)
    var visit = try decision(world, "session-jwt=\(cookie.value)", ["enforceClientIp": true])
    #expect(try await visit.evaluate() == .outcome("true"))
    visit.request.clientAddress = "192.0.2.2"
    #expect(try await visit.evaluate() == .outcome("false"))
  }

  @Test(arguments: ["", "a b", "a;b", "a=b", "ä", "a\r\nb"])
  func `what cannot name a cookie is refused when the journey is loaded`(name: String) async throws {
    let world = try await World()
    #expect(throws: JourneyFileError.self) {
      _ = try world.node("SetPersistentCookieNode", ["persistentCookieName": .string(name)])
    }
  }
}
