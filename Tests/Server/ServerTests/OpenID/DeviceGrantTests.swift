import BindingFormats
import CommonFixtures
import Foundation
import HTTPTypes
import HummingbirdTesting
import JourneyStore
import ProofFixtures
import SecurityEvents
import StrictJSON
import Testing

@testable import Assembly
@testable import JourneyFiles
@testable import OpenIDProvider
@testable import Operations
@testable import ServerHTTP

/// A device that asks, and a person with a browser.
private struct DeviceScene: Sendable {
  let world: OpenIDFixture

  static func run(body: @Sendable (DeviceScene) async throws -> Void) async throws {
    try await OpenIDFixture.run { try await body(DeviceScene(world: $0)) }
  }

  /// What the device got: its own code, and the one that it shows.
  struct Asked: Sendable {
    let device: String
    let user: String
  }

  func ask(_ change: [String: String] = [:]) async throws -> Asked {
    let page = try await world.post(
      "/device/code", ["client_id": "tv", "scope": "openid email"].merging(change) { $1 })
    #expect(page.status == 200, "\(page.text)")
    return Asked(device: try #require(page["device_code"]), user: try #require(page["user_code"]))
  }

  /// The device's question, five seconds after the one before.
  func poll(_ asked: Asked, headers: [String: String] = [:]) async throws -> Page {
    world.local.clock.advance(by: 5)
    return try await pollNow(asked, headers: headers)
  }

  func pollNow(_ asked: Asked, headers: [String: String] = [:]) async throws -> Page {
    try await world.post(
      "/access_token",
      [
        "grant_type": "urn:ietf:params:oauth:grant-type:device_code", "device_code": asked.device,
        "client_id": "tv",
      ], headers: headers)
  }

  func type(_ code: String, session: String) async throws -> Page {
    try await world.post("/device/user", ["user_code": code], session: session)
  }

  func decide(
    _ question: Page, _ decision: String = "allow", session: String, headers: [String: String] = [:]
  ) async throws -> Page {
    try await world.post(
      "/device/user", ["ticket": try question.hidden("ticket"), "decision": decision], session: session,
      headers: headers)
  }

  func allow(_ asked: Asked, session: String) async throws {
    let page = try await decide(try await type(asked.user, session: session), session: session)
    #expect(page.text.contains("The device is connected"), "\(page.text)")
  }

  /// A session of that level, as a journey makes one.
  func session(_ level: Int, of name: String = "ada") async throws -> String {
    let sessions = world.local.server.openID.sessions
    let account = UniversalID(username: name, realm: "alpha")
    return try await sessions.issue(
      for: account, from: SessionAuthority.Origin(authLevel: level, factors: ["password", "push"])
    ).token.text
  }
}

@Suite("OpenID Connect: the device grant") struct DeviceGrantTests {
  @Test func `a device gets tokens once a person has typed its code and allowed`() async throws {
    try await DeviceScene.run { scene in
      let world = scene.world
      let began = try await world.post("/device/code", ["client_id": "tv", "scope": "openid email"])
      #expect(began.json["expires_in"] == 600 && began.json["interval"] == 5)
      // Short, whatever form the request has.
      #expect(began["verification_uri"] == "https://id.example.com/am/oauth2/alpha/device/user")
      let asked = DeviceScene.Asked(
        device: try #require(began["device_code"]), user: try #require(began["user_code"]))
      #expect(
        began["verification_uri_complete"]
          == "https://id.example.com/am/oauth2/alpha/device/user?user_code=\(asked.user)")
      #expect(try await scene.pollNow(asked).error == "authorization_pending")
      let session = try await world.local.signIn("ada")
      let question = try await scene.type(
        asked.user.lowercased().replacing("-", with: " "), session: session)
      for text in [
        "The &lt;TV&gt; asks for access", "The &lt;TV&gt; (tv)", asked.user, "read your e-mail address",
        "datetime=\"2026-01-09T10:00:00Z\"", "signed in as ada", "deny it",
      ] { #expect(question.text.contains(text), "\(text) in \(question.text)") }
      #expect(try await scene.poll(asked).error == "authorization_pending")
      #expect(try await scene.decide(question, session: session).status == 200)
      let page = try await scene.poll(asked)
      #expect(page.status == 200, "\(page.text)")
      let claims = try await world.claims(page["id_token"], type: "JWT")
      #expect(claims["aud"] == "tv" && claims["sid"] == nil && claims["auth_time"] != nil)
      #expect(try await world.userinfo(try #require(page["access_token"])).json["email"] == "ada@example.com")
      // Once; and what came of it goes on.
      #expect(try await scene.poll(asked).error == "invalid_grant")
      let renewed = try await world.refresh(try #require(page["refresh_token"]), ["client_id": "tv"])
      #expect(renewed.status == 200)
    }
  }

  @Test func `who asks too fast is slowed down, and loses nothing`() async throws {
    try await DeviceScene.run { scene in
      let asked = try await scene.ask()
      #expect(try await scene.pollNow(asked).error == "authorization_pending")
      for _ in 0..<3 { #expect(try await scene.pollNow(asked).error == "slow_down") }
      try await scene.allow(asked, session: try await scene.world.local.signIn("ada"))
      #expect(try await scene.pollNow(asked).error == "slow_down")
      #expect(try await scene.poll(asked).status == 200)
    }
  }

  @Test func `a refusal and silence give nothing`() async throws {
    try await DeviceScene.run { scene in
      let (refused, late) = (try await scene.ask(), try await scene.ask())
      let session = try await scene.world.local.signIn("ada")
      let question = try await scene.type(refused.user, session: session)
      let page = try await scene.decide(question, "deny", session: session)
      #expect(page.text.contains("Access is denied"))
      #expect(try await scene.poll(refused).error == "access_denied")
      #expect(try await scene.poll(refused).error == "invalid_grant")
      #expect(try await scene.decide(question, session: session).status == 400)

      let waiting = try await scene.type(late.user, session: session)
      scene.world.local.clock.advance(by: 600)
      #expect(try await scene.poll(late).error == "expired_token")
      #expect(try await scene.decide(waiting, session: session).status == 400)
      #expect(try await scene.type(late.user, session: session).text.contains("No device is waiting"))
    }
  }

  @Test func `requests that no client may send are refused`() async throws {
    try await OpenIDFixture.run { world in
      for (change, error) in [
        (["client_id": "app"], "unauthorized_client"), (["scope": ""], "invalid_scope"),
        (["scope": "openid phone"], "invalid_scope"), (["client_id": "nobody"], "invalid_client"),
        (["client_id": "panel"], "invalid_client"),
        (["acr_values": "urn:unknown"], "unmet_authentication_requirements"),
        (["acr_values": String(repeating: "x", count: 2049)], "invalid_request"),
      ] {
        let parameters = ["client_id": "tv", "scope": "openid"].merging(change) { $1 }
        #expect(try await world.post("/device/code", parameters.filter { !$1.isEmpty }).error == error)
      }
      #expect(try await world.get("/device/code").status == 405)
      let document = try await world.get("/.well-known/openid-configuration")
      #expect(document["device_authorization_endpoint"] == OpenIDFixture.issuer + "/device/code")
      let grants = document.json["grant_types_supported"]?.arrayValue ?? []
      #expect(grants.contains("urn:ietf:params:oauth:grant-type:device_code"))
    }
  }

  @Test func `a code is nothing to another client, another realm, or in another's place`() async throws {
    try await DeviceScene.run { scene in
      let world = scene.world
      let asked = try await scene.ask()
      try await scene.allow(asked, session: try await world.local.signIn("ada"))
      let grant = ["grant_type": "urn:ietf:params:oauth:grant-type:device_code"]
      for code in [asked.device, asked.user, asked.device + "A", "x"] {
        let other = try await world.post(
          "/access_token", grant.merging(["device_code": code]) { $1 },
          headers: OpenIDFixture.basic("panel"))
        #expect(other.error == "invalid_grant")
        #expect(try await world.redeem(code).error == "invalid_grant")
        #expect(try await world.refresh(code).error == "invalid_grant")
      }
      #expect(try await world.post("/access_token", grant.merging(["client_id": "tv"]) { $1 }).error != nil)
      let root = world.at(.init(path: "/am/oauth2/realms/root", issuer: ""))
      let elsewhere = try await root.post(
        "/access_token", grant.merging(["device_code": asked.device, "client_id": "tv"]) { $1 })
      #expect(elsewhere.error == "invalid_client")
      // Nobody of another realm finds it, and a session of another realm is nobody here.
      let waiting = try await scene.ask()
      let administrator = try await world.local.signInAdministrator()
      let page = try await root.post("/device/user", ["user_code": waiting.user], session: administrator)
      #expect(page.text.contains("No device is waiting"), "\(page.text)")
      #expect(try await scene.type(waiting.user, session: administrator).status == 303)
      // None of that has used the right one up.
      #expect(try await scene.poll(asked).status == 200)
    }
  }

  @Test func `fifty at once get one set of tokens, and one decision counts`() async throws {
    try await DeviceScene.run { scene in
      let asked = try await scene.ask()
      let sessions = [try await scene.session(1), try await scene.session(1, of: "bob")]
      let questions = [
        try await scene.type(asked.user, session: sessions[0]),
        try await scene.type(asked.user, session: sessions[1]),
      ]
      let allowed = try await withThrowingTaskGroup(of: Int.self) { group in
        for index in 0..<50 {
          group.addTask {
            try await scene.decide(questions[index % 2], session: sessions[index % 2]).status
          }
        }
        return try await group.reduce(0) { $0 + ($1 == 200 ? 1 : 0) }
      }
      #expect(allowed == 1)
      scene.world.local.clock.advance(by: 5)
      let answered = try await withThrowingTaskGroup(of: Int.self) { group in
        for _ in 0..<50 { group.addTask { try await scene.pollNow(asked).status } }
        return try await group.reduce(0) { $0 + ($1 == 200 ? 1 : 0) }
      }
      #expect(answered == 1)
      // The grants of those who came too late have ended.
      let now = scene.world.local.clock.now
      var grants = 0
      for name in ["ada", "bob"] {
        let account = UniversalID(username: name, realm: "alpha")
        grants += try await scene.world.local.server.openID.grants.grants(of: account, now: now).count
      }
      #expect(grants == 1)
    }
  }

  @Test func `tokens end with the account, and not with the browser's session`() async throws {
    try await DeviceScene.run { scene in
      let (first, second) = (try await scene.ask(), try await scene.ask())
      let session = try await scene.world.local.signIn("ada")
      try await scene.allow(first, session: session)
      try await scene.allow(second, session: session)
      let out = try await scene.world.local.call(
        .post, "\(LocalServer.alpha)/sessions?_action=logout", token: session, body: [:])
      #expect(out.status == 200)
      let tokens = try await scene.poll(first)
      #expect(tokens.status == 200)
      #expect(try await scene.world.userinfo(try #require(tokens["access_token"])).status == 200)
      _ = try await scene.world.local.store.deleteUser(UniversalID(username: "ada", realm: "alpha"))
      #expect(try await scene.world.userinfo(try #require(tokens["access_token"])).status == 401)
      #expect(try await scene.poll(second).error == "access_denied")
    }
  }

  @Test func `tokens of a public device that proves a key are bound to it`() async throws {
    try await DeviceScene.run { scene in
      let holder = try KeyHolder()
      let asked = try await scene.ask()
      try await scene.allow(asked, session: try await scene.world.local.signIn("ada"))
      let page = try await scene.pollNow(asked, headers: try await holder.header())
      #expect(page["token_type"] == "DPoP", "\(page.text)")
      let token = try #require(page["refresh_token"])
      #expect(try await scene.world.refresh(token, ["client_id": "tv"]).error == "invalid_grant")
      let renewed = try await scene.world.refresh(
        token, ["client_id": "tv"], headers: try await holder.header())
      #expect(renewed.status == 200)
    }
  }
}

@Suite("OpenID Connect: the page for devices' codes") struct DevicePageTests {
  @Test func `a link with the code fills it in, and nothing that is read decides`() async throws {
    try await DeviceScene.run { scene in
      let world = scene.world
      let asked = try await scene.ask()
      let session = try await world.local.signIn("ada")
      let page = try await world.get("/device/user", ["user_code": asked.user], session: session)
      #expect(page.status == 200 && page.text.contains("value=\"\(asked.user)\""))
      #expect(!page.text.contains("name=\"ticket\"") && !page.text.contains("The &lt;TV&gt;"))
      let ticket = try await scene.type(asked.user, session: session).hidden("ticket")
      for parameters in [
        ["user_code": asked.user, "decision": "allow"], ["ticket": ticket, "decision": "allow"],
        ["user_code": asked.user, "ticket": ticket, "decision": "allow"],
      ] { #expect(try await world.get("/device/user", parameters, session: session).status == 200) }
      #expect(try await scene.poll(asked).error == "authorization_pending")
      // The code alone decides nothing, either.
      let form = ["user_code": asked.user, "decision": "allow"]
      _ = try await world.post("/device/user", form, session: session)
      #expect(try await scene.poll(asked).error == "authorization_pending")
      let marked = try await world.get("/device/user", ["user_code": "\"><b>"], session: session)
      #expect(!marked.text.contains("<b>"))
    }
  }

  @Test func `the page says from which address the device asked`() async throws {
    try await OpenIDFixture.run(
      on: .live,
      configure: { $0.trustedProxies = (try? AddressBlock("127.0.0.1")).map { [$0] } ?? [] }
    ) { world in
      let asked = try await world.post(
        "/device/code", ["client_id": "tv", "scope": "openid"], headers: ["X-Forwarded-For": "203.0.113.7"])
      let session = try await world.local.signIn("ada")
      let page = try await world.post(
        "/device/user", ["user_code": try #require(asked["user_code"])], session: session,
        headers: ["X-Forwarded-For": "198.51.100.9"])
      #expect(page.text.contains("<dt>Asked from the address</dt>\n<dd>203.0.113.7</dd>"), "\(page.text)")
      #expect(!page.text.contains("198.51.100.9"))
    }
  }

  @Test func `who is not signed in is sent to the sign-in page, and back with the code`() async throws {
    try await DeviceScene.run { scene in
      let asked = try await scene.ask()
      let sent = try await scene.world.get("/device/user", ["user_code": asked.user]).target()
      #expect(sent.address == "https://id.example.com/am/XUI/" && sent.parameters["realm"] == "/alpha")
      #expect(
        sent.parameters["goto"] == OpenIDFixture.issuer + "/device/user?user_code=\(asked.user)")
      #expect(try await scene.world.post("/device/user", ["user_code": asked.user]).status == 303)
    }
  }

  @Test(arguments: [["Sec-Fetch-Site": "cross-site"], ["Sec-Fetch-Site": "same-site"], ["Origin": "null"]])
  func `a form that another site's page sends decides nothing, and guesses nothing`(
    headers: [String: String]
  ) async throws {
    try await DeviceScene.run { scene in
      let asked = try await scene.ask()
      let session = try await scene.world.local.signIn("ada")
      let question = try await scene.type(asked.user, session: session)
      #expect(try await scene.decide(question, session: session, headers: headers).status == 403)
      for _ in 0..<6 {
        let page = try await scene.world.post(
          "/device/user", ["user_code": "BCDFGHJK"], session: session, headers: headers)
        #expect(page.status == 403)
      }
      #expect(try await scene.poll(asked).error == "authorization_pending")
      #expect(try await scene.decide(question, session: session).status == 200)
    }
  }

  @Test func `a ticket counts in the session that read the page, for the request that it showed`()
    async throws
  {
    try await DeviceScene.run { scene in
      let asked = try await scene.ask()
      let session = try await scene.world.local.signIn("ada")
      let question = try await scene.type(asked.user, session: session)
      for other in [try await scene.world.local.signIn("bob"), try await scene.world.local.signIn("ada")] {
        #expect(try await scene.decide(question, session: other).status == 400)
      }
      for ticket in ["x", asked.device, asked.user] {
        let page = try await scene.world.post(
          "/device/user", ["ticket": ticket, "decision": "allow"], session: session)
        #expect(page.status == 400)
      }
      #expect(try await scene.poll(asked).error == "authorization_pending")
    }
  }

  @Test func `wrong codes are counted for the account, and lock nobody out of signing in`() async throws {
    try await DeviceScene.run { scene in
      let session = try await scene.world.local.signIn("ada")
      for _ in 0..<5 {
        let page = try await scene.type("BCDF-GHJK", session: session)
        #expect(page.status == 400 && page.text.contains("No device is waiting"))
      }
      let asked = try await scene.ask()
      let locked = try await scene.type(asked.user, session: session)
      #expect(locked.text.contains("too many tries") && !locked.text.contains("name=\"ticket\""))
      // Neither a password nor another account is locked by it.
      let again = try await scene.world.local.signIn("ada")
      #expect(try await scene.type(asked.user, session: again).text.contains("too many tries"))
      let bob = try await scene.world.local.signIn("bob")
      #expect(try await scene.type(asked.user, session: bob).text.contains("name=\"ticket\""))
      scene.world.local.clock.advance(by: 61)
      #expect(try await scene.type(asked.user, session: again).text.contains("name=\"ticket\""))
    }
  }

  @Test func `the count is nobody else's, however many devices of the account have one`() async throws {
    try await DeviceScene.run { scene in
      let (store, account) = (scene.world.local.store, UniversalID(username: "ada", realm: "alpha"))
      for number in 0..<LockoutScope.maximumDevices {
        _ = try await store.settleAttempt(
          of: account, scope: LockoutScope(.passwords, device: "device \(number)"), isRight: false,
          policy: .standard,
          now: scene.world.local.clock.now)
      }
      // Nor do guesses fill it.
      _ = try await store.settleAttempt(
        of: account, scope: .passwords, isRight: false, policy: .standard, now: scene.world.local.clock.now)
      let session = try await scene.session(1)
      for _ in 0..<5 {
        #expect(try await scene.type("BCDFGHJK", session: session).text.contains("No device is waiting"))
      }
      #expect(try await scene.type("BCDFGHJK", session: session).text.contains("too many tries"))
      _ = try await scene.world.local.signIn("ada")
    }
  }

  @Test func `the lock is an event, and is not called one of passwords`() async throws {
    let events = RecordedEvents()
    try await OpenIDFixture.run(configure: { $0.eventSink = events }) { world in
      let scene = DeviceScene(world: world)
      let session = try await scene.session(1)
      for _ in 0..<5 { _ = try await scene.type("BCDF-GHJK", session: session) }
      let event = try #require(events.of(.lockBegan).first)
      #expect(event.account == "ada" && event.detail["kind"] == "deviceCodes")
      #expect(event.detail["knownDevice"] == nil && events.of(.lockBegan).count == 1)
    }
  }

  @Test func `a right code of one's own buys no further guesses, and fifty at once are counted`() async throws
  {
    try await DeviceScene.run { scene in
      let session = try await scene.session(1)
      for _ in 0..<4 { _ = try await scene.type("BCDFGHJK", session: session) }
      let own = try await scene.ask()
      #expect(try await scene.type(own.user, session: session).text.contains("name=\"ticket\""))
      _ = try await scene.type("BCDFGHJK", session: session)
      #expect(try await scene.type(own.user, session: session).text.contains("too many tries"))

      let bob = try await scene.session(1, of: "bob")
      let told = try await withThrowingTaskGroup(of: Bool.self) { group in
        for _ in 0..<50 {
          group.addTask {
            try await scene.type("BCDFGHJK", session: bob).text.contains("No device is waiting")
          }
        }
        return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
      }
      #expect(told <= 5)
      #expect(try await scene.type(own.user, session: bob).text.contains("too many tries"))
    }
  }

  @Test func `a session from before the device asked is not enough`() async throws {
    try await DeviceScene.run { scene in
      let old = try await scene.world.local.signIn("ada")
      scene.world.local.clock.advance(by: 10)
      let asked = try await scene.ask()
      let sent = try await scene.type(asked.user, session: old).target()
      #expect(sent.address.hasSuffix("/XUI/") && sent.parameters["ForceAuth"] == "true")
      let back = try FormParameters.parse(
        String(try #require(sent.parameters["goto"]).split(separator: "?", maxSplits: 1)[1]))
      // Coming back without having signed in does not help, and does not go round for ever; having done so does.
      #expect(try await scene.world.get("/device/user", back, session: old).status == 400)
      let new = try await scene.world.local.signIn("ada")
      let question = try await scene.world.get("/device/user", back, session: new)
      #expect(question.text.contains("name=\"ticket\""))
      // What was sealed for ada is nothing in bob's browser: a link that somebody sent.
      let bob = try await scene.world.local.signIn("bob")
      #expect(try await scene.world.get("/device/user", back, session: bob).status == 400)
      #expect(try await scene.decide(question, session: new).status == 200)
      #expect(try await scene.poll(asked).status == 200)
    }
  }

  @Test func `who has more than a password approves with more than a password`() async throws {
    try await DeviceScene.run { scene in
      _ = try await scene.world.local.enrolled()
      let asked = try await scene.ask()
      let weak = try await scene.world.local.signIn("ada")
      let sent = try await scene.type(asked.user, session: weak).target()
      #expect(sent.parameters["service"] == "StepUp" && sent.parameters["ForceAuth"] == "true")
      let back = try FormParameters.parse(
        String(try #require(sent.parameters["goto"]).split(separator: "?", maxSplits: 1)[1]))
      let same = try await scene.world.get("/device/user", back, session: weak)
      #expect(same.status == 400 && !same.text.contains("name=\"ticket\""))
      try await scene.allow(asked, session: try await scene.session(2))
      let page = try await scene.poll(asked)
      #expect(try await scene.world.claims(page["id_token"], type: "JWT")["amr"] == ["pwd", "pop", "mfa"])
    }
  }

  @Test func `the factor that is added while the page is open is asked for, too`() async throws {
    try await DeviceScene.run { scene in
      let asked = try await scene.ask()
      let session = try await scene.world.local.signIn("ada")
      let question = try await scene.type(asked.user, session: session)
      _ = try await scene.world.local.enrolled()
      #expect(try await scene.decide(question, session: session).status == 400)
      #expect(try await scene.poll(asked).error == "authorization_pending")
    }
  }

  @Test func `a device that asks for a journey gets a sign-in by that journey`() async throws {
    try await DeviceScene.run { scene in
      let asked = try await scene.ask(["acr_values": "urn:strong"])
      let session = try await scene.world.local.signIn("ada")
      let sent = try await scene.type(asked.user, session: session).target()
      #expect(sent.parameters["service"] == "TwoSteps")
      var step = try await scene.world.local.start("TwoSteps")
      for text in ["ada", "ada-password", "x"] {
        step = try await scene.world.local.call(
          .post, "\(LocalServer.alpha)/authenticate", body: LocalServer.reply(to: step, text))
      }
      try await scene.allow(asked, session: try #require(step["tokenId"]?.stringValue))
      let page = try await scene.poll(asked)
      #expect(try await scene.world.claims(page["id_token"], type: "JWT")["acr"] == "urn:strong")
    }
  }

  @Test func `the page speaks the person's language`() async throws {
    try await DeviceScene.run { scene in
      let asked = try await scene.ask()
      let session = try await scene.world.local.signIn("ada")
      let german = try await scene.world.post(
        "/device/user", ["user_code": asked.user], session: session, headers: ["Accept-Language": "de"])
      #expect(german.text.contains("bittet von einem anderen Gerät um Zugriff"))
      #expect(german.text.contains("Hat Ihnen jemand den Code oder einen Link geschickt"))
      #expect(german.headers[.contentSecurityPolicy]?.contains("form-action 'self';") == true)
      #expect(german.headers[.cacheControl] == "no-store")
    }
  }
}
