import CommonFixtures
import Concurrency
import EvidenceLedger
import Foundation
import JourneyStore
import JourneyStorePostgres
import PostgresFixtures
import StrictJSON
import Testing

/// Only on PostgreSQL: SQLite has one writer, whom lanes could not make faster.
@Suite("Lanes of the ledger in PostgreSQL") struct LedgerLaneTests {
  /// A database, and stores on it that write to so many lanes.
  private struct Scene {
    let address: String
    let folder: URL

    func with<Value>(lanes: Int, _ body: (PostgresStore) async throws -> Value) async throws -> Value {
      let store = try await PostgresStore.open(address, directory: folder, lanes: lanes)
      do {
        let value = try await body(store)
        try await store.close()
        return value
      } catch {
        try? await store.close()
        throw error
      }
    }

    func tamper(_ sql: String) async throws {
      #expect(
        try await PostgresServer.shared.psql(on: address, "SET session_replication_role = replica; \(sql)")
          == 0, "\(sql)")
    }
  }

  private func withScene(_ body: (Scene) async throws -> Void) async throws {
    try await withFolder { folder in
      let address = try await PostgresServer.shared.createDatabase()
      try await body(Scene(address: address, folder: folder))
    }
  }

  /// An export's bytes, verified without the signatures, which the samples do not have.
  private func export(_ store: PostgresStore, continuing earlier: EvidenceCheckpoint? = nil) async throws
    -> (bytes: [UInt8], checkpoint: EvidenceCheckpoint)
  {
    let bytes = Locked<[UInt8]>([])
    _ = try await store.export(at: noon) { piece in bytes.withLock { $0 += piece } }
    let whole = bytes.withLock { $0 }
    var rest = whole
    let verifier = EvidenceVerifier(earlierCheckpoint: earlier?.line, checksSignatures: false)
    let summary = try await verifier.verify {
      defer { rest = [] }
      return rest
    }
    return (whole, summary.checkpoint)
  }

  private func add(_ count: Int, to stores: PostgresStore...) async throws -> [Int64] {
    try await inParallel(count) { number in
      try await stores[number % stores.count].addEvidence(.sample(at: noon + Double(number)), once: .fresh())
    }.compactMap(\.self)
  }

  @Test func `servers that write many proofs at once leave one ledger, whose past stays`() async throws {
    try await withScene { scene in
      // It began with one lane.
      let first = try await scene.with(lanes: 1) { store async throws in
        #expect(try await add(3, to: store).sorted() == [1, 2, 3])
        return try await export(store).checkpoint
      }
      #expect(first.lanes.isEmpty)
      try await scene.with(lanes: 4) { store async throws in
        // Lanes that nobody has written to.
        #expect(try await export(store, continuing: first).checkpoint.lanes.isEmpty)
      }
      try await scene.with(lanes: 4) { one async throws in
        try await scene.with(lanes: 4) { two async throws in
          let numbers = try await add(200, to: one, two)
          #expect(Set(numbers).count == 200 && numbers.allSatisfy { $0 > 1 << 40 })
          let whole = try await export(one, continuing: first)
          #expect(
            whole.checkpoint.count == 203 && whole.checkpoint.lanes.map(\.lane.index) == [0, 1, 2, 3, 4])
          // Nothing new: the other server makes the same of it, to the byte.
          #expect(try await export(two).bytes == whole.bytes)
          #expect(try await two.evidence(number: numbers[17])?.number == numbers[17])
          let page = try await two.evidence(EvidenceQuery(limit: 500)).map(\.number)
          #expect(page == (numbers + [1, 2, 3]).sorted(by: >))
          // Epochs by both while entries come.
          let checkpoints = try await withThrowingTaskGroup(of: EvidenceCheckpoint.self) { group in
            group.addTask {
              _ = try await add(100, to: one, two)
              return try await export(one).checkpoint
            }
            for store in [one, two, one, two] {
              group.addTask { try await export(store, continuing: whole.checkpoint).checkpoint }
            }
            return try await group.reduce(into: []) { $0.append($1) }
          }
          let last = try await export(two)
          #expect(last.checkpoint.count == 303)
          for checkpoint in checkpoints {
            _ = try await export(one, continuing: checkpoint)
          }
          // Whoever has one entry's number can have its proof.
          var maker = EvidenceProofMaker(.inclusion(numbers[99], at: nil))
          try maker.take(last.bytes)
          guard case .inclusion(let proof) = try maker.finish() else { return }
          #expect(proof.entry.number == numbers[99])
        }
      }
      // Back to one lane, in which the numbers go on; nothing that was merged moves.
      try await scene.with(lanes: 1) { store async throws in
        let before = try await export(store).checkpoint
        #expect(try await add(1, to: store) == [4])
        #expect(try await export(store, continuing: before).checkpoint.count == 304)
      }
    }
  }

  @Test func `retention takes whole epochs in which every entry is old enough, and the tree stays`()
    async throws
  {
    try await withScene { scene in
      try await scene.with(lanes: 3) { store async throws in
        _ = try await add(30, to: store)
        let early = try await export(store).checkpoint
        _ = try await add(20, to: store)
        let time = Int64(noon.timeIntervalSince1970 * 1000)
        #expect(try await store.removeEvidenceContent(before: time).removed == 0)
        // As with a machine that made the epoch with a clock that is behind: the entries are newer than their epoch.
        #expect(try await store.removeEvidenceContent(before: time + 1).removed == 0)
        let asked = try await store.removeEvidencePortion(
          before: time + 30_000, amongFirst: .max, limit: 0, machineTime: nil)
        #expect(asked == EvidenceRemoval(removed: 0, new: 0, isComplete: false))
        #expect(try await store.removeEvidenceContent(before: time + 30_000).removed == 30)
        let after = try await export(store, continuing: early)
        #expect(after.checkpoint.removed == 30 && after.checkpoint.count == 50)
        #expect(try await store.evidence(EvidenceQuery(limit: 100)).count == 20)
        _ = try await add(5, to: store)
        #expect(try await export(store, continuing: after.checkpoint).checkpoint.removed == 30)
        try await scene.tamper("UPDATE evidence_retention SET removed = 55")
        await #expect(throws: StoreError.self) { _ = try await store.export(at: noon) { _ in } }
      }
    }
  }

  @Test func `retention by several servers takes each epoch once, and none that is not published`()
    async throws
  {
    try await withScene { scene in
      try await scene.with(lanes: 3) { one async throws in
        try await scene.with(lanes: 3) { two async throws in
          for count in [4, 3, 5, 2] {
            _ = try await add(count, to: one, two)
            _ = try await export(one)
          }
          let end = Int64((noon + 100).timeIntervalSince1970 * 1000)
          // The third epoch would be more than what was published.
          let removals = try await inParallel(6) { number in
            try await [one, two][number % 2].removeEvidenceContent(before: end, amongFirst: 11)
          }
          #expect(removals.map(\.new).reduce(0, +) == 7 && removals.allSatisfy { $0.removed == 7 })
          #expect(try await export(two).checkpoint.removed == 7)
          #expect(try await two.removeEvidenceContent(before: end).new == 7)
          #expect(try await export(one).checkpoint.removed == 14)
        }
      }
    }
  }

  @Test func `a server whose clock is ahead removes by the database's`() async throws {
    try await withScene { scene in
      try await scene.with(lanes: 1) { store async throws in
        let now = Date()
        _ = try await store.addEvidence(.sample(at: now - 10 * 86_400), once: .fresh())
        // It keeps entries for 20 days, and believes that 30 more have gone by.
        let ahead = now + 30 * 86_400
        let time = Int64((ahead - 20 * 86_400).timeIntervalSince1970 * 1000)
        #expect(try await store.removeEvidenceContent(before: time, machineTime: ahead).removed == 0)
        #expect(try await store.removeEvidenceContent(before: time, machineTime: now).removed == 1)
      }
    }
  }

  @Test func `a proof that counts once counts once in all lanes`() async throws {
    try await withScene { scene in
      try await scene.with(lanes: 8) { store async throws in
        let once = OnceKey.fresh()
        let numbers = try await inParallel(50) { _ in
          try await store.addEvidence(.sample(), once: once)
        }
        #expect(numbers.compactMap(\.self).count == 1)
        #expect(try await export(store).checkpoint.count == 1)
      }
    }
  }

  /// What somebody does who can write to the database, in lane 1 of two, which has entries that are in the tree and others.
  static let attacks: [(sql: String, isFoundAtAppend: Bool)] = [
    ("DELETE FROM evidence WHERE number = (SELECT last FROM evidence_lanes WHERE lane = 1)", true),
    ("UPDATE evidence_lanes SET seal = '\\x00' WHERE lane = 1", true),
    (
      """
      UPDATE evidence_lanes SET last = (SELECT min(number) FROM evidence WHERE number & 63 = 1 AND number > 1099511627776)
        WHERE lane = 1
      """, true
    ),
    ("UPDATE evidence_lanes SET last = 1 WHERE lane = 1", true),
    (
      """
      DELETE FROM evidence WHERE number = (SELECT min(number) FROM evidence WHERE number & 63 = 1 AND number > 1099511627776)
      """, false
    ),
    ("UPDATE evidence SET line = replace(line, 'demo', 'Demo') WHERE number & 63 = 1", false),
    ("UPDATE evidence_epochs SET peaks = peaks || peaks", false),
    ("UPDATE evidence_epochs SET checkpoint = replace(checkpoint, 'e', 'f')", false),
  ]

  @Test(arguments: attacks)
  func `whoever writes past the servers is found out, and nothing is signed`(
    attack: (sql: String, isFoundAtAppend: Bool)
  ) async throws {
    try await withScene { scene in
      // One more than the lanes of a store that has one: each of two writes to lane 1 or 2.
      try await scene.with(lanes: 2) { store async throws in
        _ = try await add(20, to: store)
        _ = try await export(store)
        _ = try await add(20, to: store)
        try await scene.tamper(attack.sql)
        let refused = try await inParallel(20) { _ in
          do {
            _ = try await store.addEvidence(.sample(), once: .fresh())
            return false
          } catch StoreError.corrupt { return true }
        }
        #expect(refused.contains(true) == attack.isFoundAtAppend)
        await #expect {
          _ = try await store.export(at: noon) { _ in }
        } throws: { error in
          guard case .corrupt? = error as? StoreError else { return false }
          return true
        }
      }
    }
  }

  @Test func `a server that knows of no lanes stays away once there are some`() async throws {
    try await withScene { scene in
      try await scene.with(lanes: 1) { _ in }
      try await scene.tamper("DO $$ BEGIN ASSERT (SELECT oldest FROM sealring_schema) = 1; END $$")
      try await scene.with(lanes: 2) { _ in }
      try await scene.tamper("DO $$ BEGIN ASSERT (SELECT oldest FROM sealring_schema) = 2; END $$")
    }
  }

  @Test func `a proof in a lane costs the round trips of one in a single chain`() async throws {
    var costs: [Int] = []
    for lanes in [1, 4] {
      try await withScene { scene in
        try await scene.with(lanes: lanes) { store async throws in
          let before = store.roundTrips
          _ = try await store.addEvidence(.sample(), once: .fresh())
          costs.append(store.roundTrips - before)
        }
      }
    }
    #expect(costs == [3, 3])
  }
}
