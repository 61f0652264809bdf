import CommonFixtures
import EvidenceLedger
import Foundation
import PostgresFixtures
import Testing

@testable import JourneyStore
@testable import JourneyStorePostgres

/// A database and its data folder, which somebody gets at who has no key.
private struct Exposed {
  let place: BackupPlace

  /// What somebody does who can write to the database, and owns its tables.
  func tamper(_ sqlite: String, postgres: String? = nil) async throws {
    if place.kind == .sqlite { return try JourneyStoreTests.tamper(place.folder, sqlite) }
    let sql = "SET session_replication_role = replica; \(postgres ?? sqlite)"
    #expect(try await PostgresServer.shared.psql(on: place.address, sql) == 0)
  }

  func removeLedger() async throws {
    try await tamper(
      """
      DROP TRIGGER evidence_is_not_deleted; DROP TRIGGER evidence_ledger_is_kept; \(Self.removal)
      """, postgres: Self.removal)
  }

  private static let removal = """
    DELETE FROM evidence; DELETE FROM evidence_ledger; DELETE FROM server_secrets WHERE name = 'evidence ledger key'
    """

  /// What `sealring doctor` says is wrong.
  func problems() async throws -> [String] {
    if place.kind == .sqlite { return try await StoreInspection.problems(in: place.folder) }
    return await PostgresInspection.findings(place.address, directory: place.folder)
      .filter { $0.id == "databaseLedger" && $0.state == .failed }.map { $0.values["reason"] ?? "" }
  }

  var mark: URL { place.folder.appending(path: LedgerMark.fileName) }

  func expectDamage(_ word: String) async throws {
    await #expect {
      _ = try await place.open()
    } throws: { error in
      guard case .corrupt(let detail)? = error as? StoreError else { return false }
      return detail.contains(word)
    }
    #expect(try await problems().contains { $0.contains(word) })
    if place.kind == .sqlite {
      // What `sealring audit` reads.
      #expect(throws: StoreError.self) { try EvidenceArchive(directory: place.folder) }
    }
  }

  /// One of each kind, with an account and an entry.
  static func each(_ body: (Exposed) async throws -> Void) async throws {
    for kind in [StoreKind.sqlite, .postgres] {
      try await withFolder { root in
        try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
        let scene = Exposed(place: try await BackupPlace.make(kind, in: root.appending(path: "server")))
        let store = try await scene.place.open()
        try await store.createUser(.sample())
        #expect(try await store.addEvidence(.sample(), once: .fresh()) == 1)
        try await store.close()
        #expect(try await scene.problems().isEmpty)
        try await body(scene)
      }
    }
  }
}

@Suite("A ledger that was removed or exchanged") struct LedgerMarkTests {
  @Test func `a database with accounts or secrets and no ledger is damaged, even without its mark`()
    async throws
  {
    try await Exposed.each { scene in
      try await scene.removeLedger()
      try await scene.expectDamage("gone")
      try FileManager.default.removeItem(at: scene.mark)
      try await scene.expectDamage("no ledger")
      try await scene.tamper("DELETE FROM server_secrets; DELETE FROM server_keys")
      try await scene.expectDamage("no ledger")
    }
  }

  @Test func `a ledger that was made anew is another one than the mark says`() async throws {
    try await Exposed.each { scene in
      try await scene.removeLedger()
      // As an empty database, in which a server makes a ledger.
      let mark = try Data(contentsOf: scene.mark)
      try await scene.tamper("DELETE FROM users; DELETE FROM server_secrets; DELETE FROM server_keys")
      try await scene.expectDamage("gone")
      try FileManager.default.removeItem(at: scene.mark)
      let store = try await scene.place.open()
      try await store.createUser(.sample())
      try await store.close()
      #expect(try await scene.problems().isEmpty)
      try mark.write(to: scene.mark)
      try await scene.expectDamage("says that it was")
    }
  }

  @Test(arguments: [
    "{}", "", "no JSON", #"{"ledger":"AAAA","key":"0","code":""}"#, String(repeating: "x", count: 5000),
  ])
  func `a mark that this server has not written is called damaged`(content: String) async throws {
    try await Exposed.each { scene in
      try Data(content.utf8).write(to: scene.mark)
      await #expect(throws: StoreError.self) { _ = try await scene.place.open() }
    }
  }

  @Test func `a mark that somebody without the key has written is refused`() async throws {
    try await Exposed.each { scene in
      let text = try String(contentsOf: scene.mark, encoding: .utf8)
      let ledger = try #require(text.firstMatch(of: /"ledger":"([^"]+)"/)?.1)
      try Data(text.replacing(ledger, with: ledger.withAnotherStart).utf8).write(to: scene.mark)
      try await scene.expectDamage("does not say")
    }
  }

  @Test func `the mark is the owner's alone, and sealed under the key in use`() async throws {
    for kind in [StoreKind.sqlite, .postgres] {
      try await withFolder { root in
        try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
        let scene = Exposed(place: try await BackupPlace.make(kind, in: root.appending(path: "server")))
        let store = try await scene.place.open()
        let old = try #require(store.serverKey.currentID)
        func sealedBy(_ id: String) throws -> Bool {
          try String(contentsOf: scene.mark, encoding: .utf8).contains(#""key":"\#(id)""#)
        }
        #expect(try sealedBy(old))
        let mode = try FileManager.default.attributesOfItem(atPath: scene.mark.path)[.posixPermissions]
        #expect((mode as? NSNumber)?.intValue == 0o600)
        let new = try store.serverKey.makeNext(in: StoreDirectory(scene.place.folder)) {
          [UInt8](repeating: 5, count: $0)
        }
        try await ServerKeyRotation(store).announce(new)
        try await ServerKeyRotation(store).activate(new)
        _ = try await store.encryptAgain()
        try await ServerKeyRotation(store).retire(old, isStolen: true)
        try store.markLedger()
        #expect(try sealedBy(new))
        try await store.close()
        // The retired key's file is taken away.
        try FileManager.default.removeItem(at: scene.place.folder.appending(path: "server.key"))
        try await scene.place.open().close()
      }
    }
  }

  @Test func `whoever no longer has the key that sealed the mark still compares the fingerprint`()
    async throws
  {
    try await withFolder { folder in
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let mark = LedgerMark(folder: StoreDirectory(folder))
      let (one, other) = (
        EvidenceHash(bytes: [UInt8](repeating: 1, count: 32)),
        EvidenceHash(bytes: [UInt8](repeating: 2, count: 32))
      )
      let ledger = try #require(one)
      try mark.keep(ledger, ServerKey(bytes: SharedDatabase.old, place: "old"))
      let key = ServerKey(bytes: SharedDatabase.new, place: "new")
      try mark.check(ledger, key)
      #expect(throws: StoreError.self) { try mark.check(other, key) }
      #expect(throws: StoreError.self) { try mark.check(nil, key) }
    }
  }

  @Test func `a backup that is restored elsewhere has no mark, and gets one`() async throws {
    try await Exposed.each { scene in
      try FileManager.default.removeItem(at: scene.mark)
      try await scene.place.open().close()
      #expect(FileManager.default.fileExists(atPath: scene.mark.path))
    }
  }

  @Test(arguments: [
    "DELETE FROM evidence", "TRUNCATE evidence", "UPDATE evidence SET line = 'x'",
    "UPDATE evidence SET number = 9",
    "UPDATE evidence SET hash = '\\x00'", "UPDATE evidence SET line = ''",
    "UPDATE evidence SET name_key = 'x'",
    "UPDATE evidence_ledger SET header = 'x'", "DELETE FROM evidence_ledger", "TRUNCATE evidence_ledger",
    "DELETE FROM evidence_lanes", "DELETE FROM evidence_epochs", "UPDATE evidence_epochs SET checkpoint = ''",
  ])
  func `PostgreSQL refuses to change or delete evidence`(sql: String) async throws {
    try await withFolder { folder in
      let address = try await PostgresServer.shared.createDatabase()
      let store = try await PostgresStore.open(address, directory: folder, lanes: 2)
      for _ in 0..<4 { _ = try await store.addEvidence(.sample(), once: .fresh()) }
      _ = try await store.export(at: noon) { _ in }
      // Lane 0 as well.
      let other = try await PostgresStore.open(address, directory: folder)
      _ = try await other.addEvidence(.sample(), once: .fresh())
      #expect(try await PostgresServer.shared.psql(on: address, sql) != 0)
      // What servers do goes on.
      _ = try await store.export(at: noon + 1) { _ in }
      let later = Int64((noon + 1000).timeIntervalSince1970 * 1000)
      #expect(try await store.removeEvidenceContent(before: later).removed == 5)
      try await store.close()
      try await other.close()
    }
  }
}
