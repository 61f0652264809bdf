import JourneyStore
import Testing

@Suite("Realms in the store") struct RealmStoreTests {
  @Test func `a realm with realms in it stays, forced or not`() async throws {
    try await withEachStore { store async throws in
      for name in ["a_c", "a_c/branch", "a_c/branch/desk", "abc"] {
        try await store.createRealm(name, at: noon, by: nil)
      }
      func delete(_ name: String) async throws -> RealmDeletion {
        try await store.deleteRealm(name, isForced: true, at: noon, by: nil)
      }
      #expect(try await delete("A_C") == .hasRealms(2))
      #expect(try await delete("a_c/branch") == .hasRealms(1))
      // An underscore stands for nothing but itself.
      #expect(try await delete("abc") == .deleted(accounts: 0, applications: 0))
      #expect(try await delete("a_c/Branch/desk") == .deleted(accounts: 0, applications: 0))
      #expect(try await delete("a_c/branch") == .deleted(accounts: 0, applications: 0))
      #expect(try await delete("a_c") == .deleted(accounts: 0, applications: 0))
      #expect(try await store.realms().names.isEmpty)
    }
  }

  @Test func `nothing is created in a realm that was deleted meanwhile`() async throws {
    try await withEachStore { store async throws in
      try await store.createRealm("gone", at: noon, by: nil)
      _ = try await store.deleteRealm("gone", isForced: false, at: noon, by: nil)
      await #expect(throws: StoreError.self) { try await store.createRealm("gone/child", at: noon, by: nil) }
      #expect(try await store.realms().names.isEmpty)
      // Realms of a configuration are not in the store.
      try await store.createRealm("alpha/branch", at: noon, by: nil)
      await #expect(throws: StoreError.self) {
        try await store.createRealm("ALPHA/Branch", at: noon, by: nil)
      }
      #expect(try await store.realms().names == ["alpha/branch"])
    }
  }

  @Test func `of a child's creation and its parent's deletion at once, never both`() async throws {
    try await withTwoServers { one, other in
      for round in 0..<8 {
        let parent = "parent\(round)"
        try await one.createRealm(parent, at: noon, by: nil)
        let done = try await inParallel(2) { number in
          guard number == 0 else {
            return try await other.deleteRealm(parent, isForced: true, at: noon, by: nil)
              == .deleted(accounts: 0, applications: 0)
          }
          do {
            try await one.createRealm("\(parent)/child", at: noon, by: nil)
            return true
          } catch is StoreError {
            return false
          }
        }
        #expect(done.count { $0 } == 1, "round \(round)")
      }
    }
  }
}
