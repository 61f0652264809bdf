import BindingFormats
import Bytes
import CommonFixtures
import Foundation
import HTTPTypes
import HummingbirdTesting
import JourneyStore
import StrictJSON
import Testing

@testable import Assembly
@testable import JourneyFiles
@testable import Operations
@testable import ServerHTTP

@Suite("A realm below a realm") struct NestedRealmsTests {
  private static let realms = "\(LocalServer.root)/global-config/realms"
  private static let branch = "\(LocalServer.alpha)/realms/branch"

  private func create(_ name: String, in parent: String, _ token: String, _ server: LocalServer) async throws
    -> Answer
  {
    try await server.call(
      .post, "\(Self.realms)?_action=create", token: token,
      body: ["name": .string(name), "parentPath": .string(parent)])
  }

  /// Runs `body` with `alpha/branch`, and an administrator of the root realm.
  private func withBranch(
    _ configure: (inout ServerConfiguration) -> Void = { _ in },
    _ body: @Sendable (LocalServer, String) async throws -> Void
  ) async throws {
    try await LocalServer.run(.router, configure) { server async throws in
      let admin = try await server.signInAdministrator()
      #expect(try await create("branch", in: "/alpha", admin, server).status == 201)
      try await body(server, admin)
    }
  }

  private func add(
    _ name: String, _ roles: Set<AccountRole> = [], realm: String, _ server: LocalServer
  ) async throws {
    let ada = try #require(try await server.store.user(named: "ada", realm: "alpha"))
    try await server.store.createUser(
      UserRecord(
        realm: realm, username: name, passwordHash: ada.passwordHash, createdAt: server.clock.now,
        roles: roles))
  }

  @Test func `it is created as PingAM does it, and has journeys, accounts and sessions of its own`()
    async throws
  {
    try await LocalServer.run { server async throws in
      let admin = try await server.signInAdministrator()
      #expect(try await server.start(realm: Self.branch).status == 404)
      let created = try await create("Branch", in: "/ALPHA", admin, server)
      #expect(created.status == 201 && created["name"] == "Branch" && created["parentPath"] == "/alpha")
      #expect(created["_id"] == .string(Base64URL.encode(Array("/alpha/Branch".utf8))))
      #expect(try await create("BRANCH", in: "/alpha", admin, server).status == 409, "names have no case")
      let user = try await server.call(
        .post, "\(Self.branch)/users?_action=create", token: admin,
        body: ["username": "mira", "userpassword": "quiet meadow"])
      #expect(user.status == 201 && user["realm"] == "/alpha/Branch")
      let token = try await server.signIn("mira", password: "quiet meadow", realm: Self.branch)
      let session = try await server.call(
        .post, "\(Self.branch)/sessions?_action=getSessionInfo", token: token, body: [:])
      #expect(session["realm"] == "/alpha/Branch")
      #expect(session["universalId"] == "id=mira,ou=user,o=Branch,o=alpha,ou=services,ou=am-config")
      // Accounts of the realm around it are others.
      let step = try await server.start(realm: Self.branch)
      let other = try await server.call(
        .post, "\(Self.branch)/authenticate", body: LocalServer.reply(to: step, "ada", "ada-password"))
      #expect(other.status == 401)
      let list = try await server.call(.get, "\(Self.realms)?_queryFilter=true", token: admin)
      #expect(list["result"]?.arrayValue?.map { $0["parentPath"] } == ["", "/", "/alpha"])
    }
  }

  @Test(
    arguments: [
      "realms/root/realms/alpha/realms/branch", "realms/alpha/realms/branch", "alpha/branch",
      "realms/root/realms/ALPHA/realms/Branch", "realms/root/realms/%61lpha/realms/branc%68",
      "Alpha/%62ranch",
    ])
  func `every form of its path`(path: String) async throws {
    try await withBranch { server, _ async throws in
      let information = try await server.call(.get, "/am/json/\(path)/serverinfo/*")
      #expect(information.status == 200 && information["realm"] == "/alpha/branch")
      #expect(try await server.start(realm: "/am/json/\(path)").status == 200)
    }
  }

  @Test(arguments: ["/alpha/branch", "alpha/branch", "/Alpha/BRANCH", "alpha%2Fbranch"])
  func `and of the parameter`(realm: String) async throws {
    try await withBranch { server, _ async throws in
      let information = try await server.call(.get, "/am/json/serverinfo/*?realm=\(realm)")
      #expect(information.status == 200 && information["realm"] == "/alpha/branch")
      #expect(try await server.call(.get, "/am/XUI/?realm=\(realm)").status == 200)
    }
  }

  private static let noRealms = [
    "realms/root/realms/alpha/realms/..", "realms/root/realms/alpha/realms/%2e%2e",
    "realms/root/realms/alpha/realms/.",
    "realms/root/realms/alpha/realms/root", "realms/root/realms/alpha/realms/nowhere",
    "realms/root/realms/branch",
    "realms/root/realms/branch/realms/alpha", "realms/alpha%2Fbranch", "alpha%2Fbranch",
    "alpha%2Frealms%2Fbranch",
    "realms/alpha/branch", "alpha/realms/branch", "branch", "alpha/branch/branch", "alpha/../branch",
    "realms/root/realms/alpha/realms/branch%20", "realms/root/realms/alpha/realms/bran%C3%A7h",
    "realms/root/realms/alpha/realms", String(repeating: "realms/alpha/", count: 9) + "realms/branch",
    String(repeating: "alpha/", count: 9) + "branch", String(repeating: "alpha/", count: 40) + "branch",
    String(repeating: "realms/alpha/", count: 16) + "realms/branch",
  ]

  @Test func `what is no realm's path is 404`() async throws {
    try await withBranch { server, _ async throws in
      for path in Self.noRealms {
        #expect(try await server.call(.get, "/am/json/\(path)/serverinfo/*").status == 404, "\(path)")
        #expect(try await server.start(realm: "/am/json/\(path)").status == 404, "\(path)")
      }
    }
  }

  @Test(arguments: ["/nowhere", "alpha", "/alpha/nowhere", "", "/alpha/../alpha"])
  func `the realm that it is to be in has to be there`(parent: String) async throws {
    try await LocalServer.run { server async throws in
      let admin = try await server.signInAdministrator()
      #expect(try await create("branch", in: parent, admin, server).status == 404)
    }
  }

  @Test(arguments: [
    "", "a/b", "..", "users", "REALMS", "oauth2", "a.b", "a b", String(repeating: "a", count: 65),
  ])
  func `its own name is as any realm's`(name: String) async throws {
    try await LocalServer.run { server async throws in
      let admin = try await server.signInAdministrator()
      #expect(try await create(name, in: "/alpha", admin, server).status == 400)
    }
  }

  @Test func `eight realms are in each other, and names have a limit together`() async throws {
    try await LocalServer.run { server async throws in
      let admin = try await server.signInAdministrator()
      var (parent, path) = ("/alpha", LocalServer.alpha)
      for level in 2...8 {
        #expect(try await create("r\(level)", in: parent, admin, server).status == 201)
        parent += "/r\(level)"
        path += "/realms/r\(level)"
      }
      #expect(try await create("r9", in: parent, admin, server).status == 400)
      try await add("deep", realm: String(parent.dropFirst()), server)
      let token = try await server.signIn("deep", password: "ada-password", realm: path)
      #expect(try await server.call(.get, "\(path)/users/deep", token: token).status == 200)
      let id = try #require(
        UniversalID(username: "deep", realm: String(parent.dropFirst())).text.addingPercentEncoding(
          withAllowedCharacters: .alphanumerics))
      #expect(try await server.call(.get, "\(path)/users/\(id)", token: token).status == 200)
      parent = ""
      for letter in ["a", "b", "c"] {
        let name = String(repeating: letter, count: 64)
        #expect(try await create(name, in: parent.isEmpty ? "/" : parent, admin, server).status == 201)
        parent += "/\(name)"
      }
      #expect(try await create(String(repeating: "d", count: 61), in: parent, admin, server).status == 400)
      #expect(try await create(String(repeating: "d", count: 60), in: parent, admin, server).status == 201)
    }
  }

  @Test func `a realm with realms in it stays, even when it is forced`() async throws {
    try await LocalServer.run { server async throws in
      let admin = try await server.signInAdministrator()
      #expect(try await create("beta", in: "/", admin, server).status == 201)
      #expect(try await create("branch", in: "/beta", admin, server).status == 201)
      for query in ["", "?force=true"] {
        let answer = try await server.call(.delete, "\(Self.realms)/beta\(query)", token: admin)
        #expect(answer.status == 409 && answer["detail"]?["realms"] == 1)
      }
      let id = Base64URL.encode(Array("/beta/branch".utf8))
      #expect(try await server.call(.get, "\(Self.realms)/\(id)", token: admin)["parentPath"] == "/beta")
      #expect(try await server.call(.delete, "\(Self.realms)/\(id)", token: admin).status == 200)
      #expect(try await server.call(.delete, "\(Self.realms)/beta", token: admin).status == 200)
    }
  }

  @Test func `an administrator of a realm rules neither the realms in it nor the one around it`() async throws
  {
    try await withBranch { server, admin async throws in
      try await add("outer", Set(AccountRole.allCases), realm: "alpha", server)
      try await add("inner", Set(AccountRole.allCases), realm: "alpha/branch", server)
      try await add("guest", realm: "alpha/branch", server)
      let outer = try await server.signIn("outer", password: "ada-password")
      let inner = try await server.signIn("inner", password: "ada-password", realm: Self.branch)
      for (token, own, other, user) in [
        (outer, LocalServer.alpha, Self.branch, "guest"), (inner, Self.branch, LocalServer.alpha, "bob"),
      ] {
        #expect(try await server.call(.get, "\(own)/users?_queryFilter=true", token: token).status == 200)
        let draft: JSONValue = ["username": "new", "userpassword": "quiet meadow"]
        for (method, path, body) in [
          (.get, "\(other)/users?_queryFilter=true", nil), (.get, "\(other)/users/\(user)", nil),
          (.post, "\(other)/users?_action=create", draft), (.delete, "\(other)/users/\(user)", nil),
          (.put, "\(other)/users/\(user)", ["userpassword": "quiet meadow"]),
          (.post, "\(other)/applications?_action=create", ["name": "shop"]),
          (.get, "\(other)/audit/evidence?_queryFilter=true", nil),
          (.get, "\(other)/realm-config/authentication/authenticationtrees/trees?_queryFilter=true", nil),
          (.post, "\(Self.realms)?_action=create", ["name": "more", "parentPath": "/alpha"]),
        ] as [(HTTPRequest.Method, String, JSONValue?)] {
          #expect(
            try await server.call(method, path, token: token, body: body).status == 403, "\(method) \(path)")
        }
      }
      // The store judges once more, in the write.
      let hash = try #require(SessionToken(presented: outer)).hash
      await #expect(throws: StoreError.self) {
        _ = try await server.store.changeRole(
          RoleChange(.administrator, isGrant: true, username: "guest", realm: "alpha/branch"),
          by: Caller(tokenHash: hash, right: .capability(.administrate), now: server.clock.now))
      }
      #expect(try await server.call(.get, "\(Self.branch)/users/guest", token: admin).status == 200)
      // Pages show a session of the other realm the way to sign in.
      let page = try await PageReader(server, token: outer).get("/am/admin/users?realm=/alpha/branch")
      #expect(page.contains("id=\"asRealm\"") && !page.contains("guest"), "\(page.status)")
    }
  }

  @Test func `its journeys are in a folder of their own, which is not in that of the realm around it`()
    async throws
  {
    let folder = try TemporaryFolder.make()
    try folder.write(TestJourneys.login.serialized, to: "root/Login.journey.json")
    try folder.write(TestJourneys.trusting.serialized, to: "alpha.branch/Trusting.journey.json")
    try folder.write(Array("{}".utf8), to: "alpha.branch/SignIn.journey.json")
    try await withBranch({ $0.journeysDirectory = folder.url }) { server, _ async throws in
      #expect(try await server.start("Trusting", realm: Self.branch).status == 200)
      #expect(try await server.start("SignIn", realm: Self.branch).status == 400)
      #expect(try await server.start("Trusting").status == 400)
      #expect(try await server.start("SignIn").status == 200)
      // After a change, and when all is loaded anew.
      try folder.write(TestJourneys.nobody.serialized, to: "alpha.branch/Nobody.journey.json")
      await server.server.realms.reloadNow()
      #expect(try await server.start("Trusting", realm: Self.branch).status == 200)
      #expect(try await server.start("Nobody", realm: Self.branch).status == 200)
      #expect(try await server.start("Nobody").status == 400)
    }
  }

  @Test func `an enrolment address and an issuer name it as PingAM does`() async throws {
    try await withBranch { server, _ async throws in
      let discovery = try await server.call(
        .get, "/am/oauth2/realms/root/realms/alpha/realms/branch/.well-known/openid-configuration",
        headers: ["Host": "id.example.com"])
      #expect(
        discovery["issuer"]?.stringValue?.hasSuffix("/am/oauth2/realms/root/realms/alpha/realms/branch")
          == true)
      for path in ["alpha/branch/", "realms/alpha/realms/branch/", ""] {
        let answer = try await server.call(
          .get,
          "/am/oauth2/\(path).well-known/openid-configuration\(path.isEmpty ? "?realm=/alpha/branch" : "")")
        #expect(answer.status == 200 && answer["issuer"]?.stringValue?.contains("branch") == true, "\(path)")
      }
    }
  }

  @Test func `a configuration may have it, if the realm around it is there`() async throws {
    try await LocalServer.run(.router, { $0.realms = ["root", "alpha", "alpha/branch"] }) {
      server async throws in
      #expect(try await server.start(realm: Self.branch).status == 200)
      let id = Base64URL.encode(Array("/alpha/branch".utf8))
      let admin = try await server.signInAdministrator()
      #expect(
        try await server.call(.delete, "\(Self.realms)/\(id)?force=true", token: admin).status == 409)
    }
    for realms in [["root", "beta/branch"], ["root", "alpha", "alpha/../x"], ["root", "alpha/"]] {
      var configuration = LocalServer.configuration()
      configuration.realms = realms
      await #expect(throws: ServerSetupError.self) { try await SealringServer.make(configuration) }
    }
  }

  @Test func `administrators of the root realm see it on pages, and links keep it`() async throws {
    try await withBranch { server, admin async throws in
      let page = try await PageReader(server, token: admin).get("/am/admin/users?realm=/alpha/branch")
      #expect(page.status == 200 && page.contains("%2Falpha%2Fbranch"), "\(page.status)")
    }
  }

  @Test func `no resource begins with a word that a realm could be called`() async throws {
    try await LocalServer.run { server async throws in
      let routes = server.server.responder.routes.all.filter { !$0.isWholePath }
      let words = Set(routes.filter { $0.base == "json" }.compactMap(\.pattern.first))
      #expect(!words.isEmpty && words.subtracting(RealmName.reserved) == [])
      #expect(!words.contains { $0.hasPrefix(":") })
      // What stands before a resource is never both a realm and the beginning of another resource's path.
      for (_, routes) in Dictionary(grouping: routes, by: \.base) {
        let patterns = routes.map(\.pattern)
        for pattern in patterns {
          for count in 1..<max(pattern.count, 1) where patterns.contains(Array(pattern.dropFirst(count))) {
            #expect(
              RealmName.fault(inPath: pattern.prefix(count).joined(separator: "/")) != nil, "\(pattern)")
          }
        }
      }
    }
  }
}
