import Accounts
import BindingFormats
import Foundation
import JourneyEngine
import JourneyStore
import StrictJSON
import Testing

@testable import JourneyNodes

@Suite("Identities as managed objects")
struct ManagedUserTests {
  static let ada: JSONObject = [
    "userName": "ada", "givenName": "Ada", "sn": "Lovelace", "mail": "ada@example.com",
    "password": "Correct horse 1", "preferences": ["updates": true], "city": "London",
  ]

  @Test func `an object is created, found, changed and deleted, and its password is never read`() async throws
  {
    let world = try await World()
    let created = try await world.users.create(
      "managed/alpha_user", id: nil, content: Self.ada, realm: "alpha")
    let id = try #require(created["_id"]?.stringValue)
    #expect(created["password"] == nil && created["mail"] == "ada@example.com")
    #expect(try await world.user("ada").passwordHash == "plain:Correct horse 1")
    let read = try #require(await world.users.read("managed/user/\(id)", realm: "alpha"))
    #expect(read["givenName"] == "Ada" && read["accountStatus"] == "active" && read["_rev"] == "0")
    let patched = try await world.users.patch(
      "managed/alpha_user/\(id)", revision: "0",
      operations: [
        ["operation": "replace", "field": "/givenName", "value": "Augusta"],
        ["operation": "add", "field": "/preferences/marketing", "value": false],
        ["operation": "remove", "field": "/city"],
        ["operation": "increment", "field": "/visits", "value": 2],
        ["operation": "add", "field": "/tags/-", "value": "math"],
      ], realm: "alpha")
    #expect(patched["givenName"] == "Augusta" && patched["city"] == nil && patched["visits"] == 2)
    #expect(patched["preferences"] == ["updates": true, "marketing": false] && patched["tags"] == ["math"])
    #expect(patched["_rev"] == "1")
    await #expect(throws: ManagedObjectError(.preconditionFailed, "the object has revision 1 by now")) {
      _ = try await world.users.delete("managed/user/\(id)", revision: "0", realm: "alpha")
    }
    let updated = try await world.users.update(
      "managed/user/\(id)", revision: nil,
      content: ["userName": "ada", "sn": "King", "givenName": "Ada", "mail": "king@example.com"],
      realm: "alpha")
    #expect(updated["sn"] == "King" && updated["tags"] == nil && updated["preferences"] == nil)
    #expect(updated["mail"] == "king@example.com")
    _ = try await world.users.delete("managed/user/\(id)", revision: "2", realm: "alpha")
    #expect(try await world.users.read("managed/user/\(id)", realm: "alpha") == nil)
  }

  @Test func `no change takes a required attribute away, and what an account never had it may go without`()
    async throws
  {
    let world = try await World()
    let created = try await world.users.create(
      "managed/alpha_user", id: nil, content: Self.ada, realm: "alpha")
    let resource = "managed/user/\(try #require(created["_id"]?.stringValue))"
    let changes: [JSONObject] = [
      ["operation": "remove", "field": "/sn"], ["operation": "replace", "field": "/mail", "value": ""],
      ["operation": "replace", "field": "/givenName", "value": .null],
    ]
    for change in changes {
      await #expect(throws: ManagedObjectError.self, "\(change)") {
        try await world.users.patch(resource, revision: nil, operations: [change], realm: "alpha")
      }
    }
    await #expect(throws: ManagedObjectError.self) {
      try await world.users.update(
        resource, revision: nil, content: ["userName": "ada", "sn": "King"], realm: "alpha")
    }
    let ada = try await world.user("ada")
    #expect(ada.attributes["sn"] == "Lovelace" && ada.mail == ["ada@example.com"] && ada.revision == 0)
    // Mira was made without names, by an administrator.
    let mira = try await world.user("mira")
    let changed = try await world.users.patch(
      "managed/user/\(mira.id)", revision: nil,
      operations: [["operation": "add", "field": "/city", "value": "Lagos"]], realm: "alpha")
    #expect(changed["city"] == "Lagos" && changed["sn"] == nil)
  }

  static let refused: [(JSONObject, ManagedObjectError.Reason)] = [
    (["userName": "mira"], .conflict), (["userName": "MIRA"], .conflict),
    (["userName": ""], .invalid), (["userName": "a,b"], .invalid), (["userName": .null], .invalid),
    (["givenName": 5], .invalid), (["givenName": ""], .invalid), (["mail": "not an address"], .invalid),
    (["mail": "a@b\r\nBcc: c@d"], .invalid), (["password": "short"], .invalid),
    (["preferences": ["updates": "yes"]], .invalid), (["adminRoles": ["administrator"]], .forbidden),
    (["inetUserStatus": "Active"], .forbidden), (["userPassword": "x"], .forbidden),
    (["accountStatus": "unheard of"], .invalid),
    (["note": .string(String(repeating: "x", count: 40_000))], .invalid),
  ]

  @Test(arguments: refused)
  func `what the schema or the server refuses is not created`(
    change: JSONObject, reason: ManagedObjectError.Reason
  ) async throws {
    let world = try await World()
    var content = Self.ada
    content.merge(change)
    do {
      _ = try await world.users.create("managed/alpha_user", id: nil, content: content, realm: "alpha")
      Issue.record("it was created")
    } catch let error as ManagedObjectError { #expect(error.reason == reason, "\(error)") }
    #expect(try await world.store.users(realm: "alpha").count == 3)
  }

  @Test(arguments: [
    "managed/bravo_user", "managed/role", "system/x", "managed/alpha_user/a/b", "", "managed",
  ])
  func `other objects and other realms' are not there`(resource: String) async throws {
    let world = try await World()
    await #expect(throws: ManagedObjectError.self) {
      _ = try await world.users.query(resource, filter: "true", fields: [], limit: 10, realm: "alpha")
    }
  }

  @Test(arguments: [
    (#"/mail eq "MIRA@example.com""#, ["mira"]), (#"/mail sw "mira@""#, ["mira"]),
    (#"userName eq "Rosa""#, ["rosa"]),
    (#"/sn eq "Weber""#, ["mira", "rosa"]), (#"/sn eq "Weber" and /age gt 40"#, ["rosa"]),
    (#"/mail eq "mira@example.com" or userName eq "rosa""#, ["mira", "rosa"]), (#"/age lt 40"#, ["mira"]),
    (#"!(/mail pr)"#, ["otto", "rosa"]), (#"/accountStatus eq "inactive""#, ["otto"]), ("false", []),
    (#"/sn eq "Web""#, []), (#"/password pr"#, []), (#"/kbaInfo pr"#, []),
  ])
  func `a filter finds accounts by the index and without it`(filter: String, names: [String]) async throws {
    let world = try await World()
    try await world.set(
      ["sn": "Weber", "age": 36, "kbaInfo": [["answer": "x"]]], mail: ["mira@example.com", "m@x.org"])
    try await world.set(["sn": "weber", "age": 44], of: "rosa")
    let found = try await world.users.query(
      "managed/alpha_user", filter: filter, fields: ["userName"], limit: 10, realm: "alpha")
    #expect(found.compactMap { $0["userName"]?.stringValue }.sorted() == names)
    #expect(found.allSatisfy { $0.names.sorted() == ["_id", "_rev", "userName"] })
    #expect(
      try await world.users.query(
        "managed/alpha_user", filter: filter, fields: [], limit: 0, realm: "alpha"
      ).isEmpty)
  }

  @Test func `of several changes at once each counts`() async throws {
    let world = try await World()
    let users = world.users
    let mira = try await world.user()
    try await withThrowingTaskGroup { group in
      for _ in 0..<4 {
        group.addTask {
          _ = try await users.keep("count", of: mira) { .integer(($0?.integerValue ?? 0) + 1) }
        }
      }
      try await group.waitForAll()
    }
    #expect(try await world.user().attributes["count"] == 4)
  }

  @Test func `a value of a unique attribute belongs to one account`() async throws {
    var world = try await World()
    var number = ManagedSchema.Attribute("employeeNumber")
    number.isUnique = true
    world.schema.attributes.append(number)
    #expect(try await world.store.use(world.schema.index) == [])
    try await world.set(["employeeNumber": "E7"])
    let rosa = try await world.user("rosa")
    do {
      _ = try await world.users.merge(["employeeNumber": "e7"], into: rosa)
      Issue.record("two have it")
    } catch let error as ManagedObjectError { #expect(error.reason == .conflict) }
    try await world.set(["employeeNumber": "E8"])
    #expect(
      try await world.users.merge(["employeeNumber": "e7"], into: rosa).attributes["employeeNumber"] == "e7")
  }

  @Test func `an owner changes only what the schema lets owners change`() async throws {
    let world = try await World()
    let mira = try await world.user()
    for name in ["accountStatus", "userName", "loginCount", "kbaInfo", "somethingElse"] {
      await #expect(throws: ManagedObjectError(.forbidden, "the schema does not let users change \(name)")) {
        _ = try await world.users.merge([name: "x"], into: mira, isOwner: true)
      }
    }
    #expect(
      try await world.users.merge(["givenName": "Mira"], into: mira, isOwner: true).attributes == [
        "givenName": "Mira"
      ])
  }
}
