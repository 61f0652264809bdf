import Concurrency
import EvidenceLedger
import Foundation
import GRDB
import StrictJSON
import Testing

@testable import JourneyStore

@Suite("The ledger of evidence in SQLite") struct EvidenceTableTests {
  private func withDevice(_ body: (SQLiteStore, URL) async throws -> Void) async throws {
    try await withFolder { folder in
      let store = try SQLiteStore(directory: folder)
      try await store.createUser(.sample())
      #expect(try await store.addBoundDevice(.sample(), limit: 0) == .added)
      try await body(store, folder)
      try await store.close()
    }
  }

  /// The lines of an export, verified without the signatures, which these samples do not have.
  private func verifiedExport(_ folder: URL) async throws -> [EvidenceEntry] {
    let bytes = Locked<[UInt8]>([])
    _ = try await EvidenceArchive(directory: folder).export(at: noon) { piece in
      bytes.withLock { $0 += piece }
    }
    var rest = bytes.withLock { $0 }
    let lines = rest.split(separator: 0x0A).dropFirst().dropLast()
    _ = try await EvidenceVerifier(checksSignatures: false).verify {
      defer { rest = [] }
      return rest
    }
    return try lines.map { try EvidenceEntry(line: Array($0)) }
  }

  @Test func `many signatures at once, by two servers: one chain without gaps`() async throws {
    try await withDevice { store, folder async throws in
      let stores = [store, try SQLiteStore(directory: folder)]
      let numbers = try await inParallel(400) { number in
        try await stores[number % 2].addEvidence(.sample(at: noon + Double(number)), once: .fresh())
      }
      #expect(numbers.compactMap { $0 }.sorted() == Array(1...400))
      #expect(try await verifiedExport(folder).map(\.number) == Array(1...400))
      try await stores[1].close()
    }
  }

  @Test func `an export while others append is one moment of the ledger`() async throws {
    try await withDevice { store, folder async throws in
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { for _ in 0..<100 { _ = try await store.addEvidence(.sample(), once: .fresh()) } }
        for _ in 0..<5 {
          let entries = try await verifiedExport(folder)
          #expect(entries.map(\.number) == (0..<Int64(entries.count)).map { $0 + 1 })
        }
        try await group.waitForAll()
      }
    }
  }

  @Test func `the ledger goes on after a restart, and outlives users and devices`() async throws {
    try await withDevice { store, folder async throws in
      _ = try await store.accept(AcceptedSignature(evidence: .sample(), once: .fresh()))
      let header = try EvidenceArchive(directory: folder).header
      _ = try await store.deleteUser(.demo)
      try await store.close()
      let again = try SQLiteStore(directory: folder)
      #expect(try await again.addEvidence(.sample(), once: .fresh()) == 2)
      #expect(try EvidenceArchive(directory: folder).header == header)
      #expect(try await verifiedExport(folder).count == 2)
      try await again.close()
    }
  }

  @Test(
    arguments: [
      "UPDATE evidence SET line = 'x' WHERE number = 1", "DELETE FROM evidence WHERE number = 2",
      "DELETE FROM evidence",
      "REPLACE INTO evidence SELECT 1, realm_key, name_key, 'x', x'00', NULL FROM evidence",
      "INSERT INTO evidence VALUES (4, 'alpha', 'demo', 'x', x'00', NULL)",
      "INSERT INTO evidence VALUES (0, 'alpha', 'demo', 'x', x'00', NULL)",
      "UPDATE evidence_ledger SET header = 'x'", "DELETE FROM evidence_ledger",
    ])
  func `the database itself refuses to change, remove or slip in entries`(sql: String) async throws {
    try await withDevice { store, folder async throws in
      for _ in 1...2 { _ = try await store.addEvidence(.sample(), once: .fresh()) }
      #expect(throws: DatabaseError.self) { try tamper(folder, sql) }
      #expect(try await verifiedExport(folder).count == 2)
    }
  }

  static let attacks: [(sql: String, isFoundAtAppend: Bool)] = [
    ("DELETE FROM evidence WHERE number = 3", true), ("DELETE FROM evidence", true),
    ("DELETE FROM evidence WHERE number = 2", false),
    ("UPDATE evidence SET line = replace(line, 'demo', 'Demo') WHERE number = 2", false),
    ("UPDATE evidence SET line = replace(line, 'demo', 'Demo') WHERE number = 3", false),
    (
      "INSERT INTO evidence SELECT 4, realm_key, name_key, line, x'00', account_id FROM evidence WHERE number = 3",
      true
    ),
    ("UPDATE evidence_ledger SET seal = x'00'", true),
    // What retention does, by somebody else.
    ("UPDATE evidence SET line = '', realm_key = '', name_key = '' WHERE number = 1", false),
    ("INSERT INTO evidence_retention VALUES (1, 1, x'00')", false),
  ]

  @Test(arguments: attacks)
  func `whoever gets round the triggers is found out at the next export, and no checkpoint is signed`(
    attack: (sql: String, isFoundAtAppend: Bool)
  ) async throws {
    try await withDevice { store, folder async throws in
      for _ in 1...3 { _ = try await store.addEvidence(.sample(), once: .fresh()) }
      try tamper(
        folder,
        """
        DROP TRIGGER evidence_is_not_changed; DROP TRIGGER evidence_is_not_deleted;
        DROP TRIGGER evidence_is_appended; \(attack.sql)
        """)
      await #expect {
        _ = try await verifiedExport(folder)
      } throws: {
        if case .corrupt(let detail)? = $0 as? StoreError { detail.contains("evidence") } else { false }
      }
      if attack.isFoundAtAppend {
        await #expect(throws: StoreError.self) {
          try await store.accept(AcceptedSignature(evidence: .sample(), once: .fresh()))
        }
      }
    }
  }

  @Test func `a folder without a ledger is an error that says what to do, and nothing is created`()
    async throws
  {
    try await withFolder { folder in
      #expect {
        try EvidenceArchive(directory: folder)
      } throws: {
        "\($0)".contains("--data")
      }
      #expect(!FileManager.default.fileExists(atPath: folder.path))
    }
  }

  @Test func `a database of the version before gets a ledger when it is opened`() async throws {
    try await withFolder { folder in
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let queue = try DatabaseQueue(path: folder.appendingPathComponent("sealring.sqlite").path)
      let migrator = StoreSchema.migrator
      try migrator.migrate(queue, upTo: migrator.migrations[1])
      try await queue.write { db in
        try db.execute(
          sql: "INSERT INTO users VALUES ('alpha', 'demo', 'alpha', 'demo', NULL, 1, 0, '[]', '{}', 0)")
      }
      try queue.close()
      let again = try SQLiteStore(directory: folder)
      #expect(try await again.addBoundDevice(.sample(), limit: 0) == .added)
      #expect(
        try await again.accept(AcceptedSignature(evidence: .sample(), once: .fresh()))
          == .accepted(evidence: 1))
      try await again.close()
    }
  }

  @Test func `a database that only pretends to be of the version before is damaged`() async throws {
    try await withDevice { store, folder async throws in
      try await store.close()
      try FileManager.default.removeItem(at: folder.appendingPathComponent(LedgerMark.fileName))
      try tamper(
        folder,
        """
        DROP TABLE evidence; DROP TRIGGER evidence_ledger_is_kept; DROP TABLE evidence_ledger;
        DELETE FROM server_secrets WHERE name = 'evidence ledger key';
        ALTER TABLE push_decisions DROP COLUMN account_id; ALTER TABLE transactions DROP COLUMN account_id;
        DROP INDEX evidence_use_by_day;
        DELETE FROM grdb_migrations WHERE identifier IN ('3 evidence', '24 ids of accounts')
        """)
      #expect {
        try SQLiteStore(directory: folder)
      } throws: {
        "\($0)".contains("no ledger")
      }
    }
  }
}
