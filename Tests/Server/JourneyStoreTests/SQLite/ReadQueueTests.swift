import Foundation
import GRDB
import Testing

@testable import JourneyStore

@Suite("Reads") struct ReadQueueTests {
  private struct Refusal: Error, Equatable {}

  @Test func `many reads at once each get their own answer, an error only its own caller`() async throws {
    try await withStore { store in
      for number in 0..<20 { try await store.createUser(.sample("user\(number)")) }
      let names = try await inParallel(500) { number in
        if number % 10 == 0 {
          await #expect(throws: Refusal.self) { try await store.read { _ in throw Refusal() } }
        } else if number % 10 == 5 {
          await #expect(throws: Refusal.self) {
            try await store.look(SQLQuestion<Void>([]) { _ in throw Refusal() })
          }
        }
        return (number, try await store.user(named: "user\(number % 20)", realm: "alpha")?.username)
      }
      #expect(names.count == 500)
      #expect(names.allSatisfy { $0.1 == "user\($0.0 % 20)" })
    }
  }

  @Test func `reads do not wait for a long write`() async throws {
    try await withStore { store in
      try await store.createUser(.sample())
      let gate = DispatchSemaphore(value: 0)
      store.writer.enqueue({ _ in gate.wait() }, failed: { _ in })
      #expect(try await store.user(.demo) == .sample())
      gate.signal()
    }
  }

  @Test func `a look at rows waits its turn when all readers are busy, and is not forgotten`() async throws {
    try await withStore { store in
      try await store.createUser(.sample())
      let gate = DispatchSemaphore(value: 0)
      // More than there are readers.
      let busy = (0..<8).map { _ in Task { try await store.read { _ in gate.wait() } } }
      let looks = (0..<20).map { _ in Task { try await store.user(.demo) } }
      for _ in busy { gate.signal() }
      for look in looks { #expect(try await look.value == .sample()) }
      for task in busy { try await task.value }
    }
  }

  @Test func `in memory, reads and writes that share one connection do not starve each other`() async throws {
    let store = try SQLiteStore.inMemory()
    let results = try await inParallel(300) { number in
      number % 2 == 0
        ? try await store.consume([UInt8(number / 2)], until: noon)
        : try await store.user(.demo) == nil
    }
    #expect(results.allSatisfy { $0 })
    try await store.close()
  }

  @Test func `readers cannot write`() async throws {
    try await withStore { store in
      await #expect(throws: StoreError.self) {
        try await store.read { try $0.execute(sql: "DELETE FROM users") }
      }
    }
  }
}
