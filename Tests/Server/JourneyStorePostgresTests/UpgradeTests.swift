import BindingFormats
import CommonFixtures
import Concurrency
import Foundation
@testable import JourneyStore
import PostgresFixtures
import Testing

@testable import JourneyStorePostgres

@Suite("A store whose tables are changed by the next version") struct UpgradeTests {
  private static let tables = ["users", "sessions", "consumed", "lockouts", "bound_devices", "transactions"]

  /// What servers do all the time, until `isOver`; how often it failed.
  private func load(_ store: PostgresStore, client: Int, isOver: Locked<Bool>) async throws -> (
    done: Int, failures: [String]
  ) {
    var (done, failures) = (0, [] as [String])
    while !isOver.withLock({ $0 }) {
      let session = SessionRecord.sample(client << 20 | done)
      do {
        _ = try await store.user(demo)
        _ = try await store.createSession(session)
        _ = try await store.session(tokenHash: session.tokenHash, now: noon)
        _ = try await store.settleAttempt(
          of: demo, isRight: false, policy: LockoutPolicy(durations: []), now: noon)
        if let user = try await store.user(demo) {
          var change = UserChange(of: user)
          change.mail = ["\(client)-\(done)@example.com"]
          _ = try await store.updateUser(change)
        }
        try await store.endSessions(.one(session.tokenHash), of: demo, now: noon)
      } catch { failures.append("\(error)") }
      done += 1
    }
    return (done, failures)
  }

  @Test(arguments: [
    "ADD COLUMN of_the_next_version text NOT NULL DEFAULT 'new'",
    // Changes what is read, which the rules of migrations forbid: prepared statements end, and are prepared again.
    "ALTER COLUMN realm TYPE varchar",
  ])
  func `under load nothing fails, and no connection keeps what it has prepared if that ended`(change: String)
    async throws
  {
    let server = try await PostgresServer.shared
    let address = try await server.createDatabase()
    try await withStore(address) { store in
      try await store.createUser(.demo)
      let isOver = Locked(false)
      try await withThrowingTaskGroup(of: (done: Int, failures: [String]).self) { group in
        for client in 1...6 {
          group.addTask { try await load(store, client: client, isOver: isOver) }
        }
        group.addTask {
          defer { isOver.withLock { $0 = true } }
          // What is prepared is kept only after a while.
          try await eventually("requests") { store.roundTrips > 600 }
          for table in Self.tables where change.contains("ADD") || ["users", "sessions"].contains(table) {
            #expect(try await server.psql(on: address, "ALTER TABLE \(table) \(change)") == 0)
            let before = store.roundTrips
            try await eventually("further requests") { store.roundTrips > before + 200 }
          }
          return (0, [])
        }
        for try await (done, failures) in group {
          #expect(failures.isEmpty, "\(failures.count) of \(done): \(failures.first ?? "")")
        }
      }
    }
  }

  @Test func `a statement whose answer changed is prepared again, and each connection is asked once`()
    async throws
  {
    let server = try await PostgresServer.shared
    let address = try await server.createDatabase()
    try await withStore(address) { store in
      try await store.createUser(.demo)
      // All connections, with a statement prepared on each.
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<200 { group.addTask { _ = try await store.user(demo) } }
        try await group.waitForAll()
      }
      #expect(try #require(store.load.connections).idle > 1)
      #expect(try await server.psql(on: address, "ALTER TABLE users ALTER COLUMN realm TYPE varchar") == 0)
      let trips = store.roundTrips
      for _ in 0..<40 { #expect(try await store.user(demo)?.realm == "alpha") }
      #expect(store.roundTrips == trips + 41)
    }
  }
}
