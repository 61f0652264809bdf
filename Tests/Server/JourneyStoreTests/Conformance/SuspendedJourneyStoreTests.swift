import BindingFormats
import Foundation
import JourneyStore
import Testing

extension SuspendedJourneyRecord {
  static func sample(_ hash: String = "aa", realm: String = "alpha") -> SuspendedJourneyRecord {
    SuspendedJourneyRecord(
      realm: realm, idHash: hash, content: StoredSecret(Array("where it stands \(hash)".utf8)),
      createdAt: noon, expiresAt: noon + 300)
  }
}

@Suite("Suspended journeys in the store") struct SuspendedJourneyStoreTests {
  private let content = Array("where it stands aa".utf8)

  @Test func `a journey comes back once, to its own realm, in its time`() async throws {
    try await withEachStore { store async throws in
      try await store.suspendJourney(.sample())
      func resume(_ hash: String = "aa", realm: String = "alpha", at date: Date = noon) async throws
        -> [UInt8]?
      {
        try await store.resumeJourney(idHash: hash, realm: realm, now: date)?.reveal()
      }
      #expect(try await resume(realm: "beta") == nil)
      #expect(try await resume("ab") == nil)
      #expect(try await resume(at: noon + 300) == nil)
      #expect(try await resume(realm: "ALPHA", at: noon + 299) == content)
      #expect(try await resume() == nil)
    }
  }

  @Test func `what is looked at stays, for its own realm and in its time`() async throws {
    try await withEachStore { store async throws in
      try await store.suspendJourney(.sample())
      func look(realm: String = "alpha", at date: Date = noon) async throws -> [UInt8]? {
        try await store.suspendedJourney(idHash: "aa", realm: realm, now: date)?.reveal()
      }
      #expect(try await look(realm: "beta") == nil)
      #expect(try await look(at: noon + 300) == nil)
      #expect(try await look() == content)
      #expect(try await look(realm: "ALPHA") == content)
      #expect(try await store.resumeJourney(idHash: "aa", realm: "alpha", now: noon)?.reveal() == content)
      #expect(try await look() == nil)
    }
  }

  @Test func `of many who follow one link at two servers, exactly one gets the journey`() async throws {
    try await withTwoServers { one, other in
      let stores = [one, other]
      for round in 0..<5 {
        try await one.suspendJourney(.sample("\(round)"))
        let found = try await inParallel(16) {
          try await stores[$0 % 2].resumeJourney(idHash: "\(round)", realm: "alpha", now: noon) != nil
        }
        #expect(found.count { $0 } == 1)
      }
    }
  }

  @Test func `what has expired is removed, and a hash is taken once`() async throws {
    try await withEachStore { store async throws in
      try await store.suspendJourney(.sample())
      await #expect(throws: StoreError.self) { try await store.suspendJourney(.sample()) }
      try await store.removeExpired(now: noon + 299)
      await #expect(throws: StoreError.self) { try await store.suspendJourney(.sample()) }
      try await store.removeExpired(now: noon + 300)
      try await store.suspendJourney(.sample())
    }
  }

  @Test func `a realm's journeys go with it`() async throws {
    try await withEachStore { store async throws in
      try await store.createRealm("gone", at: noon, by: nil)
      try await store.suspendJourney(.sample(realm: "gone"))
      _ = try await store.deleteRealm("gone", isForced: true, at: noon, by: nil)
      #expect(try await store.resumeJourney(idHash: "aa", realm: "gone", now: noon) == nil)
      await #expect(throws: StoreError.self) { try await store.suspendJourney(.sample(realm: "gone")) }
    }
  }
}
