import BindingFormats
import Foundation
import JourneyStore
import JourneyStorePostgres
import PostgresFixtures
import StrictJSON
import Testing

private let noon = Date(timeIntervalSince1970: 1_800_000_000)
private let demo = UniversalID(username: "demo", realm: "alpha")

/// `docs/scale.md` counts with these numbers.
@Suite("Round trips to PostgreSQL") struct RoundTripTests {
  @Test func `what a sign-in does is one round trip each`() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("store-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let address = try await PostgresServer.shared.createDatabase()
    let store = try await PostgresStore.open(address, directory: folder)
    try await store.createUser(UserRecord(realm: "alpha", username: "demo", createdAt: noon))
    let session = SessionRecord(
      tokenHash: [1], handle: "handle", realm: "alpha", username: "demo", createdAt: noon, latestAccess: noon,
      maximumIdle: 1800, expiresAt: noon + 7200, properties: [:])
    func count(_ body: () async throws -> Void) async throws -> Int {
      let before = store.roundTrips
      try await body()
      return store.roundTrips - before
    }
    #expect(try await count { _ = try await store.user(demo) } == 1)
    #expect(try await count { _ = try await store.signer(uuid: "device", of: demo) } == 1)
    #expect(try await count { _ = try await store.consume([1], until: noon) } == 1)
    #expect(
      try await count {
        _ = try await store.settleAttempt(of: demo, isRight: true, policy: .standard, now: noon)
      } == 1)
    #expect(try await count { try await store.createSession(session) } == 1)
    #expect(try await count { _ = try await store.session(tokenHash: [1], now: noon) } == 1)
    #expect(try await count { _ = try await store.touchSession(tokenHash: [1], now: noon) } == 1)
    #expect(try await count { _ = try await store.deleteSession(tokenHash: [1]) } == 1)
    // A failure is counted under the lock of its name: one to lock and read, one to write and commit.
    #expect(
      try await count {
        _ = try await store.settleAttempt(of: demo, isRight: false, policy: .standard, now: noon)
      } == 2)
    try await store.close()
  }
}
