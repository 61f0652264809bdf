import CommonFixtures
import Concurrency
import Dispatch
import Foundation
import GRDB
import StrictJSON
import Testing

@testable import JourneyStore

@Suite("Shared commits") struct SharedCommitTests {
  private struct Refusal: Error {}

  /// Runs `body` while the writer is busy, so that all writes that it queues share one commit.
  private func together(_ store: SQLiteStore, _ body: () -> Void) async throws {
    let gate = DispatchSemaphore(value: 0)
    store.writer.enqueue(
      { _ in
        gate.wait()
        // A write may be carried out twice.
        gate.signal()
      }, failed: { _ in })
    body()
    gate.signal()
    _ = try? await store.write("the end") { _ in }
  }

  private func insert(_ key: UInt8) -> @Sendable (Database) throws -> Void {
    { try $0.execute(sql: "INSERT INTO consumed VALUES (?, 1)", arguments: [Data([key])]) }
  }

  private func keys(_ store: SQLiteStore) async throws -> [UInt8] {
    try await store.read {
      try Data.fetchAll($0, sql: "SELECT key FROM consumed ORDER BY key").flatMap { $0 }
    }
  }

  @Test func `a write that throws is undone alone, whatever it did before`() async throws {
    try await withStore { store in
      let failures = Locked<[String]>([])
      try await together(store) {
        store.writer.enqueue(insert(1), failed: { _ in failures.withLock { $0.append("1") } })
        store.writer.enqueue(
          { db in
            try insert(2)(db)
            try insert(3)(db)
            throw Refusal()
          }, failed: { error in failures.withLock { $0.append("2 \(error is Refusal)") } })
        store.writer.enqueue(insert(1), failed: { error in failures.withLock { $0.append("again 1") } })
        store.writer.enqueue(insert(4), failed: { _ in failures.withLock { $0.append("4") } })
      }
      #expect(try await keys(store) == [1, 4])
      #expect(failures.withLock { $0 } == ["2 true", "again 1"])
    }
  }

  @Test func `a commit that fails has failed for all, and the next one is free of it`() async throws {
    try await withStore { store in
      let failures = Locked(0)
      try await together(store) {
        store.writer.enqueue(insert(1), failed: { _ in failures.withLock { $0 += 1 } })
        store.writer.enqueue(
          { db in
            // Checked only by COMMIT.
            try db.execute(sql: "PRAGMA defer_foreign_keys = ON")
            try db.execute(
              sql: """
                INSERT INTO bound_devices
                VALUES ('alpha', 'ghost', 'u', 'alpha', 'ghost', 'd', 'n', '{}', 't', 1, 1, NULL)
                """)
          }, failed: { _ in failures.withLock { $0 += 1 } })
        store.writer.enqueue(insert(2), failed: { _ in failures.withLock { $0 += 1 } })
      }
      #expect(failures.withLock { $0 } == 3)
      #expect(try await keys(store) == [])
      #expect(try await store.consume([3], until: noon))
      #expect(try await keys(store) == [3])
    }
  }

  @Test
  func `writes happen in the order in which they were queued, and the result is there when they return`()
    async throws
  {
    try await withStore { store in
      try await together(store) {
        for key in 0..<200 as Range<UInt8> {
          store.writer.enqueue(
            { db in
              let count = try Int.fetchOne(db, sql: "SELECT count(*) FROM consumed") ?? 0
              if count == Int(key) { try insert(key)(db) }
            }, failed: { _ in })
        }
      }
      #expect(try await keys(store) == Array(0..<200))
    }
  }

  @Test func `more writes than fit one commit are all carried out`() async throws {
    try await withStore { store in
      let results = try await inParallel(2000) { number in
        try await store.consume([UInt8(number / 256), UInt8(number % 256)], until: noon)
      }
      #expect(results.allSatisfy { $0 })
      #expect(try await store.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM consumed") } == 2000)
    }
  }

  @Test func `a write goes on when the task that waits for it is cancelled`() async throws {
    try await withStore { store async throws in
      let task = Task {
        try await untilCancelled()
        return try await store.consume([1], until: noon)
      }
      task.cancel()
      #expect(try await task.value)
      #expect(try await keys(store) == [1])
    }
  }

  @Test func `a full disk is an error, the store goes on, and nothing that was acknowledged is lost`()
    async throws
  {
    try await withStore { store in
      try await store.createUser(.sample())
      try await store.write("") { db in
        let pages = try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0
        try db.execute(sql: "PRAGMA max_page_count = \(pages + 2)")
      }
      var large = UserRecord.sample("large")
      large.attributes = ["text": .string(String(repeating: "x", count: 100_000))]
      for _ in 0..<3 {
        await #expect {
          try await store.createUser(large)
        } throws: {
          if case .unavailable(let detail)? = $0 as? StoreError { detail.contains("no space") } else { false }
        }
      }
      #expect(try await store.user(.demo) == .sample())
      #expect(try await store.consume([1], until: noon))
      try await store.write("") { try $0.execute(sql: "PRAGMA max_page_count = 1000000") }
      try await store.createUser(large)
      #expect(try await store.user(named: "large", realm: "alpha") == large)
    }
  }

  @Test func `closing waits for what is queued and refuses what comes later`() async throws {
    try await withFolder { folder in
      let store = try SQLiteStore(directory: folder)
      for key in 0..<100 as Range<UInt8> { store.writer.enqueue(insert(key), failed: { _ in }) }
      try await store.close()
      try await store.close()
      await #expect(throws: StoreError.self) { try await store.consume([1], until: noon) }
      await #expect(throws: StoreError.self) { try await store.user(.demo) }
      let again = try SQLiteStore(directory: folder)
      #expect(try await keys(again) == Array(0..<100))
      try await again.close()
    }
  }
}
