import Accounts
import AuthenticatorFixtures
import BindingFormats
import Bytes
import CommonFixtures
import EvidenceLedger
import Foundation
import HTTPTypes
import HummingbirdTesting
import JourneyNodes
import JourneyStore
import SecurityEvents
import StrictJSON
import Testing

@testable import Assembly
@testable import JourneyFiles
@testable import Operations
@testable import Pages
@testable import ServerHTTP

@Suite("My account") struct AccountPagesTests {
  private static let ada = UniversalID(username: "ada", realm: "alpha")

  private static func path(_ rest: String) -> String { "/am/account/\(rest)?realm=/alpha" }

  private static let everything: @Sendable (inout ServerConfiguration) -> Void = {
    AuthLevelTests.bundled(&$0)
    $0.bundledJourneys = .everywhere
    $0.publicURL = "https://example.com/am"
  }

  private func bind(_ id: String, of user: String = "ada", name: String = "Phone", _ server: LocalServer)
    async throws
  {
    _ = try await server.store.addBoundDevice(BoundDevicesTests.device(id, of: user, name: name), limit: 0)
  }

  // MARK: Methods

  @Test func `every kind is shown with where its secret is and who vouches for it`() async throws {
    try await LocalServer.run(.router, Self.everything) { server in
      _ = try await server.enrolledPhone()
      try await server.register(SoftAuthenticator(), of: "bob")
      let bob = UniversalID(username: "bob", realm: "alpha")
      var passkey = try #require(try await server.store.webAuthnDevices.all(of: bob).first)
      _ = try await server.store.webAuthnDevices.delete(passkey.uuid, of: bob)
      passkey.username = "ada"
      _ = try await server.store.addWebAuthnDevice(passkey, limit: 0)
      var attested = BoundDevicesTests.device("k1", of: "ada", name: "Kiosk")
      attested.attestation = ["kind": "tpm", "securityLevel": "tpm", "root": ["subject": "CN=TPM Root"]]
      _ = try await server.store.addBoundDevice(attested, limit: 0)
      let ada = try await PageReader.signedIn("ada", server)
      let list = try await ada.get(Self.path("methods"))
      for text in [
        "Password", "Passkey or security key", "Key of a device", "Device for push messages",
        "Authenticator app for codes", "In the device&#39;s security chip (TPM)", "Last used",
        "methods/add/passkey?", "methods/add/key?",
        "Device for push messages: there is one already", "Authenticator app for codes: there is one already",
      ] { #expect(list.contains(text), "\(text)") }
      // The journeys of these would end at once, and add nothing.
      for kind in ["push", "app"] {
        #expect(!list.contains("methods/add/\(kind)?"), "\(kind)")
        let old = try await ada.get(Self.path("methods/add/\(kind)"))
        #expect(old.status == 303 && old.location?.contains("account/methods") == true, "\(kind)")
        #expect(old.location?.contains("service") == false, "\(kind)")
      }
      for (kind, journey) in [("passkey", "WebAuthnRegister"), ("key", "BindDevice")] {
        #expect(
          try await ada.get(Self.path("methods/add/\(kind)")).location?.contains(
            "?realm=%2Falpha&service=\(journey)&ForceAuth=true&sessionUser=true&goto=..%2Faccount%2Fmethods")
            == true,
          "\(kind)")
      }
      let detail = try await ada.get(Self.path("methods/key/k1"))
      for text in ["The TPM&#39;s certificate was verified", "CN=TPM Root", "ES256", "thumbprint-k1"] {
        #expect(detail.contains(text), "\(text)")
      }
      let overview = try await ada.get(Self.path(""))
      #expect(overview.status == 200 && overview.contains("Well protected: 2 ways"))
      for kind in ["passkey", "push", "app"] {
        let id = try #require(
          list.html.components(separatedBy: "methods/\(kind)/").dropFirst().first?.prefix {
            $0 != "?" && $0 != "\""
          })
        let page = try await ada.get(Self.path("methods/\(kind)/\(id)"))
        #expect(page.status == 200 && page.contains("Where the secret is"), "\(kind)")
      }
    }
  }

  @Test func `what is added on its own page is offered where there is none, or where several may be`()
    async throws
  {
    func journey(_ type: String, _ several: JSONValue?) -> JSONObject {
      var node: JSONObject = ["_type": ["_id": .string(type)]]
      node["allowMultipleDevices"] = several
      return ["nodes": ["a": .object(node), "b": ["_type": ["_id": "PageNode"]]]]
    }
    #expect(MethodLimit.isOne(journey("PushRegistrationNode", nil)))
    #expect(MethodLimit.isOne(journey("PushRegistrationNode", false)))
    #expect(!MethodLimit.isOne(journey("PushRegistrationNode", true)))
    #expect(MethodLimit.isOne(journey("OathRegistrationNode", nil)))
    #expect(!MethodLimit.isOne(journey("WebAuthnRegistrationNode", nil)) && !MethodLimit.isOne(nil))
    try await LocalServer.run(.router, Self.everything) { server in
      let ada = try await PageReader.signedIn("ada", server)
      let list = try await ada.get(Self.path("methods"))
      for kind in ["passkey", "key", "push", "app"] {
        #expect(list.contains("methods/add/\(kind)?"), "\(kind)")
      }
      #expect(!list.contains("there is one already"))
    }
  }

  @Test func `two devices of one name are told apart by when they came`() async throws {
    try await LocalServer.run(.router, Self.everything) { server in
      for (id, age) in [("one", 10.0), ("two", 3.0)] {
        var device = BoundDevicesTests.device(id, of: "ada", name: "vm")
        device.createdDate = server.clock.now.addingTimeInterval(-age * 86_400)
        _ = try await server.store.addBoundDevice(device, limit: 0)
      }
      let list = try await PageReader.signedIn("ada", server).get(Self.path("methods"))
      #expect(list.html.matches(of: /<bdi>vm<\/bdi>/).count == 2)
      let added = list.html.matches(of: /Added: <time datetime="([^"]*)"/).map(\.1)
      #expect(added.count == 2 && Set(added).count == 2)
    }
  }

  /// An account that has a passkey and nothing else, signed in with it.
  private func signInNora(_ passkey: inout SoftAuthenticator, _ server: LocalServer) async throws -> String {
    try await server.register(passkey)
    var device = try #require(try await server.store.webAuthnDevices.all(of: Self.ada).first)
    _ = try await server.store.webAuthnDevices.delete(device.uuid, of: Self.ada)
    try await server.store.createUser(
      UserRecord(realm: "alpha", username: "nora", createdAt: server.clock.now))
    (device.username, device.userHandle) = ("nora", Array("bm9yYQ".utf8))
    #expect(
      try await server.store.addWebAuthnDevice(device, limit: 0) == .added)
    let step = try await server.startUsernameless()
    let proof = try passkey.authenticate(challenge: step.challenge) {
      $0.userHandle = "bm9yYQ"
    }
    return try #require(try await server.answer(step, proof)["tokenId"]?.stringValue)
  }

  private func add(_ journey: String, _ token: String?, _ server: LocalServer) async throws -> Answer {
    var headers = LocalServer.browser
    headers["X-Requested-With"] = "XMLHttpRequest"
    return try await server.call(
      .post,
      "\(LocalServer.alpha)/authenticate?authIndexType=service&authIndexValue=\(journey)&ForceAuth=true",
      token: token, body: [:], headers: headers)
  }

  @Test(arguments: ["WebAuthnRegister", "OathRegister", "PushRegister", "BindDevice"])
  func `a method is added for who is signed in, and for nobody else who answers`(journey: String) async throws
  {
    try await LocalServer.run(.router, Self.everything) { server in
      let ada = try await server.signIn("ada")
      let query = "&ForceAuth=true&sessionUser=true"
      let start = "\(LocalServer.alpha)/authenticate?authIndexType=service&authIndexValue=\(journey)\(query)"
      // The name is the session's: it is not asked for.
      let step = try await server.call(.post, start, token: ada, body: [:])
      try #require((step["callbacks"]?.arrayValue ?? []).map { $0["type"] } == ["PasswordCallback"])
      let asBob = try await server.call(
        .post, "\(LocalServer.alpha)/authenticate",
        body: LocalServer.reply(to: step, "bob-password"))
      #expect(asBob["tokenId"] == nil && asBob.status == 401)
      // Neither by headers, nor without the session.
      for (token, headers) in [(ada, true), (nil, false)] {
        var fields = LocalServer.browser
        if headers {
          fields["X-OpenAM-Username"] = "bob"
          fields["X-OpenAM-Password"] = "bob-password"
        }
        #expect(try await server.call(.post, start, token: token, headers: fields).status == 401)
      }
      let own = try await server.call(
        .post, "\(LocalServer.alpha)/authenticate",
        body: LocalServer.reply(
          to: try await server.call(.post, start, token: ada, body: [:]), "ada-password"))
      #expect(own.status == 200)
    }
  }

  @Test(
    arguments: [
      ("OathRegister", "HiddenValueCallback"), ("PushRegister", "HiddenValueCallback"),
      ("BindDevice", "DeviceBindingCallback"), ("WebAuthnRegister", "MetadataCallback"),
    ], [FactorChangePolicy.Requirement.any, .strong])
  func `who has only a passkey adds another method after confirming with it`(
    method: (journey: String, asks: String), requirement: FactorChangePolicy.Requirement
  ) async throws {
    try await LocalServer.run(
      .router,
      {
        Self.everything(&$0)
        $0.factorChanges = FactorChangePolicy(standard: requirement)
      }
    ) { server in
      var passkey = SoftAuthenticator()
      let token = try await signInNora(&passkey, server)
      server.clock.advance(by: 600)
      let asked = try await add(method.journey, token, server)
      // The password that there is not is not asked for.
      #expect(asked["callbacks"]?[0]?["type"] == "MetadataCallback", "\(asked.json)")
      #expect(asked.metadata?["_action"] == "webauthn_authentication")
      var stranger = SoftAuthenticator()
      let forged = try stranger.authenticate(challenge: asked.challenge)
      #expect(try await server.answer(asked, forged).status == 401)

      let again = try await add(method.journey, token, server)
      let goesOn = try await server.answer(again, try passkey.authenticate(challenge: again.challenge))
      let types = goesOn["callbacks"]?.arrayValue?.compactMap { $0["type"]?.stringValue } ?? []
      #expect(types.contains(method.asks), "\(types)")
      if method.journey == "WebAuthnRegister" {
        #expect(goesOn.metadata?["_action"] == "webauthn_registration")
      }
    }
  }

  @Test func `a session alone adds nothing: it is not taken for the person, nor for another's password`()
    async throws
  {
    try await LocalServer.run(.router, Self.everything) { server in
      var passkey = SoftAuthenticator()
      let nora = try await signInNora(&passkey, server)
      for journey in ["OathRegister", "PushRegister", "BindDevice", "WebAuthnRegister"] {
        // Nobody, and somebody with a password, are asked for both as ever.
        for token in [nil, try await server.signIn("bob")] {
          let asked = try await add(journey, token, server)
          #expect(asked["callbacks"]?.arrayValue?.map { $0["type"] } == ["NameCallback", "PasswordCallback"])
        }
      }
      // Without a passkey to confirm with, the journey ends.
      for device in try await server.store.webAuthnDevices.all(
        of: UniversalID(username: "nora", realm: "alpha"))
      {
        _ = try await server.store.webAuthnDevices.delete(
          device.uuid, of: UniversalID(username: "nora", realm: "alpha"))
      }
      #expect(try await add("OathRegister", nora, server).status == 401)
    }
  }

  @Test(arguments: ["OathRegister", "BindDevice", "WebAuthnRegister"], [true, false])
  func `who has only a device for push adds another method after it has recognised them, and not without`(
    journey: String, approves: Bool
  ) async throws {
    try await LocalServer.run(
      .router,
      {
        Self.everything(&$0)
        $0.factorChanges = FactorChangePolicy(standard: .strong)
      }
    ) { server in
      var passkey = SoftAuthenticator()
      let token = try await signInNora(&passkey, server)
      let (ada, nora) = (Self.ada, UniversalID(username: "nora", realm: "alpha"))
      for device in try await server.store.webAuthnDevices.all(of: nora) {
        _ = try await server.store.webAuthnDevices.delete(device.uuid, of: nora)
      }
      let phone = try await server.enrolled()
      var device = try #require(try await server.store.pushDevices.all(of: ada).first)
      _ = try await server.store.pushDevices.delete(device.uuid, of: ada)
      device.username = "nora"
      try await server.store.openPushEnrolment(
        PushMessageRecord(
          id: "REGISTER:nora", realm: "alpha", username: "nora", kind: .registration,
          challenge: device.sharedSecret,
          enrolment: .init(
            uuid: device.uuid, issuer: device.issuer, sharedSecret: device.sharedSecret, deviceLimit: 1),
          sentAt: server.clock.now, expiresAt: server.clock.now.addingTimeInterval(60)))
      #expect(
        try await server.store.completePushEnrolment(
          id: "REGISTER:nora", device: device, now: server.clock.now) == .added)
      server.clock.advance(by: 600)

      let asked = try await add(journey, token, server)
      #expect(asked["callbacks"]?[0]?["type"] == "PollingWaitCallback", "\(asked.json)")
      let message = try #require(try await phone.poll(server).first)
      // The device asks for the person, not for a tap.
      #expect(message.claims["k"] == "biometric", "\(message.claims)")
      #expect(
        try await phone.answer(message, at: server, approves ? [:] : ["deny": true]).status == 200)
      let end = try await server.wait(asked)
      let types = end["callbacks"]?.arrayValue?.compactMap { $0["type"]?.stringValue } ?? []
      #expect((end.status == 200 && !types.isEmpty && !types.contains("PollingWaitCallback")) == approves)
      #expect(approves || end.status == 401)
    }
  }

  @Test func `a device is renamed, and a name with markup or from right to left stays a name`() async throws {
    try await LocalServer.recording { server, events in
      try await bind("d1", server)
      let ada = try await PageReader.signedIn("ada", server)
      let hebrew = String(repeating: "\u{5D0}", count: 119) + "\u{202E}"
      for (name, shown) in [
        ("Desk \u{2013} left", "Desk \u{2013} left"), (hebrew, hebrew),
        ("<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"),
        ("\"\u{301} autofocus onfocus=alert(1) x=\"", "&quot;\u{301} autofocus onfocus=alert(1) x=&quot;"),
      ] {
        let answer = try await ada.submit(Self.path("methods/key/d1"), ["name": " \(name) "])
        #expect(answer.status == 303 && answer.location == "../../../account/methods/key/d1?realm=%2Falpha")
        let page = try await ada.get(Self.path("methods/key/d1"))
        #expect(page.contains("The new name is saved.") && page.contains("<h1><bdi>\(shown)</bdi></h1>"))
        #expect(page.contains("value=\"\(shown)\""))
      }
      #expect(events.of(.deviceRenamed).count == 4 && events.areDurable(.deviceRenamed))
      for name in [
        "", "   ", String(repeating: "a", count: 121), "a\u{7}b", String(repeating: "x", count: 8000),
      ] {
        let answer = try await ada.submit(Self.path("methods/key/d1"), ["name": name])
        #expect(answer.status == 200 && answer.contains("A name has 1 to 120 characters"))
        #expect(answer.html.utf8.count < 20_000)
      }
      #expect(events.of(.deviceRenamed).count == 4)
    }
  }

  @Test func `removing asks first, warns of the last one, and happens once`() async throws {
    try await LocalServer.recording { server, events in
      try await bind("d1", server)
      try await bind("d2", server)
      let ada = try await PageReader.signedIn("ada", server)
      let first = try await ada.get(Self.path("methods/key/d1/remove"))
      #expect(first.status == 200 && !first.contains("last device"))
      let token = try #require(first.field("token"))
      for notice in ["The method was removed.", "That method is not there any more."] {
        // The form is sent twice, as by a second click.
        #expect(try await ada.post(Self.path("methods/key/d1/remove"), token: token).status == 303)
        #expect(try await ada.get(Self.path("methods")).contains(notice))
      }
      #expect(events.of(.deviceRemoved).count == 1 && events.areDurable(.deviceRemoved))
      let last = try await ada.get(Self.path("methods/key/d2/remove"))
      #expect(last.contains("This is your last device. After this only your password protects the account."))
      #expect(try await server.store.boundDevices.all(of: Self.ada).map(\.uuid) == ["d2"])
    }
  }

  @Test func `nobody sees, renames or removes what is another's, nor what is not there`() async throws {
    try await LocalServer.run { server in
      try await bind("d1", of: "bob", server)
      try await bind("mine", server)
      let ada = try await PageReader.signedIn("ada", server)
      let token = try #require(try await ada.get(Self.path("")).field("token"))
      for id in [
        "key/d1", "key/nothing", "passkey/mine", "nothing/mine", "key/..", "key/%2e%2e%2f",
        "key/" + String(repeating: "a", count: 5000),
      ] {
        #expect(try await ada.get(Self.path("methods/\(id)")).status == 404, "\(id.prefix(20))")
        #expect(try await ada.post(Self.path("methods/\(id)"), token: token, ["name": "x"]).status == 404)
        #expect(try await ada.get(Self.path("methods/\(id)/remove")).status == 404)
        _ = try await ada.post(Self.path("methods/\(id)/remove"), token: token)
      }
      let bob = UniversalID(username: "bob", realm: "alpha")
      #expect(try await server.store.boundDevices.all(of: bob).map(\.deviceName) == ["Phone"])
      #expect(try await server.store.boundDevices.all(of: Self.ada).count == 1)
    }
  }

  @Test func `five hundred devices come in pages`() async throws {
    try await LocalServer.run(.router, { $0.limits.stored.devicesPerAccount = 500 }) { server in
      for number in 1...500 { try await bind("d\(number)", name: "Device \(number)", server) }
      let ada = try await PageReader.signedIn("ada", server)
      var seen: Set<Substring> = []
      for page in 1...20 {
        let list = try await ada.get(Self.path("methods") + "&page=\(page)")
        let ids = list.html.components(separatedBy: "methods/key/").dropFirst().map {
          $0.prefix { $0 != "?" }
        }
        #expect(ids.count == 25 && list.html.utf8.count < 40_000)
        seen.formUnion(ids)
        #expect(list.contains(#"rel="next""#) == (page < 20) && list.contains(#"rel="prev""#) == (page > 1))
      }
      #expect(seen.count == 500)
      for odd in ["0", "-1", "21", "99999999999999999999", "x", "%00"] {
        #expect(try await ada.get(Self.path("methods") + "&page=\(odd)").status == 200, "\(odd)")
      }
    }
  }

  @Test func `what needs a stronger sign-in leads to it, and back to where it was`() async throws {
    let strong: @Sendable (inout ServerConfiguration) -> Void = {
      Self.everything(&$0)
      $0.factorChanges = FactorChangePolicy(standard: .any, realms: ["alpha": .strong])
    }
    try await LocalServer.run(.router, strong) { server in
      let (phone, _) = try await server.enrolledPhone()
      let weak = try await server.signIn("ada")
      let ada = PageReader(server, token: weak)
      let id = try #require(try await server.store.oathDevices.all(of: Self.ada).first?.uuid)
      let token = try #require(try await ada.get(Self.path("")).field("token"))
      for answer in [
        try await ada.get(Self.path("methods/app/\(id)/remove")),
        try await ada.post(Self.path("methods/app/\(id)/remove"), token: token),
        try await ada.get(Self.path("password")),
        try await ada.post(Self.path("codes"), token: token, ["kind": "OATH"]),
        try await ada.get(Self.path("methods/add/passkey")),
      ] {
        #expect(answer.status == 303)
        #expect(
          answer.location?.contains(
            "XUI/?realm=%2Falpha&service=StepUp&ForceAuth=true&sessionUser=true&goto=..%2Faccount%2F")
            == true)
      }
      // Without a realm in the address it is the session's.
      let bare = try await ada.get("/am/account/password")
      #expect(bare.location?.hasPrefix("../XUI/?realm=%2Falpha&service=StepUp") == true)
      #expect(try await server.store.oathDevices.all(of: Self.ada).count == 1)
      // The journey that adds a method would refuse this session at its end.
      let list = try await ada.get(Self.path("methods"))
      #expect(list.contains("methods/add/passkey?"))
      #expect(
        try await ada.get(Self.path("methods/add/passkey")).location?.contains("service=StepUp") == true)
      #expect(try await ada.get(Self.path("methods/add/carrier-pigeon")).status == 404)
      let stronger = PageReader(server, token: try await server.stepUp(weak, phone)["tokenId"]?.stringValue)
      let added = try await stronger.get(Self.path("methods/add/passkey"))
      #expect(
        added.location?.contains(
          "service=WebAuthnRegister&ForceAuth=true&sessionUser=true&goto=..%2Faccount%2Fmethods") == true)
      #expect(try await stronger.submit(Self.path("methods/app/\(id)/remove")).status == 303)
      #expect(try await server.store.oathDevices.all(of: Self.ada).isEmpty)
    }
  }

  // MARK: Recovery codes

  @Test func `recovery codes are made anew, shown once, and counted`() async throws {
    try await LocalServer.run(.router, Self.everything) { server in
      let (_, old) = try await server.enrolledPhone()
      let ada = try await PageReader.signedIn("ada", server)
      let page = try await ada.get(Self.path("codes"))
      #expect(page.contains("Codes left: 10") && !old.contains { page.contains($0) })
      let token = try #require(page.field("token"))
      let made = try await ada.post(Self.path("codes"), token: token, ["kind": "OATH"])
      let codes = made.html.matches(of: /<li>([A-Z2-7]{4}(?:-[A-Z2-7]{4}){3})<\/li>/).map { String($0.1) }
      #expect(
        codes.count == 10 && Set(codes).isDisjoint(with: old) && made.headers[.cacheControl] == "no-store")
      // Loading the page again sends the form again, and must not void what was written down.
      #expect(try await ada.post(Self.path("codes"), token: token, ["kind": "OATH"]).status == 303)
      #expect(try await ada.get(Self.path("codes")).contains("This was already done."))
      for kind in ["WEB_AUTHN", "", "OATH'; --", "push"] {
        #expect(try await ada.submit(Self.path("codes"), ["kind": kind]).status == 400)
      }
      let hash = RecoveryCodes.hash(try #require(codes.first))
      #expect(try await server.store.useRecoveryCode(hash, kind: "OATH", of: Self.ada))
      #expect(try await server.store.recoveryCodes(of: Self.ada) == ["OATH": 9, "PUSH": 10])
      #expect(try await ada.get(Self.path("codes")).contains("Codes left: 9"))
    }
  }

  // MARK: Sessions

  @Test func `sessions are seen and ended: one, all others, and never another's`() async throws {
    try await LocalServer.recording { server, events in
      let others = [
        try await server.signIn("ada"), try await server.signIn("ada"), try await server.signIn("ada"),
      ]
      let bob = try await server.signIn("bob")
      let ada = try await PageReader.signedIn("ada", server)
      let page = try await ada.get(Self.path("sessions"))
      #expect(page.contains("this one") && page.html.components(separatedBy: #"name="handle""#).count == 4)
      #expect(page.contains("Signed in by password"))
      let address = try await server.store.sessions(of: Self.ada, now: server.clock.now).first?.properties[
        "Host"]
      #expect(page.contains("from <bdi>\(address?.stringValue ?? "nowhere")</bdi>"))
      for other in others { #expect(!page.contains(other)) }
      let foreign = try #require(
        try await server.store.sessions(
          of: UniversalID(username: "bob", realm: "alpha"), now: server.clock.now
        ).first)
      for handle in [foreign.handle, "", "shandle:nothing", "\u{0}"] {
        #expect(try await ada.submit(Self.path("sessions"), ["handle": handle]).status == 303)
        #expect(try await ada.get(Self.path("sessions")).contains("That session is not there any more."))
      }
      #expect(events.of(.sessionEnded).isEmpty)
      let one = try #require(page.field("handle"))
      #expect(try await ada.submit(Self.path("sessions"), ["handle": one]).status == 303)
      #expect(try await server.store.sessions(of: Self.ada, now: server.clock.now).count == 3)
      _ = try await ada.submit(Self.path("sessions"))
      #expect(try await ada.get(Self.path("sessions")).contains("You are signed out everywhere else."))
      #expect(try await server.store.sessions(of: Self.ada, now: server.clock.now).count == 1)
      #expect(try await PageReader(server, token: bob).get(Self.path("sessions")).status == 200)
      #expect(events.of(.sessionEnded).count == 2)
    }
  }

  // MARK: Password

  @Test func `a password is changed with the old one, and ends the other sessions`() async throws {
    try await LocalServer.recording { server, events in
      let other = PageReader(server, token: try await server.signIn("ada"))
      let ada = try await PageReader.signedIn("ada", server)
      let new = "four quiet words here"
      for (fields, problem) in [
        (["current": "ada-password", "new": "short", "again": "short"], "needs at least 8 characters"),
        (["current": "ada-password", "new": "password", "again": "password"], "guessed first"),
        (
          ["current": "ada-password", "new": "ada@example.com", "again": "ada@example.com"],
          "too close to your name"
        ),
        (["current": "ada-password", "new": new, "again": new + "x"], "are not the same"),
        (["current": "wrong", "new": new, "again": new], "The current password is wrong"),
        ([:], "at least 8"),
      ] {
        let answer = try await ada.submit(Self.path("password"), fields)
        #expect(answer.status == 200 && answer.contains(problem), "\(problem)")
        #expect(!answer.contains(new) && !answer.contains("ada-password"), "no password comes back")
      }
      #expect(try await other.get(Self.path("")).status == 200 && events.of(.passwordChanged).isEmpty)
      let token = try #require(try await ada.get(Self.path("password")).field("token"))
      let fields = ["current": "ada-password", "new": new, "again": new]
      for notice in ["The new password is set.", "This was already done."] {
        #expect(try await ada.post(Self.path("password"), token: token, fields).status == 303)
        #expect(try await ada.get(Self.path("password")).contains(notice))
      }
      #expect(try await other.get(Self.path("")).status == 303)
      #expect(events.of(.passwordChanged).count == 1 && events.areDurable(.passwordChanged))
      _ = try await server.signIn("ada", password: new)
    }
  }

  @Test func `guesses of the old password are counted, and lock`() async throws {
    try await LocalServer.run { server in
      let ada = try await PageReader.signedIn("ada", server)
      let fields = ["new": "four quiet words here", "again": "four quiet words here"]
      for guess in 1...5 {
        _ = try await ada.submit(Self.path("password"), fields.merging(["current": "guess \(guess)"]) { $1 })
      }
      let answer = try await ada.submit(
        Self.path("password"), fields.merging(["current": "ada-password"]) { $1 })
      #expect(answer.contains("or there were too many tries"))
    }
  }

  // MARK: Activity

  @Test func `activity has what the store knows, newest first, and not another's`() async throws {
    try await LocalServer.run { server in
      try await bind("d1", name: "<b>Phone</b>", server)
      for (user, time) in [("ada", 1_767_952_700_000), ("bob", 1_767_952_600_000)] {
        let record = EvidenceRecord(
          kind: .sign, time: Int64(time), realm: "alpha", journey: "Pay of \(user)", nodeID: "n",
          username: user,
          userID: user, device: "d1", key: [:], transaction: ["fields": ["amount": "5 EUR"]], jws: "a.b.c")
        _ = try await server.store.addEvidence(
          record, once: OnceKey(key: Array(user.utf8), expiry: .distantFuture))
      }
      let ada = try await PageReader.signedIn("ada", server)
      let page = try await ada.get(Self.path("activity"))
      for text in [
        "A transaction was signed", "Pay of ada", "Added: Key of a device", "&lt;b&gt;Phone", "Sign-in",
      ] {
        #expect(page.contains(text), "\(text)")
      }
      #expect(!page.contains("Pay of bob"))
      let order = ["Signed in by password", "Pay of ada", "&lt;b&gt;Phone"].compactMap {
        page.html.range(of: $0)?.lowerBound
      }
      #expect(order.count == 3 && order == order.sorted())
      for odd in ["x", "-1", "99999999999999999999"] {
        #expect(try await ada.get(Self.path("activity") + "&until=\(odd)").status == 200)
      }
    }
  }

  private func attempt(
    _ number: Int, of name: String = "ada", journey: String = "Login", at time: Date,
    state: SignInAttempt.State = .failure, from address: String? = nil
  ) -> SignInAttempt {
    SignInAttempt(
      realm: "alpha", run: "run-\(number)", journey: journey, account: name, startedAt: time, latest: time,
      state: state,
      steps: [.init(journey: journey, node: "n", name: "<script>", type: "evil", outcome: "secret outcome")],
      reason: "secret reason", address: address)
  }

  @Test func `refused sign-ins and others say where they came from, a few places of a day at most`()
    async throws
  {
    try await LocalServer.run { server in
      let noon = server.clock.now.addingTimeInterval(-2 * 86_400)
      let from = ["192.0.2.1", "192.0.2.2", "192.0.2.2", "2001:db8::1", "198.51.100.9", nil]
      try await server.server.activity.activity.note(
        from.enumerated().map { attempt($0, at: noon, from: $1) }
          + [attempt(9, at: noon.addingTimeInterval(-86_400), from: "203.0.113.5")], [])
      let ada = try await PageReader.signedIn("ada", server)
      let page = try await ada.get(Self.path("activity"))
      #expect(page.contains("from <bdi>192.0.2.1, 192.0.2.2, 198.51.100.9, …</bdi>"), "\(page.html)")
      #expect(page.contains("from <bdi>203.0.113.5</bdi>"))
    }
  }

  @Test func `a refused request leaves its address, as a session does`() async throws {
    try await LocalServer.run(.live) { server in
      _ = try await server.call(
        .post, "\(LocalServer.alpha)/authenticate",
        headers: ["X-OpenAM-Username": "ada", "X-OpenAM-Password": "a guess"])
      await server.server.activity.store(everything: true)
      let ada = try await PageReader.signedIn("ada", server)
      let page = try await ada.get(Self.path("activity"))
      let places = page.html.matches(of: /from <bdi>([^<]*)<\/bdi>/).map { String($0.1) }
      #expect(places == ["127.0.0.1", "127.0.0.1"], "\(page.html)")
      #expect(try await ada.get(Self.path("sessions")).contains("from <bdi>127.0.0.1</bdi>"))
    }
  }

  @Test
  func `a refused sign-in is among the activity, with its journey and without what only operators read`()
    async throws
  {
    try await LocalServer.run { server in
      let wrong = try await server.call(
        .post, "\(LocalServer.alpha)/authenticate",
        headers: ["X-OpenAM-Username": "ADA", "X-OpenAM-Password": "a guess of somebody's"])
      #expect(wrong.status == 401)
      await server.server.activity.store(everything: true)
      let noon = server.clock.now.addingTimeInterval(-2 * 86_400)
      try await server.server.activity.activity.note(
        [
          attempt(1, journey: "<b>Nowhere</b>", at: noon), attempt(2, of: "bob", at: noon),
          attempt(3, at: noon, state: .open), attempt(4, at: noon, state: .success),
        ], [])
      for (language, words) in [
        ("en", ["Sign-in <span class=\"state bad\">refused</span>", "did not get into your account"]),
        ("de", ["Anmeldung <span class=\"state bad\">abgelehnt</span>", "kam nicht in Ihr Konto"]),
      ] {
        let ada = try await PageReader.signedIn("ada", server, language: language)
        let page = try await ada.get(Self.path("activity"))
        // Both days, one each: what went well and what was left is not refused.
        #expect(page.html.components(separatedBy: words[0]).count == 3, "\(page.html)")
        #expect(page.contains(words[1]) && page.contains("<bdi class=\"muted\">Login</bdi>"))
        #expect(page.contains("activity/report"))
        for hidden in ["secret", "script&gt;", "Nowhere", "evil", "a guess"] {
          #expect(!page.contains(hidden), "\(hidden)")
        }
      }
      let bob = try await PageReader.signedIn("bob", server)
      #expect(try await bob.get(Self.path("activity")).html.components(separatedBy: ">refused<").count == 2)
    }
  }

  @Test func `a flood of wrong passwords is one entry a day, and crowds nothing out`() async throws {
    try await LocalServer.run { server in
      try await bind("d1", server)
      let noon = LocalServer.morning
      let most = RefusedSignIns.mostOfDay
      func day(_ day: Int, _ count: Int, _ state: SignInAttempt.State) -> [SignInAttempt] {
        (0..<count).map { number in
          attempt(
            day * 1000 + number, at: noon.addingTimeInterval(Double(-day * 86_400 - number)), state: state)
        }
      }
      let activity = server.server.activity.activity
      // Today only begun and left, yesterday more than is looked at, before that one, and one that is weeks old.
      for flood in [
        day(0, most + 5, .open), day(1, 2 * most, .failure), day(2, 1, .failure), day(3, 3, .failure),
        day(25, 2, .failure),
      ] { try await activity.note(flood, []) }
      let ada = try await PageReader.signedIn("ada", server)
      let page = try await ada.get(Self.path("activity"))
      #expect(page.html.components(separatedBy: ">refused<").count - 1 == 4)
      #expect(
        page.html.matches(of: /Sign-ins on this day: (\d+\+?)/).map { String($0.1) } == [
          "\(most)+", "\(most)+", "3", "2",
        ])
      #expect(page.contains("Added: Key of a device") && page.contains("Signed in by password"))
      #expect(!page.contains("until="))
      let overview = try await ada.get(Self.path(""))
      #expect(overview.html.components(separatedBy: "Sign-ins on this day").count == 2)
      #expect(overview.contains("Added: Key of a device") && overview.contains("Signed in by password"))
    }
  }

  @Test func `activity goes on on further pages, without a gap and without an end`() async throws {
    try await LocalServer.run { server in
      for number in 1...45 {
        let record = EvidenceRecord(
          kind: .sign, time: 1_767_900_000_000 + Int64(number), realm: "alpha", journey: "Run \(number)!",
          nodeID: "n",
          username: "ada", userID: "ada", device: "d1", key: [:], jws: "a.b.c")
        _ = try await server.store.addEvidence(
          record, once: OnceKey(key: [UInt8(number)], expiry: .distantFuture))
      }
      let ada = try await PageReader.signedIn("ada", server)
      var (path, seen) = (Self.path("activity"), 0)
      for _ in 1...4 {
        let page = try await ada.get(path)
        seen += page.html.components(separatedBy: "Run ").count - 1
        guard let until = page.html.firstMatch(of: /rel="next" href="[^"]*until=(\d+)/) else { break }
        path = Self.path("activity") + "&until=\(until.1)"
      }
      #expect(seen == 45)
    }
  }

  @Test func `who was not it is signed out elsewhere, and the administrators are told`() async throws {
    try await LocalServer.recording { server, events in
      let thief = PageReader(server, token: try await server.signIn("ada"))
      let ada = try await PageReader.signedIn("ada", server)
      #expect(try await ada.get(Self.path("activity/report")).contains("The administrators are told."))
      #expect(events.of(.accountReported).isEmpty, "a link reports nothing")
      let answer = try await ada.submit(Self.path("activity/report"))
      #expect(answer.location?.hasPrefix("../../account/password") == true)
      #expect(try await ada.get(Self.path("password")).contains("the administrators are told"))
      let event = try #require(events.of(.accountReported).first)
      #expect(event.account == "ada" && event.realm == "alpha" && event.detail == ["sessions": 1])
      #expect(events.areDurable(.accountReported) && server.logContains("reports activity"))
      #expect(try await thief.get(Self.path("")).status == 303)
    }
  }

  // MARK: Signatures

  @Test
  func `signatures are listed as what they are, with the proof that administrators get, too`() async throws {
    let folder = try TemporaryFolder.make()
    try await LocalServer.run {
      $0.dataDirectory = folder.url.appending(path: "data")
    } body: { server in
      func token(_ challenge: String) -> String {
        let header = Base64URL.encode(Array(#"{"alg":"ES256","kid":"d1"}"#.utf8))
        let claims: JSONValue = ["challenge": .string(challenge)]
        return "\(header).\(Base64URL.encode(claims.serialized)).AAAA"
      }
      for (user, key) in [("ada", 1), ("bob", 2)] {
        let record = EvidenceRecord(
          kind: .sign, time: 1_767_952_700_000, realm: "alpha", journey: "Pay", nodeID: "n", username: user,
          userID: user, device: "d1", key: ["kty": "EC"], jws: token("I am <i>\(user)</i>"))
        _ = try await server.store.addEvidence(
          record, once: OnceKey(key: [UInt8(key)], expiry: .distantFuture))
      }
      let ada = try await PageReader.signedIn("ada", server)
      let page = try await ada.get(Self.path("signatures"))
      #expect(page.contains("I am &lt;i&gt;ada&lt;/i&gt;") && !page.contains("bob"))
      #expect(page.contains("<h3>A text</h3>") && !page.contains("<h3>Sign-in</h3>"))
      let proof = try await ada.get(Self.path("signatures/1"))
      #expect(proof.status == 200 && proof.headers[.contentType] == "application/json")
      #expect(proof.headers[.contentDisposition] == #"attachment; filename="evidence-1.json""#)
      // It was the entry alone, which `sealring audit verify` does not take.
      _ = try UnverifiedInclusion(parsing: Array(proof.html.utf8))
      for other in ["2", "3", "0", "-1", "x", "99999999999999999999"] {
        #expect(try await ada.get(Self.path("signatures/\(other)")).status == 404, "\(other)")
      }
    }
  }

  @Test(arguments: [
    "", "methods", "sessions", "activity", "signatures", "password", "codes", "activity/report",
  ])
  func `every page is there in German, light enough, and for the signed in only`(page: String) async throws {
    try await LocalServer.run { server in
      try await bind("d1", server)
      let ada = try await PageReader.signedIn("ada", server, language: "de")
      let answer = try await ada.get(Self.path(page))
      #expect(
        answer.status == 200 && answer.contains(#"<html lang="de">"#)
          && answer.contains("Zum Inhalt springen"))
      // With style and script under 100 KB.
      #expect(answer.html.utf8.count < 40_000)
      #expect(!answer.html.contains(/\{\{|\}\}|>\w+\.\w+</), "a key or a field is left")
      #expect(try await PageReader(server, token: nil).get(Self.path(page)).status == 303)
    }
  }
}
