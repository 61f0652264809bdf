import BindingFormats
import CommonFixtures
import Concurrency
import EvidenceLedger
import Foundation
import HTTPTypes
import HummingbirdTesting
import JourneyEngine
import JourneyStore
import SecurityEvents
import StrictJSON
import Testing

@testable import Assembly
@testable import Operations
@testable import ServerHTTP

@Suite("Pages of the administration") struct AdministrationTests {
  private static let pages = [
    "/am/admin/", "/am/admin/users", "/am/admin/users/ada", "/am/admin/signins", "/am/admin/signins?name=ada",
    "/am/admin/journeys", "/am/admin/journeys/Login", "/am/admin/upload", "/am/admin/ledger",
    "/am/admin/verify", "/am/admin/export", "/am/admin/devices", "/am/admin/server",
  ]

  static func of(_ page: String, realm: String = "/alpha") -> String {
    page + (page.contains("?") ? "&" : "?") + "realm=\(realm)"
  }

  @Test func `an administrator sees every page in English and German, none with a script of its own`()
    async throws
  {
    try await LocalServer.run { server in
      let (english, german) = (
        try await PageReader.administrator(server), try await PageReader.administrator(server, language: "de")
      )
      _ = try await server.signIn("ada")
      for path in Self.pages where path != "/am/admin/export" {
        for reader in [english, german] {
          let page = try await reader.get(Self.of(path))
          #expect(page.status == 200, "\(path)")
          #expect(!page.contains(" style=") && !page.contains("<style"), "\(path)")
          #expect(!page.html.contains("admin."), "a text is missing on \(path)")
          #expect(page.html.utf8.count < 60_000, "\(path) weighs \(page.html.utf8.count)")
        }
      }
      #expect(try await german.get(Self.of("/am/admin/users")).contains("<h1>Benutzer</h1>"))
    }
  }

  @Test
  func
    `an administrator of all realms lands in the realm that has people, and stays in the one that she chose`()
    async throws
  {
    try await LocalServer.run { server in
      let reader = try await PageReader.administrator(server)
      let landed = try await reader.get("/am/admin/?span=day")
      #expect(landed.status == 303 && landed.location?.hasSuffix("admin/?span=day&realm=%2Falpha") == true)
      let root = try await reader.get("/am/admin/?realm=/")
      #expect(root.status == 200 && root.html.contains("admin/?realm=%2F\""), "\(root.html)")
    }
    try await LocalServer.run(.router, { $0.realms = ["root"] }) { server in
      let only = try await PageReader.administrator(server)
      #expect(try await only.get("/am/admin/").status == 200)
    }
  }

  @Test func `nobody goes to the sign-in page, and a user is told that it is not for them`() async throws {
    try await LocalServer.run { server in
      let (ada, nobody) = (try await PageReader.signedIn("ada", server), PageReader(server, token: nil))
      for path in Self.pages {
        // A bookmark does not say whose administrator comes.
        let door = try await nobody.get(Self.of(path))
        #expect(door.status == 200 && door.contains("Which administrator are you?"), "\(path)")
        #expect(door.contains("XUI/?realm=%2F&amp;goto=") && door.contains("realm%3D%252Falpha"), "\(path)")
        #expect(door.contains("XUI/?realm=%2Falpha&amp;goto="), "\(path)")
        let own = try await nobody.get(path)
        #expect(own.status == 303 && own.location?.contains("XUI/?realm=%2F&") == true, "\(path)")
        let page = try await ada.get(Self.of(path))
        #expect(page.status == 403, "\(path)")
        #expect(page.contains("You are not allowed to do this"), "\(path)")
        #expect(try await ada.get(path).status == 403, "\(path)")
      }
      let token = try #require(try await ada.get("/am/account/").field("token"))
      for (path, fields) in [
        ("/am/admin/users", ["username": "eve"]), ("/am/admin/users/bob", ["do": "deactivate"]),
        ("/am/admin/upload", ["export": "{}", "do": "live"]),
      ] {
        #expect(try await ada.post(Self.of(path), token: token, fields).status == 403, "\(path)")
      }
      #expect(try await server.store.user(named: "bob", realm: "alpha")?.isActive == true)
      #expect(try await server.store.user(named: "eve", realm: "alpha") == nil)
    }
  }

  @Test func `an administrator of one realm sees that realm alone, not the whole server`() async throws {
    try await LocalServer.run { server in
      _ = try await server.store.changeRole(
        RoleChange(.administrator, isGrant: true, username: "ada", realm: "alpha"), by: nil)
      let ada = try await PageReader.signedIn("ada", server)
      #expect(try await ada.get("/am/admin/users").contains("bob"))
      #expect(try await ada.get(Self.of("/am/admin/users", realm: "/")).status == 303)
      for path in ["/am/admin/server", "/am/admin/verify", "/am/admin/export"] {
        #expect(try await ada.get(path).status == 403, "\(path)")
      }
      #expect(!(try await ada.get("/am/admin/").contains("Requests to this server")))
      // The help desk and auditors have their own interfaces.
      _ = try await server.store.changeRole(
        RoleChange(.helpDesk, isGrant: true, username: "bob", realm: "alpha"), by: nil)
      let bob = try await PageReader.signedIn("bob", server)
      #expect(try await bob.get("/am/admin/users").status == 403)
    }
  }

  @Test func `an administrator with a second factor has to prove it`() async throws {
    try await LocalServer.run { server in
      let reader = try await PageReader.administrator(server)
      #expect(try await reader.get("/am/admin/users").status == 200)
      _ = try await server.store.addBoundDevice(
        BoundDeviceRecord(
          uuid: "d", realm: "root", username: "amAdmin", deviceID: "i", deviceName: "Laptop", key: [:],
          thumbprint: "t", createdDate: server.clock.now, lastAccessDate: server.clock.now),
        limit: DeviceLimit(0))
      let answer = try await reader.get("/am/admin/users")
      #expect(answer.status == 303 || answer.status == 403)
      #expect(!answer.contains("amAdmin@"))
      let token = try #require(try await reader.get("/am/account/").field("token"))
      let change = try await reader.post(
        Self.of("/am/admin/users/ada"), token: token, ["do": "deactivate", "reason": "x"])
      #expect(change.status == 303 || change.status == 403)
      #expect(try await server.store.user(named: "ada", realm: "alpha")?.isActive == true)
    }
  }

  // MARK: Users

  @Test func `users are found by the beginning of a name or an address, page after page`() async throws {
    try await LocalServer.run { server in
      for index in 0..<60 {
        try await server.store.createUser(
          UserRecord(
            realm: "alpha", username: String(format: "mira%02d", index),
            mail: ["post\(index)@example.org"], createdAt: server.clock.now))
      }
      let reader = try await PageReader.administrator(server)
      func names(_ page: ReadPage) -> [String] {
        page.html.matches(of: /<bdi>(mira\d\d)<\/bdi>/).map { String($0.1) }
      }
      let first = try await reader.get(Self.of("/am/admin/users?find=MiRa"))
      #expect(names(first) == (0..<25).map { String(format: "mira%02d", $0) })
      let second = try await reader.get(Self.of("/am/admin/users?find=MiRa&after=mira24"))
      #expect(names(second).first == "mira25" && names(second).count == 25)
      let third = try await reader.get(Self.of("/am/admin/users?find=MiRa&after=mira49"))
      #expect(names(third).count == 10 && !third.contains("rel=\"next\""))
      #expect(names(try await reader.get(Self.of("/am/admin/users?find=post7@"))) == ["mira07"])
      #expect(try await reader.get(Self.of("/am/admin/users?find=nobody")).contains("There is nobody"))
      #expect(names(try await reader.get(Self.of("/am/admin/users?find=mira07"))) == ["mira07"])
      // All of them, by name.
      #expect(try await reader.get(Self.of("/am/admin/users")).contains("rel=\"next\""))
    }
  }

  @Test func `an account is created, deactivated and activated, with the events that REST has`() async throws
  {
    let recorder = EventRecorder()
    try await LocalServer.run {
      $0.eventSink = recorder
    } body: { server in
      let reader = try await PageReader.administrator(server)
      let page = Self.of("/am/admin/users")
      let weak = try await reader.submit(page, ["username": "mira", "password": "abc"])
      #expect(weak.status == 200 && weak.contains("id=\"problem\"") && weak.contains("value=\"mira\""))
      let created = try await reader.submit(
        page, ["username": "mira", "password": "a good long password", "mail": "mira@example.org"])
      #expect(created.status == 303 && created.location?.contains("users/mira") == true)
      #expect(try await reader.submit(page, ["username": "MIRA"]).contains("id=\"problem\""))
      // A second click on the button finds that it is done.
      let token = try await reader.get(page).field("token")
      for target in ["users/noor", "users?"] {
        let answer = try await reader.post(page, token: token, ["username": "noor"])
        #expect(answer.status == 303 && answer.location?.contains(target) == true, "\(answer.location ?? "")")
      }
      let user = try #require(try await server.store.user(named: "mira", realm: "alpha"))
      #expect(user.mail == ["mira@example.org"] && user.passwordHash != nil)
      let own = Self.of("/am/admin/users/mira")
      #expect(try await reader.submit(own, ["do": "deactivate", "reason": "has left"]).status == 303)
      #expect(try await server.store.user(named: "mira", realm: "alpha")?.isActive == false)
      #expect(try await reader.get(own).contains("Its sessions have ended."))
      #expect(try await reader.submit(own, ["do": "activate"]).status == 303)
      #expect(try await reader.submit(own, ["do": "somersault", "reason": "x"]).contains("id=\"problem\""))
      for kind in [SecurityEvent.Kind.accountCreated, .accountDeactivated, .accountActivated] {
        #expect(
          recorder.all(kind).map(\.account) == (kind == .accountCreated ? ["mira", "noor"] : ["mira"]),
          "\(kind)")
        #expect(Set(recorder.all(kind).map(\.actor)) == ["amAdmin@root"], "\(kind)")
      }
      // The last administrator cannot shut everybody out.
      let refused = try await reader.submit("/am/admin/users/amAdmin", ["do": "deactivate", "reason": "x"])
      #expect(refused.status == 200 && refused.contains("id=\"problem\""))
    }
  }

  @Test func `what is done to a person's account has a reason, which stands in its event`() async throws {
    let recorder = EventRecorder()
    try await LocalServer.run {
      $0.eventSink = recorder
    } body: { server in
      let reader = try await PageReader.administrator(server)
      let page = Self.of("/am/admin/users/ada")
      let acts: [([String: String], SecurityEvent.Kind)] = [
        (["do": "password", "password": "seven grey herons"], .passwordReset),
        (["do": "grant", "role": "helpdesk"], .roleGranted),
        (["do": "revoke", "role": "helpdesk"], .roleRevoked),
        (["do": "sessions"], .sessionEnded), (["do": "deactivate"], .accountDeactivated),
        (["do": "delete", "name": "ada"], .accountDeleted),
      ]
      for (fields, kind) in acts {
        let unasked = try await reader.submit(page, fields)
        #expect(unasked.contains("Say why") && recorder.all(kind).isEmpty, "\(fields)")
        let done = try await reader.submit(page, fields.merging(["reason": "ticket 4711"]) { $1 })
        #expect(done.status == 303, "\(fields) \(done.html)")
        #expect(recorder.all(kind).map { $0.detail["reason"] } == ["ticket 4711"], "\(fields)")
        if kind == .passwordReset {
          #expect(try await server.store.user(named: "ada", realm: "alpha")?.mustChangePassword == true)
        }
      }
      // Another name than the account's deletes nothing.
      let other = Self.of("/am/admin/users/bob")
      #expect(
        try await reader.submit(other, ["do": "delete", "name": "ada", "reason": "x"]).contains(
          "Nothing was deleted"))
      #expect(try await server.store.user(named: "bob", realm: "alpha") != nil)
    }
  }

  @Test func `in German a deactivated account and a lock after wrong tries have words of their own`()
    async throws
  {
    try await LocalServer.run { server in
      let reader = try await PageReader.administrator(server)
      let page = try await reader.get(Self.of("/am/admin/users/ada") + "&lang=de")
      #expect(page.contains("Konto deaktivieren") && !page.contains("Konto sperren"))
      #expect(page.contains("Sperre nach Fehlversuchen aufheben") && !page.contains(">Sperren aufheben<"))
    }
  }

  @Test func `a lock is lifted, and factors go only with a reason, which is recorded`() async throws {
    let recorder = EventRecorder()
    try await LocalServer.run {
      $0.eventSink = recorder
    } body: { server in
      let account = UniversalID(username: "ada", realm: "alpha")
      for _ in 0..<5 {
        _ = try await server.store.settleAttempt(
          of: account, isRight: false, policy: .standard, now: server.clock.now)
      }
      _ = try await server.store.addBoundDevice(
        BoundDeviceRecord(
          uuid: "d", realm: "alpha", username: "ada", deviceID: "i",
          deviceName: "<script>alert(1)</script>\u{202E}phone", key: [:],
          thumbprint: "t", createdDate: server.clock.now, lastAccessDate: server.clock.now),
        limit: DeviceLimit(0))
      let reader = try await PageReader.administrator(server)
      let path = Self.of("/am/admin/users/ada")
      let page = try await reader.get(path)
      #expect(page.contains("Locked until") && page.contains("&lt;script&gt;") && !page.contains("<script>"))
      #expect(try await reader.submit(path, ["do": "unlock"]).status == 303)
      #expect(!(try await reader.get(path).contains("Locked until")))
      #expect(
        try await reader.submit(path, ["do": "reset", "kind": "binding", "reason": " \n"]).contains(
          "Say why"))
      #expect(try await server.store.boundDevices.all(of: account).count == 1)
      #expect(
        try await reader.submit(path, ["do": "reset", "kind": "nothing", "reason": "x"]).contains(
          "id=\"problem\""))
      let reset = try await reader.submit(
        path, ["do": "reset", "kind": "binding", "reason": "lost the phone on the train"])
      #expect(reset.status == 303)
      #expect(try await server.store.boundDevices.all(of: account).isEmpty)
      let event = try #require(recorder.all(.devicesReset).first)
      #expect(event.account == "ada" && event.actor == "amAdmin@root")
      #expect(event.detail["reason"] == "lost the phone on the train" && event.detail["kind"] == "binding")
      #expect(recorder.all(.lockLifted).count == 1)
    }
  }

  @Test func `a form of another site, or of another session, changes nothing`() async throws {
    try await LocalServer.run { server in
      let (reader, other) = (
        try await PageReader.administrator(server), try await PageReader.administrator(server)
      )
      let own = try #require(try await reader.get("/am/admin/users").field("token"))
      let foreign = try #require(try await other.get("/am/admin/users").field("token"))
      let path = Self.of("/am/admin/users/ada")
      #expect(try await reader.post(path, token: foreign, ["do": "deactivate"]).status == 303)
      #expect(try await reader.post(path, token: nil, ["do": "deactivate"]).status == 303)
      #expect(
        try await reader.post(
          path, token: own, ["do": "deactivate"], headers: ["Sec-Fetch-Site": "cross-site"]
        ).status == 403)
      #expect(try await server.store.user(named: "ada", realm: "alpha")?.isActive == true)
    }
  }

  // MARK: Sign-ins

  @Test func `why somebody cannot sign in stands on one page, with the path and the node that said no`()
    async throws
  {
    try await LocalServer.run { server in
      let reader = try await PageReader.administrator(server)
      let step = try await server.start()
      _ = try await server.call(
        .post, "\(LocalServer.alpha)/authenticate", body: LocalServer.reply(to: step, "ada", "wrong"))
      let page = try await reader.get(Self.of("/am/admin/signins?name=ADA"))
      #expect(page.contains("What the server knows of ADA"))
      #expect(page.contains("was refused in journey Login: the password is wrong"))
      #expect(page.contains("class=\"state bad\">Refused"))
      let link = try #require(page.html.firstMatch(of: /href="[^"]*signins\/([0-9a-f]{16})/))
      let own = try await reader.get(Self.of("/am/admin/signins/\(link.1)"))
      #expect(own.status == 200 && own.contains("class=\"way taken\"") && own.contains("visited last"))
      #expect(!own.contains("wrong\""))
      #expect(
        try await reader.get(Self.of("/am/admin/signins?name=zoe")).contains("The account is deactivated"))
      #expect(
        try await reader.get(Self.of("/am/admin/signins?name=%3Cb%3E")).contains("no account of this name"))
      #expect(try await reader.get(Self.of("/am/admin/signins/\(link.1)", realm: "/")).status == 404)
      #expect(try await reader.get(Self.of("/am/admin/signins")).contains("DataStoreDecisionNode"))
    }
  }

  @Test func `a name that is markup is shown as text`() async throws {
    try await LocalServer.run { server in
      let hostile = "<img src=x onerror=alert(1)>"
      let step = try await server.start()
      _ = try await server.call(
        .post, "\(LocalServer.alpha)/authenticate", body: LocalServer.reply(to: step, hostile, "wrong"))
      let reader = try await PageReader.administrator(server)
      for path in ["/am/admin/signins", "/am/admin/signins?name=%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E"] {
        let page = try await reader.get(Self.of(path))
        #expect(page.contains("&lt;img") && !page.contains("<img"), "\(path)")
      }
    }
  }

  @Test func `plots show what happened in the span that is asked for`() async throws {
    try await LocalServer.run { server in
      _ = try await server.signIn("ada")
      let reader = try await PageReader.administrator(server)
      for span in ["hour", "day", "week", "month", "year", "century"] {
        let page = try await reader.get(Self.of("/am/admin/?span=\(span)"))
        #expect(page.contains("<svg class=\"plot\"") && page.contains("Signed in: 1"), "\(span)")
        #expect(page.contains("<dt>Sign-ins</dt><dd>1</dd>"), "\(span)")
      }
    }
  }

  @Test func `answers that went well are calm, redirects pale, refusals amber, and percentiles have values`()
    async throws
  {
    try await LocalServer.run { server in
      _ = try await server.signIn("ada")
      let step = try await server.start()
      let refused = try await server.call(
        .post, "\(LocalServer.alpha)/authenticate", body: LocalServer.reply(to: step, "ada", "wrong"))
      #expect(refused.status == 401)
      let reader = try await PageReader.administrator(server)
      _ = try await PageReader(server, token: nil).get(Self.of("/am/account/"))
      let page = try await reader.get("/am/admin/?realm=/alpha")
      let legend = page.html.matches(
        of: /<span class="swatch (series-\d)"[^>]*><\/span><bdi>([^<]*)<\/bdi>: ([^<]*)</)
      let looks = Dictionary(legend.map { (String($0.2), String($0.1)) }) { first, _ in first }
      #expect(looks["2xx"] == "series-0" && looks["4xx"] == "series-3", "\(looks)")
      #expect(looks["3xx"] == nil || looks["3xx"] == "series-4", "\(looks)")
      #expect(legend.count { $0.3.hasSuffix(" ms") } == 2, "the median and the slowest twentieth")
      // The last hour is what one looks at first.
      #expect(page.html.contains(/<a href="[^"]*span=hour[^"]*" aria-current="true">/))
    }
  }

  // MARK: The ledger and the rest

  private static func note(_ count: Int, realm: String = "alpha", in store: any ServerStore) async throws {
    for index in 0..<count {
      _ = try await store.addEvidence(
        EvidenceRecord(
          kind: index % 2 == 0 ? .bind : .sign, time: 1_767_952_800_000, realm: realm, journey: "SignIn",
          nodeID: "n", username: index % 3 == 0 ? "ada" : "bob", userID: "id=<b>",
          device: "<i>\(index)", key: ["kty": "EC"], jws: "a.b.c"),
        once: OnceKey(key: Array("\(realm) \(index)".utf8), expiry: .distantFuture))
    }
  }

  @Test func `entries are listed by name and kind, page after page, and another realm's are not there`()
    async throws
  {
    try await LocalServer.run { server in
      try await Self.note(40, in: server.store)
      try await Self.note(1, realm: "root", in: server.store)
      let reader = try await PageReader.administrator(server)
      func numbers(_ page: ReadPage) -> [Int] {
        page.html.matches(of: /ledger\/(\d+)/).compactMap { Int($0.1) }
      }
      let first = try await reader.get(Self.of("/am/admin/ledger"))
      #expect(numbers(first) == Array((16...40).reversed()))
      #expect(
        numbers(try await reader.get(Self.of("/am/admin/ledger?before=16"))) == Array((1...15).reversed()))
      #expect(
        numbers(try await reader.get(Self.of("/am/admin/ledger?name=ADA&kind=bind"))).allSatisfy {
          $0 % 2 == 1
        })
      for hostile in ["before=x", "before=-1", "kind=%3Cb%3E", "name=%22%3E%3Cscript%3E"] {
        let page = try await reader.get(Self.of("/am/admin/ledger?\(hostile)"))
        #expect(page.status == 200 && !page.contains("<script>") && !page.contains("<b>"), "\(hostile)")
      }
      let entry = try await reader.get(Self.of("/am/admin/ledger/3"))
      #expect(entry.status == 200 && entry.contains("&lt;i&gt;2") && !entry.contains("<i>"))
      for path in ["ledger/41", "ledger/0", "ledger/x", "proof/41", "proof/1"] {
        #expect(try await reader.get(Self.of("/am/admin/\(path)")).status == 404, "\(path)")
      }
      #expect(try await reader.get("/am/admin/verify").contains("only in memory"))
      #expect(try await reader.get("/am/admin/export").status == 404)
    }
  }

  @Test func `devices are counted by kind and attestation, and an account with a hundred of them is shown`()
    async throws
  {
    try await LocalServer.run { server in
      for index in 0..<100 {
        _ = try await server.store.addBoundDevice(
          BoundDeviceRecord(
            uuid: "d\(index)", realm: "alpha", username: "ada", deviceID: "i",
            deviceName: String(repeating: "\u{202E}<", count: 60), key: ["kty": "EC"],
            thumbprint: "t\(index)",
            createdDate: server.clock.now, lastAccessDate: server.clock.now,
            attestation: index < 30 ? ["kind": "tpm"] : nil),
          limit: DeviceLimit(0))
      }
      let reader = try await PageReader.administrator(server)
      let page = try await reader.get(Self.of("/am/admin/devices"))
      #expect(page.contains("Bound devices: 100"))
      #expect(page.contains("<td class=\"number\">70</td>") && page.contains("<td class=\"number\">30</td>"))
      let ada = try await reader.get(Self.of("/am/admin/users/ada"))
      #expect(ada.html.matches(of: /<bdi>\u{202E}&lt;/).count == 100)
      // Counted once a minute, not with each look.
      _ = try await server.store.deleteUser(UniversalID(username: "ada", realm: "alpha"))
      #expect(try await reader.get(Self.of("/am/admin/devices")).contains("Bound devices: 100"))
      server.clock.advance(by: 61)
      #expect(try await reader.get(Self.of("/am/admin/devices")).contains("There are no devices."))
    }
  }

  @Test func `the server says what is wrong with its machine, and what to do about it`() async throws {
    let folder = try TemporaryFolder.make()
    try await LocalServer.run {
      $0.dataDirectory = folder.url.appending(path: "data")
      $0.host = "0.0.0.0"
      $0.allowsInsecureHTTP = true
      $0.checkpoints.file = folder.url.appending(path: "checkpoint.json")
    } body: { server in
      let key = folder.url.appending(path: "data/server.key")
      let reader = try await PageReader.administrator(server)
      let well = try await reader.get("/am/admin/server")
      func state(_ check: String, _ page: ReadPage) -> Substring? {
        page.html.components(separatedBy: "<h3>\(check)</h3>").dropFirst().first?
          .firstMatch(of: /<span class="state [a-z]*">([^<]*)</)?.1
      }
      for check in ["data folder", "key file", "database file", "disk space", "time", "server key", "mail"] {
        #expect(state(check, well) == "In order" || check == "disk space", "\(check)")
      }
      #expect(state("configuration", well) == "Look at this" && well.contains("--trusted-proxy"))
      #expect(state("checkpoints of the ledger", well) == "Wrong" && well.contains("none has arrived yet"))
      #expect(
        state("TLS certificate", well) == "Not used" && state("age of the server key", well) == "In order")
      // The overview has their number, and leads here.
      let open = well.html.matches(of: /<span class="state (bad|warn)">/).count
      let overview = try await reader.get("/am/admin/?realm=/alpha")
      #expect(
        open > 1
          && overview.html.contains(/<dt>Open findings<\/dt><dd><a href="[^"]*admin\/server[^"]*">\d+<\/a>/))
      let figure = overview.html.firstMatch(of: /<dt>Open findings<\/dt><dd><a [^>]*>(\d+)/)?.1
      #expect(figure.flatMap { Int($0) } == open)
      // What is wrong comes first.
      #expect(well.html.firstMatch(of: /<span class="state ([a-z]*)">/)?.1 == "bad")

      try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: key.path)
      #expect(
        state("key file", try await reader.get("/am/admin/server")) == "In order", "looked at once a minute")
      server.clock.advance(by: 61)
      let ill = try await reader.get("/am/admin/server")
      #expect(state("key file", ill) == "Wrong" && ill.contains("chmod 600"))
      // A key that grew old.
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSinceNow: -401 * 86_400), .posixPermissions: 0o600],
        ofItemAtPath: key.path)
      server.clock.advance(by: 61)
      let old = try await reader.get("/am/admin/server")
      #expect(state("age of the server key", old) == "Look at this" && old.contains("sealring key rotate"))
      #expect(state("key file", old) == "In order")
    }
    withExtendedLifetime(folder) {}
  }

  @Test func `on a German page every finding is in German, and the command says the same in English`()
    async throws
  {
    let folder = try TemporaryFolder.make()
    try await LocalServer.run {
      $0.dataDirectory = folder.url.appending(path: "data")
      $0.host = "0.0.0.0"
      $0.allowsInsecureHTTP = true
      $0.checkpoints.file = folder.url.appending(path: "checkpoint.json")
    } body: { server in
      let reader = try await PageReader.administrator(server, language: "de")
      let german = try await reader.get("/am/admin/server")
      #expect(german.html.contains("<html lang=\"de\">"))
      #expect(
        german.contains("Andere Maschinen erreichen 0.0.0.0") && german.contains("nur für den Eigentümer"))
      let findings =
        german.html.components(separatedBy: "<ul class=\"items checks\">").last?
        .components(separatedBy: "</ul>").first ?? ""
      #expect(findings.matches(of: /<li>/).count > 8)
      // Neither a text that is not there nor a place in one that nothing was put into.
      for left in ["lang=", "{", "checks.", "checkNames.", "startup.", "spans."] {
        #expect(!findings.contains(left), "\(left)")
      }
      let checks = await ServerChecks(
        place: .directory(folder.url.appending(path: "data")), journeys: nil, certificate: nil, key: nil
      ).ofCommand()
      for check in checks {
        let said = "\(check.subject.name.english): \(check.finding.english) \(check.advice?.english ?? "")"
        #expect(!said.contains("{") && !said.contains("checks."), "\(said)")
      }
      #expect(checks.contains { $0.finding.english.hasPrefix("intact, and the key file belongs to it") })
    }
    withExtendedLifetime(folder) {}
  }

  @Test func `the configuration shows no secret`() async throws {
    try await LocalServer.run(.live) {
      $0.database = "sqlite::memory:"
    } body: { server in
      let page = try await PageReader.administrator(server).get("/am/admin/server")
      #expect(page.status == 200 && page.contains("Effective configuration"))
      // The port that the system chose, and the options' own names.
      let port = try #require(server.client.port)
      #expect(page.contains("\(port)") && page.contains("journey-timeout"))
      #expect(!page.contains("journeyTimeout") && !page.contains("passwordMinimum"))
      for secret in [LocalServer.administratorPassword, "sst_"] { #expect(!page.contains(secret)) }
      #expect(
        ServerConfiguration.kind(ofDatabase: "postgres://user:hunter2@db/x") == "PostgreSQL")
    }
  }
}
