import BindingFormats
import CommonFixtures
import Foundation
import HTTPTypes
import HummingbirdTesting
import JourneyStore
import StrictJSON
import Testing

@testable import Assembly
@testable import Operations
@testable import ServerHTTP

@Suite("Roles") struct RolesTests {
  private static let alpha = LocalServer.alpha
  private static let root = LocalServer.root

  /// Gives `bob` a role, and signs him in.
  private func bob(_ role: AccountRole, _ server: LocalServer) async throws -> String {
    _ = try await server.store.changeRole(
      RoleChange(role, isGrant: true, username: "bob", realm: "alpha"), by: nil)
    return try await server.signIn("bob")
  }

  private func add(_ name: String, _ role: AccountRole, _ server: LocalServer, realm: String = "alpha")
    async throws
  {
    let ada = try #require(try await server.store.user(named: "ada", realm: "alpha"))
    try await server.store.createUser(
      UserRecord(
        realm: realm, username: name, passwordHash: ada.passwordHash, createdAt: server.clock.now,
        roles: [role]))
  }

  private typealias Change = (method: HTTPRequest.Method, path: String, body: JSONValue?)

  /// Requests that change something, for every route by which that is possible.
  private static let changes: [String: [Change]] = {
    let (user, named): (String, JSONValue) = ("\(alpha)/users/ada", ["deviceName": "x"])
    var changes: [String: [Change]] = [
      "sessions": [
        (.post, "\(alpha)/sessions?_action=logoutByUser", ["username": "ada"]),
        (.post, "\(root)/sessions?_action=logoutByHandle", ["sessionHandles": ["shandle:x"]]),
      ],
      "users": [
        (.post, "\(alpha)/users?_action=create", ["username": "new", "userpassword": "quiet meadow"])
      ],
      "users/:user": [
        (.put, user, ["mail": ["x@example.com"]]), (.put, user, ["userpassword": "quiet meadow"]),
        (.put, user, ["inetUserStatus": "Inactive"]), (.delete, user, nil),
        (.post, "\(user)?_action=unlock", [:]),
      ],
      "users/:user/roles": ["grant", "revoke"].flatMap { action in
        AccountRole.allCases.flatMap { role in
          ["ada", "bob"].map {
            (.post, "\(alpha)/users/\($0)/roles?_action=\(action)", ["role": .string(role.rawValue)])
          }
        }
      },
      "applications": [(.post, "\(alpha)/applications?_action=create", ["name": "shop"])],
      "applications/:id": [(.delete, "\(alpha)/applications/some", nil)],
      "ssh": [
        (.post, "\(alpha)/ssh?_action=certifyHost", ["publicKey": "x", "names": ["host"]]),
        (.post, "\(alpha)/ssh?_action=revoke", ["serial": "1"]),
        (.post, "\(alpha)/ssh?_action=revoke", ["username": "ada"]),
        (.post, "\(alpha)/ssh?_action=revoke", ["publicKey": "x"]),
      ],
      "global-config/realms": [(.post, "\(root)/global-config/realms?_action=create", ["name": "beta"])],
      "global-config/realms/:id": [(.delete, "\(root)/global-config/realms/alpha", nil)],
    ]
    for kind in ["2fa/binding", "2fa/push", "2fa/webauthn", "2fa/oath", "profile"] {
      let path = "\(user)/devices/\(kind)"
      changes["users/:user/devices/\(kind)/:id"] = [
        (.put, "\(path)/some", named), (.delete, "\(path)/some", nil),
      ]
    }
    for kind in ["2fa/push", "2fa/oath"] {
      changes["users/:user/devices/\(kind)"] = ["reset", "skip"].map {
        (.post, "\(user)/devices/\(kind)?_action=\($0)", ["value": true])
      }
    }
    return changes
  }()

  /// Where nobody's role but one's own proof decides, or where nothing is changed.
  private static let proven: Set = [
    "authenticate", "push/sns/message", "transactions", "am/XUI/qr",
    // OpenID Connect: the client's secret, its proof or a token decides, and whom the browser has signed in.
    "access_token", "authorize", "bc-authorize", "connect/endSession", "device/code", "device/user",
    "introspect", "par", "token/revoke", "userinfo",
    // My account: whoever is signed in changes their own, and the path names nobody else (AccountPagesTests).
    "am/account/activity/report", "am/account/codes", "am/account/methods/:kind/:id",
    "am/account/methods/:kind/:id/remove", "am/account/password", "am/account/sessions", "am/account/signout",
    // Administration asks the roles as these paths do, and has a form token besides (AdministrationTests).
    "am/admin/upload", "am/admin/users", "am/admin/users/:user",
  ]

  @Test func `every method by which something can be changed is tried below`() async throws {
    try await LocalServer.run { server async throws in
      var tried: Set<String> = []
      for route in server.server.responder.routes.all {
        let path = route.pattern.joined(separator: "/")
        let methods = Set(route.handlers.map(\.method)).subtracting([.get, .head])
        guard !methods.isEmpty, !Self.proven.contains(path) else { continue }
        #expect(Set((Self.changes[path] ?? []).map(\.method)) == methods, "\(path)")
        tried.insert(path)
      }
      #expect(tried == Set(Self.changes.keys))
    }
  }

  @Test(arguments: changes.keys.sorted())
  func `an auditor changes nothing, at whatever resource`(route: String) async throws {
    try await LocalServer.run { server async throws in
      let auditor = try await bob(.auditor, server)
      let ada = try await server.signIn("ada")
      let before = try await server.store.user(named: "ada", realm: "alpha")
      let changes = try #require(Self.changes[route])
      #expect(!changes.isEmpty)
      for (method, path, body) in changes {
        let answer = try await server.call(method, path, token: auditor, body: body)
        #expect(answer.status == 403, "\(method) \(path): \(answer.status)")
      }
      #expect(try await server.store.user(named: "ada", realm: "alpha") == before)
      #expect(try await server.store.user(named: "bob", realm: "alpha")?.roles == [.auditor])
      #expect(try await server.store.user(named: "new", realm: "alpha") == nil)
      #expect(
        try await server.call(.get, "\(Self.alpha)/users/ada", token: ada).status == 200, "the session lives")
    }
  }

  @Test
  func `an auditor reads accounts, roles, devices, sessions, evidence, decisions, applications and journeys`()
    async throws
  {
    try await LocalServer.run { server async throws in
      let auditor = try await bob(.auditor, server)
      let session = "_queryFilter=username%20eq%20%22ada%22"
      for path in [
        "users?_queryFilter=true", "users?_queryFilter=adminRoles%20pr", "users/ada", "users/ada/roles",
        "users/ada/devices/2fa/binding?_queryFilter=true", "users/ada/devices/2fa/push?_queryFilter=true",
        "users/ada/devices/2fa/webauthn?_queryFilter=true", "users/ada/devices/2fa/oath?_queryFilter=true",
        "sessions?\(session)", "audit/evidence?_queryFilter=true", "audit/push?_queryFilter=true",
        "applications?_queryFilter=true",
        "realm-config/authentication/authenticationtrees/trees?_queryFilter=true",
      ] {
        let answer = try await server.call(.get, "\(Self.alpha)/\(path)", token: auditor)
        #expect(answer.status == 200, "\(path)")
        #expect(try await server.call(.get, "\(Self.root)/\(path)", token: auditor).status == 403, "\(path)")
      }
      let roles = try await server.call(
        .get, "\(Self.alpha)/users?_queryFilter=adminRoles%20pr", token: auditor)
      #expect(roles["result"]?.arrayValue?.map { $0["username"] } == ["bob"])
      #expect(roles["result"]?[0]?["adminRoles"] == ["auditor"])
    }
  }

  @Test func `the help desk gives an ordinary account a new password, which the person must change`()
    async throws
  {
    try await LocalServer.run { server async throws in
      let desk = try await bob(.helpDesk, server)
      let ada = try await server.signIn("ada")
      let path = "\(Self.alpha)/users/ada"
      let shown = try await server.call(.get, path, token: desk)
      var body = try #require(shown.json.objectValue)
      body["userpassword"] = "quiet meadow"
      let answer = try await server.call(.put, path, token: desk, body: .object(body))
      #expect(answer.status == 200, "\(answer.message ?? "")")
      let user = try #require(try await server.store.user(named: "ada", realm: "alpha"))
      #expect(user.mustChangePassword && user.mail == ["ada@example.com"])
      #expect(try await server.call(.get, path, token: ada).status == 401, "the old sessions are over")
      for wrong in [
        ["mail": ["x@y.z"]], ["cn": "x"], ["inetUserStatus": "Inactive"], ["pwdReset": false],
        ["pwdReset": "FALSE"],
      ] as [JSONObject] {
        var body = wrong
        body["userpassword"] = "silent meadow"
        #expect(try await server.call(.put, path, token: desk, body: .object(body)).status == 403)
      }
      #expect(try await server.store.user(named: "ada", realm: "alpha")?.mustChangePassword == true)
      let forbidden = ["users", "users/:user/roles", "applications"].flatMap { Self.changes[$0] ?? [] }
      let deletion: Change = (.delete, path, nil)
      for (method, path, body) in forbidden + [deletion] {
        #expect(
          try await server.call(method, path, token: desk, body: body).status == 403, "\(method) \(path)")
      }
      #expect(
        try await server.call(.get, "\(Self.alpha)/audit/evidence?_queryFilter=true", token: desk).status
          == 403)
    }
  }

  @Test(arguments: AccountRole.allCases)
  func `the help desk has no hand on administrators, auditors and colleagues`(role: AccountRole) async throws
  {
    try await LocalServer.run { server async throws in
      let desk = try await bob(.helpDesk, server)
      try await add("carl", role, server)
      let before = try await server.store.user(named: "carl", realm: "alpha")
      let carl = "\(Self.alpha)/users/carl"
      for (method, path, body) in [
        (.put, carl, ["userpassword": "quiet meadow"]), (.put, carl, ["pwdReset": true]),
        (.delete, carl, nil),
        (.post, "\(carl)?_action=unlock", [:]), (.delete, "\(carl)/devices/2fa/binding/x", nil),
        (.get, "\(carl)/devices/2fa/binding?_queryFilter=true", nil),
        (.post, "\(carl)/devices/2fa/oath?_action=reset", [:]),
        (.post, "\(carl)/devices/2fa/push?_action=reset", [:]),
        (.post, "\(Self.alpha)/sessions?_action=logoutByUser", ["username": "carl"]),
        (.get, "\(Self.alpha)/sessions?_queryFilter=username%20eq%20%22carl%22", nil),
      ] as [(HTTPRequest.Method, String, JSONValue?)] {
        #expect(
          try await server.call(method, path, token: desk, body: body).status == 403, "\(method) \(path)")
      }
      #expect(try await server.store.user(named: "carl", realm: "alpha") == before)
    }
  }

  @Test func `a demoted administrator's running session rules no more, with a body that comes late neither`()
    async throws
  {
    try await LocalServer.run { server async throws in
      let admin = try await bob(.administrator, server)
      let path = "\(Self.alpha)/users/ada"
      #expect(try await server.call(.get, path, token: admin).status == 200)
      // As in a request whose body arrives after the check: the write judges again.
      let token = try #require(SessionToken(presented: admin))
      let ada = try #require(try await server.store.user(named: "ada", realm: "alpha"))
      var late = UserChange(
        of: ada,
        caller: Caller(tokenHash: token.hash, right: .capability(.administrate), now: server.clock.now))
      late.mail = ["late@example.com"]
      let root = try await server.signInAdministrator()
      let revoked = try await server.call(
        .post, "\(Self.alpha)/users/bob/roles?_action=revoke", token: root, body: ["role": "administrator"])
      #expect(revoked["roles"] == [])
      #expect(try await server.call(.get, path, token: admin).status == 403)
      await #expect(throws: StoreError.self) { try await server.store.updateUser(late) }
      for (method, path, body) in Self.changes.values.joined() where !path.contains("/bob/") {
        #expect(
          try await server.call(method, path, token: admin, body: body).status == 403, "\(method) \(path)")
      }
    }
  }

  @Test func `an account promoted while help was on its way is out of the help desk's reach`() async throws {
    try await LocalServer.run { server async throws in
      let token = try #require(SessionToken(presented: try await bob(.helpDesk, server)))
      let ada = try #require(try await server.store.user(named: "ada", realm: "alpha"))
      let help = Caller(tokenHash: token.hash, right: .capability(.support), now: server.clock.now)
      var late = UserChange(of: ada, caller: help)
      late.password = UserChange.Password(hash: "theirs")
      _ = try await server.store.changeRole(
        RoleChange(.administrator, isGrant: true, username: "ada", realm: "alpha"), by: nil)
      await #expect(throws: StoreError.self) { try await server.store.updateUser(late) }
      await #expect(throws: StoreError.self) {
        try await server.store.unlock(of: UniversalID(username: "ada", realm: "alpha"), by: help)
      }
      #expect(try await server.store.user(named: "ada", realm: "alpha")?.passwordHash == ada.passwordHash)
    }
  }

  @Test func `roles are granted by administrators of the realm, to others, and only there`() async throws {
    try await LocalServer.run { server async throws in
      let root = try await server.signInAdministrator()
      let alpha = try await bob(.administrator, server)
      func grant(_ name: String, _ role: String, _ token: String, in realm: String = Self.alpha) async throws
        -> Int
      {
        try await server.call(
          .post, "\(realm)/users/\(name)/roles?_action=grant", token: token, body: ["role": .string(role)]
        ).status
      }
      #expect(try await grant("ada", "auditor", alpha) == 200)
      #expect(try await grant("bob", "auditor", alpha) == 403, "never to oneself")
      #expect(try await grant("id=bob,ou=user,o=alpha,ou=services,ou=am-config", "auditor", alpha) == 403)
      #expect(try await grant("amAdmin", "auditor", alpha, in: Self.root) == 403, "not beyond the realm")
      #expect(try await grant("ada", "king", alpha) == 400)
      #expect(try await grant("nobody", "auditor", alpha) == 404)
      #expect(try await grant("ada", "helpdesk", root) == 200, "the root realm's administrators rule all")
      let ada = try await server.call(.get, "\(Self.alpha)/users/ada/roles", token: root)
      #expect(ada["roles"] == ["helpdesk", "auditor"])
    }
  }

  @Test func `an attribute named like a role is none`() async throws {
    try await LocalServer.run { server async throws in
      let ada = try await server.signIn("ada")
      let path = "\(Self.alpha)/users/ada"
      let answer = try await server.call(
        .put, path, token: ada,
        body: [
          "adminRoles": ["administrator"], "AdminROLES": ["administrator"], "lockedUntil": "x", "sn": "L",
        ])
      #expect(answer.status == 200 && answer["sn"] == "L")
      #expect(!answer.json.text.contains("administrator") && answer["lockedUntil"] == nil)
      #expect(try await server.call(.get, "\(Self.alpha)/users?_queryFilter=true", token: ada).status == 403)
    }
  }

  @Test func `the last administrator of the root realm stays, whoever asks`() async throws {
    try await LocalServer.run { server async throws in
      let root = try await server.signInAdministrator()
      let path = "\(Self.root)/users/amAdmin"
      for (method, path, body) in [
        (.post, "\(path)/roles?_action=revoke", ["role": "administrator"]), (.delete, path, nil),
        (.put, path, ["inetUserStatus": "Inactive"]),
      ] as [(HTTPRequest.Method, String, JSONValue?)] {
        let answer = try await server.call(method, path, token: root, body: body)
        #expect(answer.status == 409 && answer.message?.contains("at least one") == true, "\(method)")
      }
      #expect(try await server.call(.get, path, token: root)["inetUserStatus"] == "Active")
    }
  }

  @Test func `a locked account looked active to its administrator`() async throws {
    try await LocalServer.run { server async throws in
      let root = try await server.signInAdministrator()
      let ada = try await server.signIn("ada")
      for _ in 1...5 {
        let step = try await server.start()
        let wrong = try await server.call(
          .post, "\(Self.alpha)/authenticate", body: LocalServer.reply(to: step, "ada", "wrong guess"))
        #expect(wrong.status == 401)
      }
      let until = JSONValue.string(server.clock.now.addingTimeInterval(60).formatted(.iso8601))
      let path = "\(Self.alpha)/users/ada"
      let read = try await server.call(.get, path, token: root)
      #expect(read["lockedUntil"] == until)
      let changed = try await server.call(
        .put, path, token: root, body: ["mail": ["ada@example.com"], "givenName": "Ada"],
        headers: ["If-Match": read["_rev"]?.stringValue ?? ""])
      #expect(changed.status == 200, "a lock is no change of the account: \(changed.json)")
      #expect(
        try await server.call(.get, path, token: ada)["lockedUntil"] == nil, "the account itself is not told")
      let list = try await server.call(.get, "\(Self.alpha)/users?_queryFilter=true", token: root)
      #expect(list["result"]?.arrayValue?.map { $0["lockedUntil"] } == [until, nil, nil])
      #expect(try await server.call(.post, "\(path)?_action=unlock", token: ada, body: [:]).status == 403)
      let unlocked = try await server.call(.post, "\(path)?_action=unlock", token: root, body: [:])
      #expect(unlocked["result"] == true)
      #expect(try await server.call(.get, path, token: root)["lockedUntil"] == nil)
      _ = try await server.signIn("ada")
    }
  }

  @Test func `journeys are listed with source, levels and whether they start`() async throws {
    try await LocalServer.run { server async throws in
      let root = try await server.signInAdministrator()
      let path = "\(Self.alpha)/realm-config/authentication/authenticationtrees/trees"
      let list = try await server.call(.get, "\(path)?_queryFilter=true", token: root)
      let login = try #require(list["result"]?.arrayValue?.first { $0["_id"] == "Login" })
      #expect(login["enabled"] == true && login["guaranteedLevel"] == 0)
      #expect(login["source"]?.stringValue?.hasSuffix("alpha/Login.journey.json") == true)
      #expect(try await server.call(.get, path, token: root).status == 400)
      #expect(
        try await server.call(.get, "\(path)?_queryFilter=true", token: server.signIn("ada")).status == 403)
      #expect(try await server.call(.delete, path, token: root).status == 405)
    }
  }
}
