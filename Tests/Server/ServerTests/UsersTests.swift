import BindingFormats
import Bytes
import CommonFixtures
import Concurrency
import Foundation
import HTTPTypes
import HummingbirdTesting
import JourneyStore
import PasswordHashing
import StrictJSON
import Testing

@testable import Assembly
@testable import Operations
@testable import ServerHTTP

@Suite("Users") struct UsersTests {
  private static let create = "\(LocalServer.alpha)/users?_action=create"
  private static func path(_ name: String) -> String { "\(LocalServer.alpha)/users/\(name)" }

  @Test func `create answers 201 with the user, and 409 when the name is taken in any case`() async throws {
    try await LocalServer.run { server in
      let admin = try await server.signInAdministrator()
      let body: JSONValue = [
        "username": "Mira", "userpassword": "s3cret-Password", "mail": ["mira@example.com"],
        "givenName": "Mira", "employeeNumber": 7,
      ]
      let answer = try await server.call(.post, Self.create, token: admin, body: body)
      #expect(answer.status == 201)
      #expect(answer["_id"] == "Mira")
      #expect(answer["_rev"]?.stringValue != nil)
      #expect(answer["username"] == "Mira")
      #expect(answer["realm"] == "/alpha")
      #expect(answer["mail"] == ["mira@example.com"])
      #expect(answer["inetUserStatus"] == "Active")
      #expect(answer["givenName"] == "Mira")
      #expect(answer["employeeNumber"] == 7)
      #expect(!answer.json.text.lowercased().contains("password"))
      #expect(!answer.json.text.contains("argon2"))
      let again = try await server.call(
        .post, Self.create, token: admin,
        body: ["username": "mira", "userpassword": "another meadow"])
      #expect(again.status == 409)
      #expect(again["reason"] == "Conflict")
      _ = try await server.signIn("mira", password: "s3cret-Password")
      #expect(!server.log.withLock { $0 }.joined().contains("s3cret-Password"))
    }
  }

  @Test func `mail may be one text; a user without a password cannot sign in with one`() async throws {
    try await LocalServer.run { server in
      let admin = try await server.signInAdministrator()
      let answer = try await server.call(
        .post, Self.create, token: admin, body: ["username": "kiosk", "mail": "k@example.com"])
      #expect(answer["mail"] == ["k@example.com"])
      let step = try await server.start()
      let failed = try await server.call(
        .post, "\(LocalServer.alpha)/authenticate", body: LocalServer.reply(to: step, "kiosk", "guess"))
      #expect(failed.status == 401)
    }
  }

  @Test(
    arguments: [
      "", "a,b", "a=b", "a+b", "a<b", "a>b", "a#b", "a;b", "a\"b", "a/b", "a\\b", "a\nb", "a\u{0}b",
      "a\u{85}b",
      " a", "a ", ".", "..", String(repeating: "a", count: 256),
    ])
  func `a name that would break the universal id, or is none, is 400`(name: String) async throws {
    try await LocalServer.run { server in
      let admin = try await server.signInAdministrator()
      let answer = try await server.call(.post, Self.create, token: admin, body: ["username": .string(name)])
      #expect(answer.status == 400)
    }
  }

  @Test(arguments: ["Åsa Öberg", "a@b.c", "x'y", "名前", String(repeating: "a", count: 255)])
  func `unusual names that break nothing work everywhere`(name: String) async throws {
    try await LocalServer.run { server in
      let admin = try await server.signInAdministrator()
      let created = try await server.call(
        .post, Self.create, token: admin, body: ["username": .string(name), "userpassword": "quiet meadow"])
      #expect(created.status == 201)
      let encoded = try #require(name.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
      let token = try await server.signIn(name, password: "quiet meadow")
      #expect(try await server.call(.get, Self.path(encoded), token: token)["username"] == .string(name))
    }
  }

  @Test(
    arguments: [
      #"{}"#, #"{"username":1}"#, #"{"username":"x","mail":1}"#, #"{"username":"x","mail":[1]}"#,
      #"{"username":"x","userpassword":1}"#, #"{"username":"x","userpassword":""}"#,
      #"{"username":"x","inetUserStatus":"Gone"}"#, #"{"username":["a","b"]}"#,
    ])
  func `a malformed member is 400`(body: String) async throws {
    try await LocalServer.run { server in
      let admin = try await server.signInAdministrator()
      let answer = try await server.call(.post, Self.create, token: admin, body: try JSONValue(parsing: body))
      #expect(answer.status == 400)
    }
  }

  @Test(arguments: ["名", "é", "a", "🦔"])
  func `a name that can be created can sign in, by page and by header`(character: String) async throws {
    try await LocalServer.run { server in
      let admin = try await server.signInAdministrator()
      let name = String(repeating: character, count: 255)
      let body: JSONValue = ["username": .string(name), "userpassword": "quiet meadow"]
      #expect(try await server.call(.post, Self.create, token: admin, body: body).status == 201)
      _ = try await server.signIn(name, password: "quiet meadow")
      let encoded = "=?UTF-8?B?\(Data(name.utf8).base64EncodedString())?="
      let answer = try await server.call(
        .post, "\(LocalServer.alpha)/authenticate",
        headers: ["X-OpenAM-Username": encoded, "X-OpenAM-Password": "quiet meadow"])
      #expect(answer["tokenId"]?.stringValue != nil)
      let longer: JSONValue = ["username": .string(name + character)]
      #expect(try await server.call(.post, Self.create, token: admin, body: longer).status == 400)
    }
  }

  /// New passwords, and what they fail.
  static let weak: [(password: String, requirement: String)] = [
    ("short", "LENGTH_BASED"), ("password1", "CANNOT_BE_COMMON"), ("ada-1815", "CANNOT_CONTAIN_OTHERS"),
    ("sealring123", "CANNOT_CONTAIN_OTHERS"), (String(repeating: "quiet meadow ", count: 20), "MAX_LENGTH"),
  ]

  @Test(arguments: weak)
  func `a password that breaks the policy is 400 and says why, at creation, change and reset`(
    password: String, requirement: String
  ) async throws {
    try await LocalServer.run { server in
      let admin = try await server.signInAdministrator()
      let ada = try await server.signIn("ada")
      let new: JSONValue = ["username": "ada2", "mail": "ada@x.org", "userpassword": .string(password)]
      let reset: JSONValue = ["userpassword": .string(password)]
      let own: JSONValue = ["userpassword": .string(password), "currentpassword": "ada-password"]
      for answer in [
        try await server.call(.post, Self.create, token: admin, body: new),
        try await server.call(.put, Self.path("ada"), token: admin, body: reset),
        try await server.call(.put, Self.path("ada"), token: ada, body: own),
      ] {
        #expect(answer.status == 400)
        #expect(answer.message?.hasPrefix("The password ") == true)
        let failed = answer["detail"]?["failedPolicyRequirements"]?[0]?["policyRequirements"]?[0]
        #expect(failed?["policyRequirement"] == .string(requirement))
      }
      _ = try await server.signIn("ada")
    }
  }

  @Test
  func `the least length is the operator's to raise, and the administrator's password follows the policy`()
    async throws
  {
    try await LocalServer.run(
      .router,
      { configuration in
        configuration.passwordMinimum = 15
        configuration.administratorPassword = Secret("correct horse battery")
      }
    ) { server in
      let admin = try await server.signIn(
        "amAdmin", password: "correct horse battery", realm: LocalServer.root)
      let short: JSONValue = ["userpassword": "quiet meadow"]
      #expect(try await server.call(.put, Self.path("ada"), token: admin, body: short).status == 400)
      let long: JSONValue = ["userpassword": "quiet meadow at dawn"]
      #expect(try await server.call(.put, Self.path("ada"), token: admin, body: long).status == 200)
    }
    var configuration = LocalServer.configuration()
    configuration.administratorPassword = Secret("password1")
    await #expect(throws: ServerSetupError.self) { try await SealringServer.make(configuration) }
  }

  @Test func `a hash of another cost is renewed when its owner signs in`() async throws {
    try await LocalServer.run(.router, { $0.passwordCost = Argon2Cost(memoryKiB: 16, iterations: 1) }) {
      server in
      let old = try await PasswordHasher(cost: Argon2Cost(memoryKiB: 8, iterations: 1)).hash("ada-password")
      let ada = try #require(await server.store.user(named: "ada", realm: "alpha"))
      #expect(try await server.store.renewPasswordHash(of: ada, to: old))
      _ = try await server.signIn("ada")
      let after = try #require(await server.store.user(named: "ada", realm: "alpha"))
      #expect(after.passwordHash?.hasPrefix("$argon2id$v=19$m=16,t=1,p=1$") == true)
      _ = try await server.signIn("ada")
      #expect(
        try await server.store.passwordHashKinds().keys.sorted() == ["$argon2id$v=19$m=16,t=1,p=1$"])
    }
  }

  @Test func `a password longer than 1024 bytes is 400`() async throws {
    try await LocalServer.run { server in
      let admin = try await server.signInAdministrator()
      let body: JSONValue = ["username": "x", "userpassword": .string(String(repeating: "p", count: 1025))]
      #expect(try await server.call(.post, Self.create, token: admin, body: body).status == 400)
    }
  }

  @Test func `who may do what`() async throws {
    try await LocalServer.run { server in
      let admin = try await server.signInAdministrator()
      let ada = try await server.signIn("ada")
      let update: JSONValue = ["mail": ["new@example.com"]]
      #expect(try await server.call(.get, Self.path("ada")).status == 401)
      #expect(try await server.call(.get, Self.path("ada"), token: "nonsense").status == 401)
      #expect(try await server.call(.get, Self.path("ada"), token: ada).status == 200)
      #expect(try await server.call(.get, Self.path("ADA"), token: ada).status == 200)
      #expect(try await server.call(.get, Self.path("bob"), token: ada).status == 403)
      #expect(try await server.call(.put, Self.path("bob"), token: ada, body: update).status == 403)
      #expect(try await server.call(.delete, Self.path("bob"), token: ada).status == 403)
      #expect(try await server.call(.get, Self.path("unknown"), token: ada).status == 403)
      #expect(try await server.call(.get, "\(LocalServer.root)/users/ada", token: ada).status == 403)
      #expect(try await server.call(.get, Self.path("unknown"), token: admin).status == 404)
      #expect(try await server.call(.put, Self.path("unknown"), token: admin, body: update).status == 404)
      #expect(try await server.call(.delete, Self.path("unknown"), token: admin).status == 404)
      #expect(try await server.call(.get, Self.path("bob"), token: admin).status == 200)
      #expect(try await server.call(.post, Self.create, token: ada, body: ["username": "x"]).status == 403)
      #expect(try await server.call(.post, Self.create, body: ["username": "x"]).status == 401)
      #expect(
        try await server.call(.get, "\(LocalServer.alpha)/users?_queryFilter=true", token: ada).status == 403)
    }
  }

  @Test func `administrators list the realm's users`() async throws {
    try await LocalServer.run { server in
      let admin = try await server.signInAdministrator()
      let list = try await server.call(.get, "\(LocalServer.alpha)/users?_queryFilter=true", token: admin)
      #expect(list["resultCount"] == 3)
      #expect(list["result"]?.arrayValue?.map { $0["_id"]?.stringValue } == ["ada", "bob", "zoe"])
      #expect(list["remainingPagedResults"] == -1)
      let byID = try await server.call(.get, "\(LocalServer.alpha)/users?_queryId=*", token: admin)
      #expect(byID["resultCount"] == 3)
      let other = try await server.call(.get, "\(LocalServer.alpha)/users?_queryFilter=x", token: admin)
      #expect(other.status == 400)
    }
  }

  @Test func `a realm's users come in pages, so that none is too large for one answer`() async throws {
    try await LocalServer.run { server in
      for number in 0..<250 {
        try await server.store.createUser(
          UserRecord(
            realm: "alpha", username: "user \(number)", passwordHash: nil, createdAt: server.clock.now))
      }
      let admin = try await server.signInAdministrator()
      func page(_ parameters: String) async throws -> Answer {
        try await server.call(
          .get, "\(LocalServer.alpha)/users?_queryFilter=true\(parameters)", token: admin)
      }
      var names: [String] = []
      var sizes: [Int] = []
      var cookie: String? = ""
      while let next = cookie {
        let answer = try await page("&_pagedResultsCookie=\(next)")
        let found = answer["result"]?.arrayValue?.compactMap { $0["username"]?.stringValue } ?? []
        names += found
        sizes.append(found.count)
        cookie = answer["pagedResultsCookie"]?.stringValue
      }
      #expect(sizes == [200, 53])
      #expect(Set(names).count == 253 && names == names.sorted())
      #expect(try await page("&_pageSize=2")["resultCount"] == 2)
      #expect(try await page("&_pageSize=1000")["resultCount"] == 200)
      for wrong in ["&_pageSize=0", "&_pageSize=x", "&_pagedResultsCookie=%21"] {
        #expect(try await page(wrong).status == 400)
      }
    }
  }

  @Test(arguments: [false, true], ["", "&noSession=true"])
  func `a journey that was past its password when the password was reset ends without a session`(
    isReset: Bool, query: String
  ) async throws {
    try await LocalServer.run { server in
      var step = try await server.start("TwoSteps", query: query)
      for text in ["ada", "ada-password"] {
        step = try await server.call(
          .post, "\(LocalServer.alpha)/authenticate", body: LocalServer.reply(to: step, text))
        #expect(step.status == 200)
      }
      if isReset {
        let admin = try await server.signInAdministrator()
        let reset = try await server.call(
          .put, Self.path("ada"), token: admin, body: ["userpassword": "a new password 7"])
        #expect(reset.status == 200)
      }
      let end = try await server.call(
        .post, "\(LocalServer.alpha)/authenticate", body: LocalServer.reply(to: step, "anything"))
      #expect(end.status == (isReset ? 401 : 200), "nor in success, where no session was wanted")
      #expect((end["tokenId"] == nil) == (isReset || !query.isEmpty))
    }
  }

  @Test func `a page of large accounts ends before it keeps a thread from everybody else`() async throws {
    try await LocalServer.run { server in
      let attributes: JSONObject = ["description": .string(String(repeating: "x", count: 32_000))]
      for number in 100..<200 {
        try await server.store.createUser(
          UserRecord(
            realm: "alpha", username: "large \(number)", passwordHash: nil, attributes: attributes,
            createdAt: server.clock.now))
      }
      let admin = try await server.signInAdministrator()
      var names: [String] = []
      var cookie: String? = ""
      while let next = cookie {
        let answer = try await server.call(
          .get, "\(LocalServer.alpha)/users?_queryFilter=true&_pagedResultsCookie=\(next)", token: admin)
        #expect(answer.json.text.utf8.count <= (1 << 20) + 1024)
        names += answer["result"]?.arrayValue?.compactMap { $0["username"]?.stringValue } ?? []
        cookie = answer["pagedResultsCookie"]?.stringValue
      }
      #expect(names.filter { $0.hasPrefix("large") } == (100..<200).map { "large \($0)" })
    }
  }

  @Test func `an update replaces mail and attributes and keeps password, status and creation`() async throws {
    try await LocalServer.run { server in
      let ada = try await server.signIn("ada")
      let before = try #require(try await server.store.user(named: "ada", realm: "alpha"))
      let first = try await server.call(
        .put, Self.path("ada"), token: ada, body: ["_id": "ada", "_rev": "1", "sn": "L", "mail": ["a@x.org"]])
      #expect(first.status == 200)
      #expect(first["sn"] == "L")
      let second = try await server.call(.put, Self.path("ada"), token: ada, body: ["givenName": "Ada"])
      #expect(second["sn"] == nil)
      #expect(second["givenName"] == "Ada")
      #expect(second["mail"] == [])
      #expect(first["_rev"] != second["_rev"])
      let after = try #require(try await server.store.user(named: "ada", realm: "alpha"))
      #expect(after.passwordHash == before.passwordHash)
      #expect(after.createdAt == before.createdAt)
      #expect(after.isActive && !after.isAdministrator)
      let renamed = try await server.call(.put, Self.path("ada"), token: ada, body: ["username": "bob"])
      #expect(renamed.status == 400)
    }
  }

  @Test func `changing one's own password takes the current one, and failures count`() async throws {
    try await LocalServer.run { server in
      let ada = try await server.signIn("ada")
      let without = try await server.call(
        .put, Self.path("ada"), token: ada, body: ["userpassword": "quiet meadow"])
      #expect(without.status == 403)
      let right: JSONValue = ["userpassword": "quiet meadow", "currentpassword": "ada-password"]
      #expect(try await server.call(.put, Self.path("ada"), token: ada, body: right).status == 200)
      _ = try await server.signIn("ada", password: "quiet meadow")
      let wrong: JSONValue = ["userpassword": "loud meadow", "currentpassword": "guess"]
      for _ in 0..<5 {
        #expect(try await server.call(.put, Self.path("ada"), token: ada, body: wrong).status == 403)
      }
      let state = try await server.store.lockout(of: UniversalID(username: "ada", realm: "alpha"))
      #expect(state.isLocked(at: server.clock.now))
      let locked: JSONValue = ["userpassword": "loud meadow", "currentpassword": "quiet meadow"]
      #expect(try await server.call(.put, Self.path("ada"), token: ada, body: locked).status == 403)
    }
  }

  @Test func `a new password ends all sessions but the one that set it`() async throws {
    try await LocalServer.run { server in
      let admin = try await server.signInAdministrator()
      let (ada, thief) = (try await server.signIn("ada"), try await server.signIn("ada"))
      let own: JSONValue = ["userpassword": "quiet meadow", "currentpassword": "ada-password"]
      #expect(try await server.call(.put, Self.path("ada"), token: ada, body: own).status == 200)
      #expect(try await server.call(.get, Self.path("ada"), token: ada).status == 200)
      #expect(try await server.call(.get, Self.path("ada"), token: thief).status == 401)
      let reset: JSONValue = ["userpassword": "loud meadow"]
      #expect(try await server.call(.put, Self.path("ada"), token: admin, body: reset).status == 200)
      #expect(try await server.call(.get, Self.path("ada"), token: ada).status == 401)
      #expect(try await server.call(.get, Self.path("ada"), token: admin).status == 200)
    }
  }

  @Test func `deactivating twice ends the sessions that a crash left after the first`() async throws {
    try await LocalServer.run { server in
      let admin = try await server.signInAdministrator()
      let ada = try await server.signIn("ada")
      for _ in 0..<2 {
        let inactive: JSONValue = ["inetUserStatus": "Inactive"]
        #expect(try await server.call(.put, Self.path("ada"), token: admin, body: inactive).status == 200)
        #expect(try await server.call(.get, Self.path("ada"), token: ada).status == 401)
      }
    }
  }

  @Test func `the state of a password is the administrator's, and an update of the owner's keeps it`()
    async throws
  {
    try await LocalServer.run { server in
      let admin = try await server.signInAdministrator()
      let ada = try await server.signIn("ada")
      let expiry = "ds-pwp-password-expiration-time"
      for own: JSONValue in [
        ["pwdReset": true], ["PWDRESET": ["true"]], ["pwdReset": true, "mail": []],
        [expiry: "99991231235959Z"], [expiry.uppercased(): "20270101000000Z"],
      ] {
        #expect(try await server.call(.put, Self.path("ada"), token: ada, body: own).status == 403)
      }
      let state: JSONValue = ["pwdReset": "TRUE", expiry: ["20270115080000.5Z"], "sn": "L"]
      let set = try await server.call(.put, Self.path("ada"), token: admin, body: state)
      #expect(set["pwdReset"] == true)
      #expect(set[expiry] == "20270115080000Z")
      // What was shown comes back with the rest, and an update without it keeps it.
      for own: JSONValue in [set.json, ["mail": ["new@example.com"]]] {
        let after = try await server.call(.put, Self.path("ada"), token: ada, body: own)
        #expect(after["pwdReset"] == true)
        #expect(after[expiry] == "20270115080000Z")
      }
      for cleared: JSONValue in [["pwdReset": false], [expiry: .null]] {
        #expect(try await server.call(.put, Self.path("ada"), token: ada, body: cleared).status == 403)
        #expect(try await server.call(.put, Self.path("ada"), token: admin, body: cleared).status == 200)
      }
      let none = try await server.call(.get, Self.path("ada"), token: ada)
      #expect(none["pwdReset"] == nil && none[expiry] == nil)
      for bad: JSONValue in [[expiry: "soon"], [expiry: "20271301000000Z"], ["pwdReset": 1]] {
        #expect(try await server.call(.put, Self.path("ada"), token: admin, body: bad).status == 400)
      }
    }
  }

  @Test func `choosing an own password ends the need to choose one`() async throws {
    try await LocalServer.run { server in
      let admin = try await server.signInAdministrator()
      let ada = try await server.signIn("ada")
      _ = try await server.call(.put, Self.path("ada"), token: admin, body: ["pwdReset": true])
      let own: JSONValue = ["userpassword": "quiet meadow", "currentpassword": "ada-password"]
      let after = try await server.call(.put, Self.path("ada"), token: ada, body: own)
      #expect(after.status == 200 && after["pwdReset"] == nil)
    }
  }

  @Test func `an account has at most 100 attributes and mail addresses, and 32 KiB of them`() async throws {
    try await LocalServer.run { server in
      let admin = try await server.signInAdministrator()
      let ada = try await server.signIn("ada")
      func many(_ count: Int) -> JSONObject { JSONObject((0..<count).map { ("a\($0)", "x") }) }
      func large(_ bytes: Int) -> JSONObject { ["a": .string(String(repeating: "x", count: bytes))] }
      var mail = many(99)
      mail["mail"] = ["a@x.org", "b@x.org"]
      var mails = JSONObject()
      mails["mail"] = .array((0..<101).map { .string("a\($0)@x.org") })
      for fits in [many(100), large(32_000)] {
        #expect(
          try await server.call(.put, Self.path("ada"), token: admin, body: .object(fits)).status == 200)
      }
      for bad in [many(101), many(5_000), large(32_768), mail, mails] {
        #expect(try await server.call(.put, Self.path("ada"), token: ada, body: .object(bad)).status == 400)
        var new = bad
        new["username"] = "new"
        #expect(try await server.call(.post, Self.create, token: admin, body: .object(new)).status == 400)
      }
      #expect(try await server.call(.get, Self.path("ada"), token: ada)["a"] == large(32_000)["a"])
    }
  }

  @Test func `guesses of the own password, sent at once, end in a lock`() async throws {
    try await LocalServer.run { server in
      let ada = try await server.signIn("ada")
      let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
        for number in 0..<100 {
          let guess = number == 99 ? "ada-password" : "guess \(number)"
          let body: JSONValue = ["userpassword": "quiet meadow", "currentpassword": .string(guess)]
          group.addTask {
            try await server.call(.put, Self.path("ada"), token: ada, body: body).status
          }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      let state = try await server.store.lockout(of: UniversalID(username: "ada", realm: "alpha"))
      #expect(state.lockCount == 1 && state.isLocked(at: server.clock.now))
      // The right one counts only where at most four wrong ones were judged before it.
      #expect(statuses.count { $0 == 200 } <= 1)
      #expect(statuses.allSatisfy { [200, 403, 503].contains($0) })
    }
  }

  @Test func `an administrator sets passwords and status; deactivating ends the sessions`() async throws {
    try await LocalServer.run { server in
      let admin = try await server.signInAdministrator()
      let ada = try await server.signIn("ada")
      let own = try await server.call(
        .put, Self.path("ada"), token: ada, body: ["inetUserStatus": "Inactive"])
      #expect(own.status == 403)
      let set = try await server.call(
        .put, Self.path("ada"), token: admin,
        body: ["userpassword": "fresh morning", "inetUserStatus": "Inactive"])
      #expect(set["inetUserStatus"] == "Inactive")
      #expect(try await server.call(.get, Self.path("ada"), token: ada).status == 401)
      let back = try await server.call(
        .put, Self.path("ada"), token: admin, body: ["inetUserStatus": "Active"])
      #expect(back["inetUserStatus"] == "Active")
      _ = try await server.signIn("ada", password: "fresh morning")
      let ownReset = try await server.call(
        .put, "\(LocalServer.root)/users/amAdmin", token: admin,
        body: ["userpassword": "stolen morning"])
      #expect(ownReset.status == 403)
    }
  }

  @Test func `deleting a user ends the sessions and removes the devices`() async throws {
    try await LocalServer.run { server in
      let admin = try await server.signInAdministrator()
      let ada = try await server.signIn("ada")
      _ = try await server.store.addBoundDevice(BoundDevicesTests.device("d1", of: "ada"), limit: 0)
      let answer = try await server.call(.delete, Self.path("ada"), token: admin)
      #expect(answer.status == 200)
      #expect(answer["_id"] == "ada")
      #expect(try await server.call(.get, Self.path("ada"), token: ada).status == 401)
      #expect(
        try await server.store.boundDevices.all(of: UniversalID(username: "ada", realm: "alpha")).isEmpty)
      #expect(try await server.call(.delete, Self.path("ada"), token: admin).status == 404)
    }
  }
}
