import BindingFormats
import Bytes
import CommonFixtures
import Foundation
import HTTPTypes
import HummingbirdTesting
import JourneyEngine
import JourneyStore
import StrictJSON
import Testing

@testable import Assembly
@testable import JourneyFiles
@testable import Operations
@testable import ServerHTTP

@Suite("Realms") struct RealmsTests {
  private static let realms = "\(LocalServer.root)/global-config/realms"
  private static let beta = "/am/json/realms/root/realms/beta"

  private func create(_ name: String, _ token: String, _ server: LocalServer) async throws -> Answer {
    try await server.call(.post, "\(Self.realms)?_action=create", token: token, body: ["name": .string(name)])
  }

  private func names(_ token: String, _ server: LocalServer) async throws -> [JSONValue?] {
    let list = try await server.call(.get, "\(Self.realms)?_queryFilter=true", token: token)
    return list["result"]?.arrayValue?.map { $0["name"] } ?? []
  }

  @Test func `a realm needed a restart: it is there at once, with the bundled journeys`() async throws {
    try await LocalServer.run { server async throws in
      let admin = try await server.signInAdministrator()
      #expect(try await server.call(.post, "\(Self.beta)/authenticate", body: [:]).status == 404)
      let created = try await create("Beta", admin, server)
      #expect(created.status == 201 && created["name"] == "Beta" && created["parentPath"] == "/")
      #expect(created["_id"] == .string(Base64URL.encode(Array("/Beta".utf8))))
      #expect(try await names(admin, server) == ["/", "alpha", "Beta"])
      let trees = try await server.call(
        .get, "\(Self.beta)/realm-config/authentication/authenticationtrees/trees?_queryFilter=true",
        token: admin)
      let journeys = Set(trees["result"]?.arrayValue?.compactMap { $0["_id"]?.stringValue } ?? [])
      #expect(journeys.contains("Login") && journeys.contains("SignIn"))
      #expect(try await create("beta", admin, server).status == 409, "names have no case")
      let user = try await server.call(
        .post, "\(Self.beta)/users?_action=create", token: admin,
        body: ["username": "mira", "userpassword": "quiet meadow"])
      #expect(user.status == 201 && user["realm"] == "/Beta")
      _ = try await server.signIn("mira", password: "quiet meadow", realm: Self.beta)
      #expect(try await create("gamma", admin, server).status == 201)
    }
  }

  @Test func `its own folder's journeys are over the bundled ones`() async throws {
    let folder = try TemporaryFolder.make()
    try folder.write(TestJourneys.login.serialized, to: "root/Login.journey.json")
    try folder.write(TestJourneys.trusting.serialized, to: "beta/Trusting.journey.json")
    // Does not load: nothing is offered under its name, not even the bundled one.
    try folder.write(Array("{}".utf8), to: "beta/SignIn.journey.json")
    try await LocalServer.run {
      $0.journeysDirectory = folder.url
    } body: { server async throws in
      let admin = try await server.signInAdministrator()
      #expect(try await create("beta", admin, server).status == 201)
      #expect(try await server.start("Trusting", realm: Self.beta).status == 200)
      #expect(try await server.start("SignIn", realm: Self.beta).status == 400)
    }
  }

  @Test func `a realm with accounts stays unless it is forced, and then nothing of it is left`() async throws
  {
    try await LocalServer.run { server async throws in
      let admin = try await server.signInAdministrator()
      #expect(try await create("beta", admin, server).status == 201)
      #expect(
        try await server.call(.delete, "\(Self.realms)/beta", token: admin).status == 200, "it was empty")
      #expect(try await create("beta", admin, server).status == 201)
      try await server.store.createUser(
        UserRecord(realm: "beta", username: "mira", createdAt: server.clock.now))
      let application = try await server.call(
        .post, "\(Self.beta)/applications?_action=create", token: admin, body: ["name": "shop"])
      #expect(application.status == 201)
      let refused = try await server.call(.delete, "\(Self.realms)/beta", token: admin)
      #expect(
        refused.status == 409 && refused["detail"]?["accounts"] == 1
          && refused["detail"]?["applications"] == 1)
      #expect(try await server.call(.get, "\(Self.beta)/users/mira", token: admin).status == 200)
      let id = Base64URL.encode(Array("/beta".utf8))
      #expect(try await server.call(.delete, "\(Self.realms)/\(id)?force=true", token: admin).status == 200)
      #expect(try await server.call(.get, "\(Self.beta)/users/mira", token: admin).status == 404)
      #expect(try await server.start(realm: Self.beta).status == 404)
      // A request that was under way adds nothing that a realm of the same name would find.
      await #expect(throws: StoreError.self) {
        try await server.store.createUser(
          UserRecord(realm: "beta", username: "late", createdAt: server.clock.now))
      }
      #expect(try await create("beta", admin, server).status == 201)
      let list = try await server.call(.get, "\(Self.beta)/users?_queryFilter=true", token: admin)
      #expect(list["result"] == [])
    }
  }

  @Test func `a realm has nothing of an earlier one of its name, neither journeys nor policies nor uploads`()
    async throws
  {
    let folder = try TemporaryFolder.make()
    try folder.write(TestJourneys.login.serialized, to: "root/Login.journey.json")
    try folder.write(TestJourneys.trusting.serialized, to: "beta/Trusting.journey.json")
    try await LocalServer.run {
      $0.journeysDirectory = folder.url
    } body: { server async throws in
      let admin = try await server.signInAdministrator()
      #expect(try await create("beta", admin, server).status == 201)
      try WaitingUploads(in: folder.url).put(
        WaitingUpload(
          file: "A.journey.json", export: "{}", base: "b", administrator: "bea@beta", accountID: "1",
          time: server.clock.now), realm: "beta")
      #expect(try await server.start("Trusting", realm: Self.beta).status == 200)
      #expect(try await server.call(.delete, "\(Self.realms)/beta", token: admin).status == 200)
      #expect(try await create("beta", admin, server).status == 201)
      #expect(try await server.start("Trusting", realm: Self.beta).status == 400)
      #expect(WaitingUploads(in: folder.url).all(realm: "beta").isEmpty)
      // Nothing of it is lost.
      let aside = try FileManager.default.contentsOfDirectory(atPath: folder.url.path + "/.deleted").sorted()
      #expect(aside.count == 2 && aside[0].hasPrefix("beta.") && aside[1].hasSuffix(".review"))
    }
  }

  @Test(arguments: ["root", "Lw", "alpha", "ALPHA", "L2FscGhh"])
  func `configured realms stay, and root before all`(id: String) async throws {
    try await LocalServer.run { server async throws in
      let admin = try await server.signInAdministrator()
      let answer = try await server.call(.delete, "\(Self.realms)/\(id)?force=true", token: admin)
      #expect(answer.status == 409)
      #expect(try await names(admin, server) == ["/", "alpha"])
      #expect(try await server.call(.delete, "\(Self.realms)/nowhere", token: admin).status == 404)
    }
  }

  @Test(
    arguments: [
      "", "root", "Root", "users", "a/b", "../x", ".", "-a", "_a", "a b", "ä", "a\u{0}", "authenticate",
      "realm-config",
      String(repeating: "a", count: 65),
    ])
  func `a name that would break a path or a folder is none`(name: String) async throws {
    try await LocalServer.run { server async throws in
      #expect(try await create(name, try await server.signInAdministrator(), server).status == 400)
    }
  }

  @Test func `only administrators of the root realm create and delete, whatever they rule elsewhere`()
    async throws
  {
    try await LocalServer.run { server async throws in
      _ = try await server.store.changeRole(
        RoleChange(.administrator, isGrant: true, username: "bob", realm: "alpha"), by: nil)
      for token in [try await server.signIn("ada"), try await server.signIn("bob")] {
        #expect(try await create("beta", token, server).status == 403)
        #expect(try await server.call(.delete, "\(Self.realms)/alpha", token: token).status == 403)
        #expect(try await server.call(.get, "\(Self.realms)?_queryFilter=true", token: token).status == 403)
      }
      #expect(try await server.call(.get, "\(Self.realms)?_queryFilter=true").status == 401)
    }
  }

  @Test func `another server on the same database learns of it, without a restart`() async throws {
    try await LocalServer.run { server async throws in
      let folder = try #require(server.server.configuration.journeysDirectory)
      let own = folder.appending(path: "beta")
      try FileManager.default.createDirectory(at: own, withIntermediateDirectories: true)
      try Data(TestJourneys.trusting.serialized).write(to: own.appending(path: "Trusting.journey.json"))
      var configuration = LocalServer.configuration()
      configuration.journeysDirectory = folder
      let directory = RealmDirectory(
        RealmDirectory.Snapshot(version: 0, names: ["root", "alpha"], catalog: server.server.catalog),
        from: configuration.realmSources, store: server.store, clock: configuration.clock,
        logger: configuration.logger)
      let admin = try await server.signInAdministrator()
      #expect(try await create("beta", admin, server).status == 201)
      #expect(directory.realm("beta") == nil)
      try await directory.refresh()
      #expect(directory.realm("BETA") == "beta")
      #expect(directory.catalog.summaries(realm: "beta").contains { $0.name == "Login" })
      // Created again between two looks, it has nothing of the earlier one.
      #expect(directory.catalog.summaries(realm: "beta").contains { $0.name == "Trusting" })
      #expect(try await server.call(.delete, "\(Self.realms)/beta", token: admin).status == 200)
      server.clock.advance(by: 1)
      #expect(try await create("beta", admin, server).status == 201)
      try await directory.refresh()
      #expect(directory.realm("beta") == "beta")
      #expect(!directory.catalog.summaries(realm: "beta").contains { $0.name == "Trusting" })
      #expect(try await server.call(.delete, "\(Self.realms)/beta", token: admin).status == 200)
      try await directory.refresh()
      #expect(directory.realm("beta") == nil && directory.catalog.summaries(realm: "beta").isEmpty)
    }
  }

  @Test func `a realm is there again after a restart`() async throws {
    let folder = try TemporaryFolder.make()
    for round in 1...2 {
      try await LocalServer.run {
        $0.dataDirectory = folder.url
        if round == 2 { $0.journeysDirectory = nil }
      } body: { server async throws in
        for name in ["ada", "bob", "zoe"] {
          _ = try await server.store.deleteUser(UniversalID(username: name, realm: "alpha"))
        }
        let admin = try await server.signInAdministrator()
        if round == 1 { #expect(try await create("beta", admin, server).status == 201) }
        #expect(try await names(admin, server) == ["/", "alpha", "beta"])
        #expect(try await server.start(realm: Self.beta).status == 200)
        #expect(server.server.report(port: 1).realms.map(\.name) == ["root", "alpha", "beta"])
      }
    }
  }
}
