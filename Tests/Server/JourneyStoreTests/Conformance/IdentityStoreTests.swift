import BindingFormats
import Foundation
import JourneyStore
import StrictJSON
import Testing

@Suite("Accounts by their attributes") struct IdentityStoreTests {
  private static let badge = IdentityIndex(
    [
      IdentityIndex.Attribute("mail"), IdentityIndex.Attribute("sn"),
      IdentityIndex.Attribute("badge", isUnique: true),
    ])

  private func account(
    _ name: String, realm: String = "alpha", mail: [String] = [], _ attributes: JSONObject = [:]
  ) -> UserRecord {
    var user = UserRecord.sample(name, realm: realm)
    user.id = "id of \(name) in \(realm)"
    user.mail = mail
    user.attributes = attributes
    return user
  }

  private func names(
    _ store: any ServerStore, _ lookup: IdentityLookup, after: String? = nil, limit: Int = 10,
    realm: String = "alpha"
  ) async throws -> [String] {
    try await store.users(lookup, realm: realm, after: after, limit: limit).map(\.username)
  }

  @Test func `accounts are found by values, by beginnings of them, and by id, in their realm`() async throws {
    try await withEachStore { store in
      try await store.createUser(
        account("ada", mail: ["Ada@Example.com", "a2@example.com"], ["sn": "Weber"]))
      try await store.createUser(account("bob", mail: ["ada@example.com"], ["sn": ["weber", "Weberin"]]))
      try await store.createUser(account("eve", realm: "root", mail: ["ada@example.com"]))
      #expect(try await names(store, .equal(attribute: "mail", value: "ADA@example.com")) == ["ada", "bob"])
      #expect(
        try await names(store, .equal(attribute: "mail", value: "ada@example.com"), realm: "root") == ["eve"])
      #expect(try await names(store, .equal(attribute: "mail", value: "ada@example.co")) == [])
      #expect(try await names(store, .prefix(attribute: "mail", value: "a2@")) == ["ada"])
      #expect(try await names(store, .prefix(attribute: "sn", value: "WEB")) == ["ada", "bob"])
      #expect(try await names(store, .prefix(attribute: "sn", value: "web"), limit: 1) == ["ada"])
      #expect(try await names(store, .prefix(attribute: "sn", value: "web"), after: "ADA") == ["bob"])
      #expect(try await names(store, .equal(attribute: "unheard", value: "x")) == [])
      #expect(try await store.user(id: "id of ada in alpha", realm: "alpha")?.username == "ada")
      #expect(try await store.user(id: "id of ada in alpha", realm: "root") == nil)
      var change = UserChange(of: account("ada"))
      change.mail = ["new@example.com"]
      _ = try await store.updateUser(change)
      #expect(try await names(store, .equal(attribute: "mail", value: "ada@example.com")) == ["bob"])
      #expect(try await names(store, .equal(attribute: "mail", value: "new@example.com")) == ["ada"])
      _ = try await store.deleteUser(UniversalID(username: "bob", realm: "alpha"))
      #expect(try await names(store, .prefix(attribute: "sn", value: "web")) == ["ada"])
    }
  }

  @Test func `of several accounts at once one gets a unique value`() async throws {
    try await withEachStore { store in
      #expect(try await store.use(Self.badge) == [])
      for name in ["ada", "bob", "eve"] { try await store.createUser(account(name)) }
      let winners = await withTaskGroup(of: Bool.self) { group in
        for name in ["ada", "bob", "eve"] {
          var change = UserChange(of: account(name))
          change.attributes = ["badge": name == "bob" ? "b1" : "B1"]
          group.addTask { [change] in (try? await store.updateUser(change)) != nil }
        }
        return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
      }
      #expect(winners == 1)
      let holders = try await store.users(realm: "alpha").filter { $0.attributes["badge"] != nil }
      #expect(holders.count == 1)
      await #expect(throws: StoreError.self) { try await store.createUser(account("zoe", ["badge": "B1"])) }
      #expect(try await store.user(named: "zoe", realm: "alpha") == nil)
      // Another realm's is another one.
      try await store.createUser(account("zoe", realm: "root", ["badge": "B1"]))
    }
  }

  @Test func `another index is made for the accounts that are there, and says what is not unique`()
    async throws
  {
    try await withEachStore { store in
      for number in 0..<250 {
        try await store.createUser(
          account("user\(number)", ["badge": .string(number < 2 ? "same" : "b\(number)")]))
      }
      #expect(try await names(store, .equal(attribute: "badge", value: "b7")) == [])
      let duplicates = try await store.use(Self.badge)
      #expect(duplicates == ["badge of user1 in realm alpha"])
      #expect(try await names(store, .equal(attribute: "badge", value: "b7")) == ["user7"])
      #expect(try await names(store, .equal(attribute: "badge", value: "b249")) == ["user249"])
      #expect(try await names(store, .equal(attribute: "badge", value: "same")) == ["user0", "user1"])
      #expect(try await store.use(Self.badge) == [])
      #expect(store.identityIndex == Self.badge)
    }
  }

  @Test func `what a server with another index has written is in the index once a server starts after it`()
    async throws
  {
    try await withTwoServers { old, new in
      _ = try await old.use(.standard)
      #expect(try await new.use(Self.badge) == [])
      // Not started anew yet, the old one knows nothing of badges.
      try await old.createUser(account("ada", ["badge": "B1"]))
      #expect(try await names(new, .equal(attribute: "badge", value: "b1")) == [])
      #expect(try await old.use(Self.badge) == [])
      #expect(try await names(new, .equal(attribute: "badge", value: "b1")) == ["ada"])
      await #expect(throws: StoreError.self) { try await new.createUser(account("bob", ["badge": "b1"])) }
    }
  }

  @Test func `a change of an account that somebody else has changed is not made`() async throws {
    try await withEachStore { store in
      try await store.createUser(account("ada"))
      var change = UserChange(of: account("ada"))
      change.revision = 0
      change.attributes = ["a": 1]
      guard case .changed(let first) = try await store.updateUser(change) else { throw Unchanged() }
      #expect(first.revision == 1)
      change.attributes = ["a": 2]
      #expect(try await store.updateUser(change) == .revisionChanged)
      #expect(try await store.user(named: "ada", realm: "alpha")?.attributes == ["a": 1])
    }
  }

  private struct Unchanged: Error {}
}
