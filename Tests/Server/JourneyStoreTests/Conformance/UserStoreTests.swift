import BindingFormats
import Foundation
import JourneyStore
import StrictJSON
import Testing

@Suite("Users") struct UserStoreTests {
  @Test func `a created user is read back as given`() async throws {
    try await withEachStore { store in
      let user = UserRecord.sample()
      try await store.createUser(user)
      #expect(try await store.user(.demo) == user)
      var bare = UserRecord.sample("bare")
      bare.passwordHash = nil
      bare.mail = []
      bare.attributes = [:]
      bare.isActive = false
      bare.isAdministrator = true
      try await store.createUser(bare)
      #expect(try await store.user(named: "bare", realm: "alpha") == bare)
    }
  }

  @Test(
    arguments: [
      ("Demo", "dEMO"), ("JÜRGEN", "jürgen"), ("Ада", "АДА"), ("e\u{301}mile", "\u{C9}MILE"), ("a b", "A B"),
    ])
  func `names are the same in any case`(given: String, asked: String) async throws {
    try await withEachStore { store in
      try await store.createUser(.sample(given))
      #expect(try await store.user(named: asked, realm: "ALPHA")?.username == given)
      await #expect {
        try await store.createUser(.sample(asked))
      } throws: {
        if case .conflict(let what)? = $0 as? StoreError { what.contains(asked) } else { false }
      }
    }
  }

  @Test(arguments: [("ss", "ß"), ("a", "á"), ("a", "a ")])
  func `names that differ in more than case are different`(one: String, other: String) async throws {
    try await withEachStore { store in
      try await store.createUser(.sample(one))
      try await store.createUser(.sample(other))
      #expect(try await store.users(realm: "alpha").count == 2)
    }
  }

  @Test func `very long names are kept and told apart`() async throws {
    try await withEachStore { store in
      let long = String(repeating: "x", count: 5000)
      try await store.createUser(.sample(long + "1"))
      try await store.createUser(.sample(long + "2"))
      #expect(try await store.user(named: long.uppercased() + "2", realm: "alpha")?.username == long + "2")
    }
  }

  @Test func `realms are apart, and users come by name`() async throws {
    try await withEachStore { store in
      for name in ["carol", "Alice", "bob"] { try await store.createUser(.sample(name)) }
      try await store.createUser(.sample("alice", realm: "root"))
      #expect(try await store.users(realm: "alpha").map(\.username) == ["Alice", "bob", "carol"])
      #expect(try await store.users(realm: "root").map(\.username) == ["alice"])
      #expect(try await store.user(named: "bob", realm: "root") == nil)
      #expect(try await store.users(realm: "nowhere").isEmpty)
    }
  }

  @Test func `deleting a user removes sessions, devices and failures, and nobody else's`() async throws {
    try await withEachStore { store in
      for (number, name) in [(UInt8(1), "demo"), (2, "other")] {
        try await store.createUser(.sample(name))
        _ = try await store.addBoundDevice(.sample(username: name), limit: 0)
        try await store.createSession(.sample(number, username: name))
        _ = try await store.recordFailure(
          of: UniversalID(username: name, realm: "alpha"), policy: .standard, now: noon)
      }
      #expect(try await store.deleteUser(UniversalID(username: "DEMO", realm: "alpha")) == .sample())
      #expect(try await store.user(.demo) == nil)
      #expect(try await store.boundDevices.all(of: .demo).isEmpty)
      #expect(try await store.session(tokenHash: SessionRecord.sample(1).tokenHash, now: noon) == nil)
      #expect(try await store.lockout(of: .demo) == LockoutState())

      #expect(try await store.boundDevices.all(of: .other).count == 1)
      #expect(try await store.sessions(of: .other, now: noon).count == 1)
      #expect(try await store.lockout(of: .other).consecutiveFailures == 1)
      #expect(try await store.deleteUser(.demo) == nil)
    }
  }
}
