import BindingFormats
import Foundation
import JourneyStore
import JourneyStorePostgres
import PostgresFixtures
import StrictJSON
import Testing

/// `docs/scale.md` counts with these numbers.
@Suite("Round trips to PostgreSQL") struct RoundTripTests {
  @Test func `what a sign-in does is one round trip each`() async throws {
    let address = try await PostgresServer.shared.createDatabase()
    try await withStore(address) { try await count(on: $0) }
  }

  /// Each holds its account alone from the beginning: none waits for another that waits for it, which would be found after a second and
  /// repeated.
  @Test func `sixteen changes of an account by itself at once are made one after the other`() async throws {
    let address = try await PostgresServer.shared.createDatabase()
    try await withStore(address) { store in
      try await store.createUser(.demo)
      let session = SessionRecord.sample(1)
      try await store.createSession(session)
      let user = try #require(try await store.user(demo))
      let before = store.roundTrips
      try await withThrowingTaskGroup(of: UserChangeOutcome.self) { group in
        for index in 0..<16 {
          group.addTask {
            var change = UserChange(
              of: user, caller: Caller(tokenHash: session.tokenHash, right: .ownAccount, now: noon))
            change.attributes = ["cn": .string("\(index)")]
            return try await store.updateUser(change)
          }
        }
        for try await outcome in group {
          if case .changed = outcome { continue }
          Issue.record("\(outcome)")
        }
      }
      #expect(try await store.user(demo)?.revision == user.revision + 16)
      #expect(store.roundTrips - before <= 16 * 3 + 1)
    }
  }

  private func count(on store: PostgresStore) async throws {
    try await store.createUser(.demo)
    let session = SessionRecord.sample(1)
    func count(_ body: () async throws -> Void) async throws -> Int {
      let before = store.roundTrips
      try await body()
      return store.roundTrips - before
    }
    #expect(try await count { _ = try await store.user(demo) } == 1)
    #expect(try await count { _ = try await store.signer(uuid: "device", of: demo) } == 1)
    #expect(try await count { _ = try await store.consume([1], until: noon) } == 1)
    #expect(
      try await count { _ = try await store.user(demo, using: OnceKey(key: [2], expiry: noon)) } == 1)
    #expect(
      try await count {
        _ = try await store.settleAttempt(of: demo, isRight: true, policy: .standard, now: noon)
      } == 1)
    let step = OnceKey(key: [2], expiry: noon + 1)
    #expect(try await count { try await store.createSession(session, prolonging: step) } == 1)
    #expect(try await count { try await store.prolong([1], until: noon + 1) } == 1)
    #expect(try await count { _ = try await store.expiry(of: [1]) } == 1)
    #expect(try await count { _ = try await store.session(tokenHash: session.tokenHash, now: noon) } == 1)
    #expect(
      try await count { _ = try await store.touchSession(tokenHash: session.tokenHash, now: noon) } == 1)
    #expect(
      try await count { try await store.endSessions(.one(session.tokenHash), of: demo, now: noon) } == 1)
    // A failure is counted under the lock of its name: one to lock and read, one to write and commit.
    #expect(
      try await count {
        _ = try await store.settleAttempt(of: demo, isRight: false, policy: .standard, now: noon)
      } == 2)
  }
}
