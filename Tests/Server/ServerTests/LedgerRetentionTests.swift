import CommonFixtures
import Concurrency
import EvidenceLedger
import Foundation
import JourneyStore
import Logging
import SecurityEvents
import StrictJSON
import Testing

@testable import Operations

@Suite("Retention of the ledger on a schedule") struct LedgerRetentionTests {
  private static let day = 86_400.0

  /// A ledger with an entry of each of ten days, and a server that keeps entries for five.
  private struct Scene: Sendable {
    let store: SQLiteStore
    let events = RecordedEvents()
    let clock = ManualDate(LocalServer.morning)
    let uptime = Locked(0.0)
    let published = Locked<[Int64]>([])
    let log = Locked<[String]>([])

    func retention(
      newest: Date? = nil, places: Int = 0, sink: (any SecurityEventSink)? = nil
    ) -> LedgerRetention {
      let logger = Logger(label: "test") { [log] _ in LogRecorder(lines: log) }
      return LedgerRetention(
        age: 5 * LedgerRetentionTests.day, store: store, newest: newest,
        published: (0..<places).map { place in { published.withLock { $0[place] } } },
        events: SecurityEvents(sink: sink ?? events, clock: { clock.now }, logger: logger),
        clock: { clock.now }, uptime: { uptime.withLock { $0 } }, logger: logger)
    }

    /// Days that go by on a clock that is right.
    func live(days: Double) {
      clock.advance(by: days * LedgerRetentionTests.day)
      uptime.withLock { $0 += days * LedgerRetentionTests.day }
    }

    func kept() async throws -> [Int64] {
      try await store.evidence(EvidenceQuery(limit: 100)).map(\.number).sorted()
    }

    func removals() -> [Int64?] {
      events.of(.ledgerContentRemoved).map { $0.detail["removed"]?.integerValue }
    }
  }

  private func withScene(_ body: (Scene) async throws -> Void) async throws {
    let scene = Scene(store: try SQLiteStore.inMemory())
    for number in 0..<10 {
      _ = try await scene.store.addEvidence(
        EvidenceRecord(
          kind: .sign,
          time: Int64((LocalServer.morning + Double(number) * Self.day).timeIntervalSince1970 * 1000),
          realm: "alpha", journey: "SignIn", nodeID: "n", username: "ada", userID: "id=ada", device: "d",
          key: ["kty": "EC"], jws: "a.b.c"),
        once: OnceKey(key: [UInt8(number)], expiry: .distantFuture))
    }
    try await body(scene)
    try await scene.store.close()
  }

  @Test func `entries lose their content when they are old enough, and an event says so once`() async throws {
    try await withScene { scene in
      let retention = scene.retention()
      scene.live(days: 5)
      try await retention.run()
      #expect(try await scene.kept() == Array(1...10) && scene.removals().isEmpty)
      scene.live(days: 2.5)
      try await retention.run()
      try await retention.run()
      #expect(try await scene.kept() == Array(4...10) && scene.removals() == [3])
      scene.live(days: 1)
      try await retention.run()
      #expect(try await scene.kept() == Array(5...10) && scene.removals() == [3, 4])
    }
  }

  @Test func `several servers remove each entry once, and say so once`() async throws {
    try await withScene { scene in
      scene.live(days: 7.5)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<6 {
          let retention = scene.retention()
          group.addTask { try await retention.run() }
        }
        try await group.waitForAll()
      }
      #expect(try await scene.kept() == Array(4...10) && scene.removals() == [3])
    }
  }

  private struct FullDisk: SecurityEventSink {
    func record(_ event: SecurityEvent, durably: Bool) async throws { throw SecurityEventError("full") }
  }

  @Test func `nothing goes before an event says that it will, because the server can be killed meanwhile`()
    async throws
  {
    try await withScene { scene in
      scene.live(days: 7.5)
      await #expect(throws: SecurityEventError.self) {
        try await scene.retention(sink: FullDisk()).run()
      }
      #expect(try await scene.kept() == Array(1...10))
      let retention = scene.retention()
      try await retention.run()
      try await retention.run()
      #expect(scene.events.all.map(\.kind) == [.ledgerRemovalBegan, .ledgerContentRemoved])
      #expect(scene.events.areDurable(.ledgerRemovalBegan))
    }
  }

  @Test func `a clock that is ahead when the server starts is not followed for half a day`() async throws {
    try await withScene { scene in
      scene.clock.advance(by: 400 * Self.day)
      let retention = scene.retention(newest: LocalServer.morning + 9 * Self.day)
      for _ in 0..<5 {
        scene.live(days: 0.05)
        try await retention.run()
      }
      // What is old by the newest entry goes.
      #expect(try await scene.kept() == Array(6...10))
      #expect(scene.log.withLock { $0.map { $0.hasPrefix("warning the clock is far ahead") } } == [true])
      // The server was off, or nobody signed anything.
      scene.live(days: 0.5)
      try await retention.run()
      #expect(try await scene.kept().isEmpty && scene.log.withLock { $0.count } == 1)
    }
  }

  // A certificate has the time of the server alone, so a server that starts again with the wrong clock would believe itself.
  @Test func `a certificate is no witness of the time, unless there are only certificates`() async throws {
    try await withScene { scene in
      func certify(_ number: Int, day: Double) async throws {
        _ = try await scene.store.addEvidence(
          EvidenceRecord(
            kind: .certify,
            time: Int64((LocalServer.morning + day * Self.day).timeIntervalSince1970 * 1000), realm: "alpha",
            journey: "SSH", nodeID: "n", username: "ada", userID: "id=ada", device: "d",
            key: ["kty": "OKP"], jws: "c"),
          once: OnceKey(key: [1, UInt8(number)], expiry: .distantFuture))
      }
      try await certify(0, day: 400)
      #expect(
        try await LedgerRetention.newest(in: scene.store) == LocalServer.morning + 9 * Self.day)
      for number in 1..<100 { try await certify(number, day: 400 + Double(number)) }
      #expect(
        try await LedgerRetention.newest(in: scene.store) == LocalServer.morning + 400 * Self.day)
    }
  }

  @Test func `a few days without entries are no doubt`() async throws {
    try await withScene { scene in
      scene.live(days: 15)
      let retention = scene.retention(newest: LocalServer.morning + 9 * Self.day)
      try await retention.run()
      #expect(try await scene.kept().isEmpty && scene.log.withLock { $0.isEmpty })
    }
  }

  @Test func `a clock that is set ahead for less than half a day removes nothing`() async throws {
    try await withScene { scene in
      let retention = scene.retention()
      scene.clock.advance(by: 400 * Self.day)
      for _ in 0..<5 {
        scene.clock.advance(by: 600)
        scene.uptime.withLock { $0 += 600 }
        try await retention.run()
      }
      #expect(try await scene.kept() == Array(1...10))
      // It is followed when it stays.
      scene.live(days: 0.5)
      try await retention.run()
      #expect(try await scene.kept().isEmpty)
    }
  }

  @Test func `nothing goes before every place has a checkpoint with it`() async throws {
    try await withScene { scene in
      let retention = scene.retention(places: 2)
      scene.live(days: 100)
      for (counts, kept) in [([0, 10], 1...10), ([4, 10], 5...10), ([6, 5], 6...10)]
        as [([Int64], ClosedRange<Int64>)]
      {
        scene.published.withLock { $0 = counts }
        try await retention.run()
        #expect(try await scene.kept() == Array(kept), "\(counts)")
      }
      #expect(scene.removals() == [4, 5])
    }
  }
}
