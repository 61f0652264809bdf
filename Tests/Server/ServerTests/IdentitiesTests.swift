import Accounts
import CommonFixtures
import Concurrency
import Foundation
import HTTPTypes
import HummingbirdTesting
import JourneyNodes
import JourneyStore
import StrictJSON
import Testing

@testable import Assembly
@testable import Operations
@testable import ServerHTTP

@Suite("Identities by REST") struct IdentitiesTests {
  private static let users = "\(LocalServer.alpha)/users"
  private static func path(_ name: String) -> String { "\(users)/\(name)" }

  private static func filtered(_ filter: String, _ more: String = "") -> String {
    let encoded = filter.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    return "\(users)?_queryFilter=\(encoded)\(more)"
  }

  /// The names in an answer.
  private static func names(_ answer: Answer) -> [String] {
    answer["result"]?.arrayValue?.compactMap { $0["username"]?.stringValue } ?? []
  }

  private static func set(_ attributes: JSONObject, of name: String, in server: LocalServer) async throws {
    var change = UserChange(of: try #require(try await server.store.user(named: name, realm: "alpha")))
    change.attributes = attributes
    _ = try await server.store.updateUser(change)
  }

  // MARK: Queries

  @Test(arguments: [
    (#"mail eq "ada@example.com""#, ["ada"]), (#"/mail sw "BOB@""#, ["bob"]),
    (#"username eq "Ada""#, ["ada"]),
    (#"userName eq "ada" or mail eq "bob@example.com""#, ["ada", "bob"]),
    (#"inetUserStatus eq "Inactive""#, ["zoe"]),
    (#"sn eq "lovelace" and !(mail co "x.org")"#, ["ada"]), (#"mail co "example""#, ["ada", "bob", "zoe"]),
    (#"sn pr"#, ["ada"]), (#"kbaInfo pr"#, []), (#"password pr"#, []),
  ])
  func `an administrator finds accounts by a filter`(filter: String, names: [String]) async throws {
    try await LocalServer.run { server in
      try await Self.set(["sn": "Lovelace", "kbaInfo": [1]], of: "ada", in: server)
      let admin = try await server.signInAdministrator()
      let answer = try await server.call(.get, Self.filtered(filter), token: admin)
      #expect(answer.status == 200)
      #expect(Self.names(answer) == names)
      #expect(answer["pagedResultsCookie"]?.stringValue == nil)
    }
  }

  @Test func `pages of a filter follow each other`() async throws {
    try await LocalServer.run { server in
      let admin = try await server.signInAdministrator()
      for filter in [#"mail pr"#, #"mail sw "a" or mail sw "b" or mail sw "z""#] {
        var (found, cookie): ([String], String?) = ([], "")
        while let next = cookie {
          let answer = try await server.call(
            .get, Self.filtered(filter, "&_pageSize=1&_pagedResultsCookie=\(next)"), token: admin)
          #expect(Self.names(answer).count <= 1)
          found += Self.names(answer)
          cookie = answer["pagedResultsCookie"]?.stringValue
        }
        #expect(found == ["ada", "bob", "zoe"])
      }
    }
  }

  @Test func `only the wanted members are shown`() async throws {
    try await LocalServer.run { server in
      let admin = try await server.signInAdministrator()
      let list = try await server.call(.get, Self.filtered("true", "&_fields=username,mail/0"), token: admin)
      #expect(list["result"]?[0]?.objectValue?.names.sorted() == ["_id", "_rev", "mail", "username"])
      let one = try await server.call(.get, Self.path("ada") + "?_fields=realm", token: admin)
      #expect(one.json.objectValue?.names.sorted() == ["_id", "_rev", "realm"])
      #expect(try await server.call(.get, Self.path("ada") + "?_fields=a//b", token: admin).status == 400)
    }
  }

  @Test(arguments: ["mail eq", "mail xx 1", "(", "mail eq \"", String(repeating: "!", count: 3000)])
  func `a filter that cannot be read is a 400`(filter: String) async throws {
    try await LocalServer.run { server in
      let admin = try await server.signInAdministrator()
      #expect(try await server.call(.get, Self.filtered(filter), token: admin).status == 400)
    }
  }

  @Test func `an ordinary user enumerates nobody`() async throws {
    try await LocalServer.run { server in
      let ada = try await server.signIn("ada")
      for filter in ["true", #"mail eq "bob@example.com""#, #"username eq "ada""#] {
        #expect(try await server.call(.get, Self.filtered(filter), token: ada).status == 403)
        #expect(try await server.call(.get, Self.filtered(filter)).status == 401)
      }
      #expect(try await server.call(.get, Self.path("bob"), token: ada).status == 403)
      #expect(try await server.call(.get, Self.path("nobody"), token: ada).status == 403)
    }
  }

  // MARK: Changes

  @Test(
    arguments: [
      ["loginCount": 0], ["accountStatus": "active"], ["risk": "low"],
      ["adminRoles": ["administrator"], "risk": "x"],
      ["inetUserStatus": "Inactive"],
    ] as [JSONObject])
  func `a user cannot change what the schema does not let users change`(change: JSONObject) async throws {
    try await LocalServer.run { server in
      try await Self.set(["loginCount": 7, "risk": "high"], of: "ada", in: server)
      let ada = try await server.signIn("ada")
      #expect(try await server.call(.put, Self.path("ada"), token: ada, body: .object(change)).status == 403)
      let stored = try #require(try await server.store.user(named: "ada", realm: "alpha"))
      #expect(
        stored.attributes == ["loginCount": 7, "risk": "high"] && stored.roles.isEmpty && stored.isActive)
    }
  }

  @Test func `what a user may not change stays when it is left out, and may come back unchanged`()
    async throws
  {
    try await LocalServer.run { server in
      try await Self.set(["loginCount": 7, "risk": "high", "sn": "L", "kbaInfo": [1]], of: "ada", in: server)
      let ada = try await server.signIn("ada")
      var body: JSONObject = ["givenName": "Ada", "risk": "high"]
      var answer = try await server.call(.put, Self.path("ada"), token: ada, body: .object(body))
      #expect(
        answer.status == 200 && answer["loginCount"] == 7 && answer["risk"] == "high" && answer["sn"] == nil)
      #expect(answer["kbaInfo"] == nil)
      let admin = try await server.signInAdministrator()
      body = ["sn": "King"]
      answer = try await server.call(.put, Self.path("ada"), token: admin, body: .object(body))
      #expect(answer["risk"] == nil && answer["sn"] == "King")
      #expect(try await server.store.user(named: "ada", realm: "alpha")?.attributes["kbaInfo"] == [1])
      body = ["kbaInfo": []]
      #expect(try await server.call(.put, Self.path("ada"), token: admin, body: .object(body)).status == 400)
    }
  }

  @Test(
    arguments: [
      (["mail": ["no address"]], "mail", "VALID_EMAIL_ADDRESS_FORMAT"),
      (["givenName": 5], "givenName", "VALID_TYPE"),
      (["sn": ""], "sn", "REQUIRED"),
      (["preferences": ["updates": "yes"]], "preferences/updates", "VALID_TYPE"),
    ] as [(JSONObject, String, String)])
  func `a value that the schema refuses is a 400 that names it`(
    change: JSONObject, name: String, requirement: String
  ) async throws {
    try await LocalServer.run { server in
      let admin = try await server.signInAdministrator()
      var new = change
      new["username"] = "new"
      for (method, path, body) in [
        (.put, Self.path("ada"), change), (.post, Self.users + "?_action=create", new),
      ] as [(HTTPRequest.Method, String, JSONObject)] {
        let answer = try await server.call(method, path, token: admin, body: .object(body))
        #expect(answer.status == 400)
        let failure = answer["detail"]?["failedPolicyRequirements"]?[0]
        #expect(failure?["property"] == .string(name))
        #expect(failure?["policyRequirements"]?[0]?["policyRequirement"] == .string(requirement))
      }
    }
  }

  @Test func `a value that must be unique belongs to one account, whoever sets it`() async throws {
    let settings = Locked(IdentitySettings())
    var badge = ManagedSchema.Attribute("badge")
    badge.isUnique = true
    badge.isUserEditable = true
    settings.withLock { [badge] in $0.schema.attributes.append(badge) }
    try await LocalServer.run(.router, { $0.identities = settings.withLock { $0 } }) { server in
      let (ada, bob) = (try await server.signIn("ada"), try await server.signIn("bob"))
      #expect(try await server.call(.put, Self.path("ada"), token: ada, body: ["badge": "B1"]).status == 200)
      #expect(try await server.call(.put, Self.path("bob"), token: bob, body: ["badge": "b1"]).status == 409)
      #expect(try await server.store.user(named: "bob", realm: "alpha")?.attributes["badge"] == nil)
      let admin = try await server.signInAdministrator()
      let new: JSONValue = ["username": "new", "badge": "B1"]
      #expect(
        try await server.call(.post, Self.users + "?_action=create", token: admin, body: new).status == 409)
      #expect(try await server.store.user(named: "new", realm: "alpha") == nil)
    }
  }

  // MARK: The file

  private static func settings(_ json: JSONObject) throws -> IdentitySettings {
    let folder = try TemporaryFolder.make()
    try folder.write(json.serialized, to: "identities.json")
    return try IdentitySettings(file: folder.url.appending(path: "identities.json"))
  }

  @Test func `the file says which consents are asked for`() throws {
    let consents: JSONValue = [
      [
        "name": "crm", "displayName": "Newsletter", "icon": "https://example.com/i.png",
        "accessLevel": "Actual Profile", "isRequired": true, "fields": ["mail", "sn"],
      ], ["name": "billing", "icon": .null],
    ]
    #expect(
      try Self.settings(["consentMappings": consents]).consentMappings == [
        ConsentMapping(
          "crm", displayName: "Newsletter", icon: "https://example.com/i.png",
          accessLevel: "Actual Profile", isRequired: true, fields: ["mail", "sn"]),
        ConsentMapping("billing"),
      ])
    #expect(try Self.settings([:]).consentMappings.isEmpty)
  }

  @Test(
    arguments: [
      [:], "crm", [1], [[:]], [["name": ""]], [["name": "a"], ["name": "a"]], [["name": "a", "icon": 1]],
      [["name": "a", "isRequired": "yes"]], [["name": "a", "fields": ["mail", 1]]],
      [["name": "a", "fields": "mail"]],
      .array(Array(repeating: ["name": "a"], count: 21)),
    ] as [JSONValue])
  func `consents of another form keep the server from starting, and the message says why`(consents: JSONValue)
    throws
  {
    let error = #expect(throws: ServerSetupError.self) {
      _ = try Self.settings(["consentMappings": consents])
    }
    #expect("\(try #require(error))".contains("consent"))
  }
}
