import Concurrency
import EvidenceLedger
import Foundation
import GRDB
import JOSE
import JourneyStore
import StrictJSON
import Testing

@Suite("Evidence") struct EvidenceStoreTests {
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

  @Test("An accepted signature leaves its evidence, notes the use and forgets failures")
  func accepts() async throws {
    try await withDevice { store, folder async throws in
      for scope: LockoutScope in [.guesses, .signatures] {
        _ = try await store.recordFailure(
          username: "demo", realm: "alpha", scope: scope, policy: .standard, now: noon)
      }
      let record = EvidenceRecord.sample(at: noon + 60)
      let signature = AcceptedSignature(evidence: record, once: .fresh(), forgetsFailures: true)
      #expect(try await store.accept(signature) == .accepted(evidence: 1))
      let device = try await store.boundDevice(uuid: "device-1", username: "demo", realm: "alpha")
      #expect(device?.lastAccessDate == noon + 60)
      #expect(
        try await store.lockout(username: "demo", realm: "alpha", scope: .signatures) == LockoutState())
      // It says nothing of the passwords that were guessed.
      #expect(try await store.lockout(username: "demo", realm: "alpha").consecutiveFailures == 1)
      let entry = try #require(try await store.evidence(number: 1))
      #expect(entry.record == record)
      #expect(try await verifiedExport(folder) == [entry])
    }
  }

  @Test("The last access never goes back in time")
  func lastAccess() async throws {
    try await withDevice { store, _ async throws in
      for date in [noon + 60, noon] {
        _ = try await store.accept(AcceptedSignature(evidence: .sample(at: date), once: .fresh()))
      }
      let device = try await store.boundDevice(uuid: "device-1", username: "demo", realm: "alpha")
      #expect(device?.lastAccessDate == noon + 60)
    }
  }

  @Test("Of equal signatures that come at once, one counts and leaves evidence")
  func once() async throws {
    try await withDevice { store, folder async throws in
      let signature = AcceptedSignature(evidence: .sample(), once: .init(key: [1, 2], expiry: noon + 60))
      let results = try await inParallel(50) { _ in try await store.accept(signature) }
      #expect(results.count { $0 == .accepted(evidence: 1) } == 1)
      #expect(results.count { $0 == .replayed } == 49)
      #expect(try await verifiedExport(folder).count == 1)
    }
  }

  @Test("Without the device nothing counts")
  func noDevice() async throws {
    try await withDevice { store, folder async throws in
      _ = try await store.deleteBoundDevice(uuid: "device-1", username: "demo", realm: "alpha")
      let signature = AcceptedSignature(evidence: .sample(), once: .init(key: [1], expiry: noon + 60))
      #expect(try await store.accept(signature) == .noSuchDevice)
      #expect(try await store.consume([1], until: noon), "nothing was consumed")
      #expect(try await verifiedExport(folder).isEmpty)
    }
  }

  @Test("A binding and its evidence are stored together, or neither")
  func binds() async throws {
    try await withDevice { store, folder async throws in
      let second = BoundDeviceRecord.sample("device-2")
      let evidence = EvidenceRecord.sample(.bind, device: "device-2")
      for limit in [1, 2, 3] {
        _ = try await store.addBoundDevice(
          second, limit: DeviceLimit(limit), evidence: evidence, once: .fresh())
      }
      #expect(try await verifiedExport(folder).map(\.record) == [evidence])
    }
  }

  @Test("A proof that was accepted binds nothing again, and leaves nothing")
  func bindsOnce() async throws {
    try await withDevice { store, folder async throws in
      let once = OnceKey.fresh()
      let evidence = EvidenceRecord.sample(.bind, device: "device-2")
      #expect(try await store.addEvidence(evidence, once: once) == 1)
      #expect(try await store.addEvidence(evidence, once: once) == nil)
      let added = try await store.addBoundDevice(
        .sample("device-2"), limit: 0, evidence: evidence, once: once)
      #expect(added == .replayed)
      #expect(try await store.boundDevices(username: "demo", realm: "alpha").map(\.uuid) == ["device-1"])
      #expect(
        try await store.accept(AcceptedSignature(evidence: .sample(at: noon + 60), once: once)) == .replayed)
      let device = try await store.boundDevice(uuid: "device-1", username: "demo", realm: "alpha")
      #expect(device?.lastAccessDate == noon, "a repetition is no use of the device")
      #expect(try await verifiedExport(folder).count == 1)
    }
  }

  @Test("Of fifty equal bindings at once, one is stored")
  func bindsOnceAtOnce() async throws {
    try await withDevice { store, folder async throws in
      let once = OnceKey.fresh()
      let results = try await inParallel(50) { number in
        try await store.addBoundDevice(
          .sample("other \(number)"), limit: 0, evidence: .sample(.bind, device: "other \(number)"),
          once: once)
      }
      #expect(results.count { $0 == .added } == 1 && results.count { $0 == .replayed } == 49)
      #expect(try await verifiedExport(folder).count == 1)
    }
  }

  @Test("Evidence that cannot be kept lets nothing count")
  func tooLong() async throws {
    try await withDevice { store, folder async throws in
      var record = EvidenceRecord.sample()
      record.jws = String(repeating: "A", count: EvidenceEntry.maximumLineBytes)
      let signature = AcceptedSignature(evidence: record, once: .init(key: [1], expiry: noon + 60))
      await #expect(throws: StoreError.self) { try await store.accept(signature) }
      #expect(try await store.consume([1], until: noon), "nothing was consumed")
      #expect(try await verifiedExport(folder).isEmpty)
    }
  }

  @Test("Many signatures at once, by two servers: one chain without gaps")
  func concurrency() async throws {
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

  @Test("An export while others append is one moment of the ledger")
  func exportDuringAppends() async throws {
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

  @Test("The ledger goes on after a restart, and outlives users and devices")
  func restart() async throws {
    try await withDevice { store, folder async throws in
      _ = try await store.accept(AcceptedSignature(evidence: .sample(), once: .fresh()))
      let header = try EvidenceArchive(directory: folder).header
      _ = try await store.deleteUser(named: "demo", realm: "alpha")
      try await store.close()
      let again = try SQLiteStore(directory: folder)
      #expect(try await again.addEvidence(.sample(), once: .fresh()) == 2)
      #expect(try EvidenceArchive(directory: folder).header == header)
      #expect(try await verifiedExport(folder).count == 2)
      try await again.close()
    }
  }

  @Test("Entries are found by user and realm in any case, newest first, page by page")
  func queries() async throws {
    try await withStore { store in
      for (name, realm) in [("ada", "alpha"), ("bob", "alpha"), ("ada", "root"), ("Ada", "alpha")] {
        _ = try await store.addEvidence(.sample(username: name, realm: realm), once: .fresh())
      }
      func numbers(_ query: EvidenceQuery) async throws -> [Int64] {
        try await store.evidence(query).map(\.number)
      }
      #expect(try await numbers(EvidenceQuery(limit: 9)) == [4, 3, 2, 1])
      #expect(try await numbers(EvidenceQuery(realm: "ALPHA", limit: 9)) == [4, 2, 1])
      #expect(try await numbers(EvidenceQuery(realm: "alpha", username: "ADA", limit: 9)) == [4, 1])
      #expect(try await numbers(EvidenceQuery(realm: "alpha", before: 4, limit: 1)) == [2])
      #expect(try await numbers(EvidenceQuery(limit: 0)) == [])
      #expect(try await store.evidence(number: 5) == nil)
    }
  }

  @Test(
    "The database itself refuses to change, remove or slip in entries",
    arguments: [
      "UPDATE evidence SET line = 'x' WHERE number = 1", "DELETE FROM evidence WHERE number = 2",
      "DELETE FROM evidence", "REPLACE INTO evidence SELECT 1, realm_key, name_key, 'x', x'00' FROM evidence",
      "INSERT INTO evidence VALUES (4, 'alpha', 'demo', 'x', x'00')",
      "INSERT INTO evidence VALUES (0, 'alpha', 'demo', 'x', x'00')",
      "UPDATE evidence_ledger SET header = 'x'", "DELETE FROM evidence_ledger",
    ])
  func triggers(sql: String) async throws {
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
    ("INSERT INTO evidence SELECT 4, realm_key, name_key, line, x'00' FROM evidence WHERE number = 3", true),
    ("UPDATE evidence_ledger SET seal = x'00'", true),
  ]

  @Test(
    "Whoever gets round the triggers is found out at the next export, and no checkpoint is signed",
    arguments: attacks)
  func tampering(attack: (sql: String, isFoundAtAppend: Bool)) async throws {
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

  @Test("A folder without a ledger is an error that says what to do, and nothing is created")
  func noLedger() async throws {
    try await withFolder { folder in
      #expect {
        try EvidenceArchive(directory: folder)
      } throws: {
        "\($0)".contains("--data")
      }
      #expect(!FileManager.default.fileExists(atPath: folder.path))
    }
  }

  @Test("A database of the version before gets a ledger when it is opened")
  func migration() async throws {
    try await withDevice { store, folder async throws in
      try await store.close()
      try tamper(
        folder,
        """
        DROP TABLE evidence; DROP TRIGGER evidence_ledger_is_kept; DROP TABLE evidence_ledger;
        DELETE FROM server_secrets WHERE name = 'evidence ledger key';
        DELETE FROM grdb_migrations WHERE identifier = '3 evidence'
        """)
      let again = try SQLiteStore(directory: folder)
      #expect(
        try await again.accept(AcceptedSignature(evidence: .sample(), once: .fresh()))
          == .accepted(evidence: 1))
      try await again.close()
    }
  }
}

extension OnceKey {
  /// Of a proof that nobody has seen.
  fileprivate static func fresh() -> OnceKey {
    OnceKey(key: (0..<16).map { _ in .random(in: .min ... .max) }, expiry: noon + 3600)
  }
}

extension EvidenceRecord {
  fileprivate static func sample(
    _ kind: Kind = .sign, device: String = "device-1", username: String = "demo", realm: String = "alpha",
    at date: Date = noon
  ) -> EvidenceRecord {
    EvidenceRecord(
      kind: kind, time: Int64(date.timeIntervalSince1970 * 1000), realm: realm, journey: "SignIn",
      nodeID: "node", username: username, userID: "id=demo", device: device, key: ["kty": "EC"], jws: "a.b.c")
  }
}
