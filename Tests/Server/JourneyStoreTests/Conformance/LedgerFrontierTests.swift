import CommonFixtures
import Concurrency
import EvidenceLedger
import Foundation
import GRDB
import JourneyStore
import JourneyStorePostgres
import PostgresFixtures
import StrictJSON
import Testing

@Suite("Checkpoints that go on from the last one") struct LedgerFrontierTests {
  enum Kind: String, CaseIterable { case sqlite, postgres, lanes }

  private struct Scene {
    let store: any ServerStore
    let ledger: any LedgerArchive
    let address: String
    let folder: URL

    func add(_ count: Int) async throws {
      for number in 0..<count {
        _ = try await store.addEvidence(.sample(at: noon + Double(number)), once: .fresh())
      }
    }

    /// What the whole export gives, and its tree.
    func whole(since earlier: LedgerFrontier? = nil) async throws -> LedgerFrontier {
      let bytes = Locked<[UInt8]>([])
      _ = try await ledger.export(at: noon) { piece in bytes.withLock { $0 += piece } }
      var maker = EvidenceProofMaker(.checkpoint(since: earlier?.checkpoint))
      try maker.take(bytes.withLock { $0 })
      guard case .checkpoint(let made) = try maker.finish() else {
        throw EvidenceFault(.proof, "no checkpoint")
      }
      return try LedgerFrontier(made, peaks: maker.peaks)
    }

    /// The next checkpoint, and how many entries were read for it.
    func next(_ frontier: LedgerFrontier) async throws -> (frontier: LedgerFrontier, read: Int) {
      let read = Locked(0)
      let next = try await ledger.advance(frontier, to: noon) { _ in read.withLock { $0 += 1 } }
      return (next, read.withLock { $0 })
    }

    func tamper(_ sql: String) async throws {
      if address.isEmpty {
        try await DatabaseQueue(path: folder.appending(path: "sealring.sqlite").path).write {
          try $0.execute(sql: sql)
        }
      } else {
        #expect(
          try await PostgresServer.shared.psql(on: address, "SET session_replication_role = replica; \(sql)")
            == 0, "\(sql)")
      }
    }
  }

  private func withScene(_ kind: Kind, _ body: (Scene) async throws -> Void) async throws {
    try await withFolder { folder in
      if kind == .sqlite {
        let store = try SQLiteStore(directory: folder)
        try await body(
          Scene(store: store, ledger: try EvidenceArchive(directory: folder), address: "", folder: folder))
        try await store.close()
      } else {
        let address = try await PostgresServer.shared.createDatabase()
        let store = try await PostgresStore.open(address, directory: folder, lanes: kind == .lanes ? 3 : 1)
        try await body(Scene(store: store, ledger: store, address: address, folder: folder))
        try await store.close()
      }
    }
  }

  /// A checkpoint's file without its signature, which ECDSA makes anew each time.
  private func claims(_ frontier: LedgerFrontier) throws -> JSONObject {
    var file = try JSONObject(parsing: frontier.checkpoint.file)
    file["checkpoint"] = file["checkpoint"]?.stringValue.map {
      .string($0[..<($0.lastIndex(of: ".") ?? $0.endIndex)].description)
    }
    return file
  }

  @Test(arguments: Kind.allCases)
  func `only what came since is read, and the checkpoint is that of the whole ledger`(kind: Kind) async throws
  {
    try await withScene(kind) { scene in
      var last = try await scene.whole()
      #expect(last.checkpoint.checkpoint.count == 0)
      for count in [1, 2, 5, 0, 1, 20, 3] {
        try await scene.add(count)
        let (next, read) = try await scene.next(last)
        #expect(read == count)
        let whole = try await scene.whole(since: last)
        #expect(try claims(next) == claims(whole))
        // As another process remembers it.
        last = try LedgerFrontier(next.checkpoint, parsing: next.file)
        #expect(last == next)
      }
      #expect(last.checkpoint.checkpoint.count == 32)
    }
  }

  @Test(arguments: Kind.allCases)
  func `content that retention takes meanwhile is counted without being read`(kind: Kind) async throws {
    try await withScene(kind) { scene in
      try await scene.add(5)
      let first = try await scene.whole()
      try await scene.add(4)
      let end = Int64((noon + 100).timeIntervalSince1970 * 1000)
      #expect(try await scene.store.removeEvidenceContent(before: end, amongFirst: 5).removed == 5)
      let (second, read) = try await scene.next(first)
      #expect(read == 4 && second.checkpoint.checkpoint.removed == 5)
      let whole = try await scene.whole(since: first)
      #expect(try claims(second) == claims(whole))
      // More than was read before.
      try await scene.add(3)
      // An epoch, where there are lanes.
      _ = try await scene.whole()
      #expect(try await scene.store.removeEvidenceContent(before: end).removed == 12)
      let (third, rest) = try await scene.next(second)
      #expect(rest == 3 && third.checkpoint.checkpoint.removed == 12)
      let last = try await scene.whole(since: second)
      #expect(try claims(third) == claims(last))
    }
  }

  @Test(arguments: [Kind.sqlite, .postgres])
  func `a ledger that lost its end, or got another one, is not gone on with`(kind: Kind) async throws {
    try await withScene(kind) { scene in
      try await scene.add(6)
      let frontier = try await scene.whole()
      try await scene.add(2)
      let triggers = "evidence_is_not_changed evidence_is_not_deleted evidence_ledger_is_kept"
      if kind == .sqlite {
        try await scene.tamper(triggers.split(separator: " ").map { "DROP TRIGGER \($0);" }.joined())
      }
      try await scene.tamper("DELETE FROM evidence WHERE number > 4")
      await #expect(throws: (any Error).self) { try await scene.next(frontier) }
      try await scene.tamper("DELETE FROM evidence")
      await #expect(throws: (any Error).self) { try await scene.next(frontier) }
    }
  }

  @Test(arguments: Kind.allCases)
  func `a checkpoint of another ledger, or with another tree, is not gone on from`(kind: Kind) async throws {
    try await withScene(kind) { scene in
      try await scene.add(3)
      let frontier = try await scene.whole()
      try await withScene(kind) { other in
        try await other.add(3)
        await #expect(throws: EvidenceFault.self) { try await other.next(frontier) }
        let tree = try await other.whole().file
        #expect(throws: EvidenceFault.self) { try LedgerFrontier(frontier.checkpoint, parsing: tree) }
      }
      #expect(throws: EvidenceFault.self) { try LedgerFrontier(frontier.checkpoint, peaks: []) }
      for text in ["", "{}", "[]", String(decoding: frontier.file, as: UTF8.self) + " x"] {
        #expect(throws: EvidenceFault.self) {
          try LedgerFrontier(frontier.checkpoint, parsing: Array(text.utf8))
        }
      }
    }
  }
}
