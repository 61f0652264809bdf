import CommonFixtures
import Foundation
import GRDB
import StrictJSON
import Testing

@testable import JourneyStore

@Suite("Opening") struct OpeningTests {

  private func detail(_ error: any Error) -> String { (error as? StoreError)?.description ?? "another error" }

  @Test func `folder and files are the owner's alone`() async throws {
    try await withFolder { parent in
      let folder = parent.appendingPathComponent("a/b")
      let store = try SQLiteStore(directory: folder)
      _ = try await store.consume([1], until: noon)
      #expect(try mode(of: folder) == 0o700)
      for file in [
        "sealring.sqlite", "sealring.sqlite-wal", "sealring.sqlite-shm", "server.key", "sealring.lock",
      ] {
        #expect(try mode(of: folder.appendingPathComponent(file)) == 0o600, "\(file)")
      }
      try await store.close()

      // Also after somebody was generous.
      for file in ["sealring.sqlite", "server.key"] {
        try FileManager.default.setAttributes(
          [.posixPermissions: 0o644], ofItemAtPath: folder.appendingPathComponent(file).path)
      }
      try await SQLiteStore(directory: folder).close()
      for file in ["sealring.sqlite", "server.key"] {
        #expect(try mode(of: folder.appendingPathComponent(file)) == 0o600, "\(file)")
      }
    }
  }

  @Test func `every connection runs with synchronous = FULL, a write-ahead log and foreign keys`()
    async throws
  {
    try await withStore { store in
      for settings in [
        try await store.read { try Self.settings($0) }, try await store.write("") { try Self.settings($0) },
      ] {
        #expect(settings == ["2", "wal", "1"])
      }
    }
  }

  private static func settings(_ db: Database) throws -> [String] {
    try ["synchronous", "journal_mode", "foreign_keys"].map { name in
      try "\(DatabaseValue.fetchOne(db, sql: "PRAGMA \(name)") ?? .null)".replacingOccurrences(
        of: "\"", with: "")
    }
  }

  @Test func `without confirmation of durability the store does not open`() throws {
    let queue = try DatabaseQueue()
    try queue.writeWithoutTransaction { db in
      try db.execute(sql: "PRAGMA synchronous = NORMAL")
      #expect {
        try SQLiteStore.confirmDurability(db, place: "here", journalMode: "memory")
      } throws: {
        detail($0).contains("synchronous = 1 instead of 2")
      }
      try db.execute(sql: "PRAGMA synchronous = FULL")
      try SQLiteStore.confirmDurability(db, place: "here", journalMode: "memory")
      #expect(throws: StoreError.self) {
        try SQLiteStore.confirmDurability(db, place: "here", journalMode: "wal")
      }
    }
  }

  @Test func `everything is there after closing and opening again`() async throws {
    try await withFolder { folder in
      let store = try SQLiteStore(directory: folder)
      try await fill(store)
      try await store.close()
      let again = try SQLiteStore(directory: folder)
      try await expectFilled(again)
      try await again.close()
    }
  }

  @Test func `everything acknowledged is in the files at that moment, as a crash would leave them`()
    async throws
  {
    try await withFolder { folder in
      let store = try SQLiteStore(directory: folder.appendingPathComponent("running"))
      try await fill(store)
      // A process of its own, because reading the files in this one would drop SQLite's locks on them.
      let copy = Process()
      copy.executableURL = URL(fileURLWithPath: "/bin/cp")
      copy.arguments = [
        "-R", folder.appendingPathComponent("running").path, folder.appendingPathComponent("copy").path,
      ]
      try copy.run()
      copy.waitUntilExit()
      try FileManager.default.removeItem(at: folder.appendingPathComponent("copy/sealring.sqlite-shm"))
      let recovered = try SQLiteStore(directory: folder.appendingPathComponent("copy"))
      try await expectFilled(recovered)
      try await recovered.close()
      try await store.close()
    }
  }

  private func fill(_ store: SQLiteStore) async throws {
    try await store.createUser(.sample())
    #expect(try await store.addBoundDevice(.sample(), limit: 1) == .added)
    try await store.createSession(.sample())
    #expect(try await store.consume([1], until: noon))
    _ = try await store.recordFailure(of: .demo, policy: .standard, now: noon)
  }

  private func expectFilled(_ store: SQLiteStore) async throws {
    #expect(try await store.user(.demo) == .sample())
    #expect(try await store.boundDevices.all(of: .demo) == [.sample()])
    #expect(try await store.sessions(of: .demo, now: noon) == [.sample()])
    #expect(try await store.consume([1], until: noon) == false)
    #expect(try await store.lockout(of: .demo).consecutiveFailures == 1)
  }

  @Test func `a store in memory follows the same rules, and two are apart`() async throws {
    let (one, two) = (try SQLiteStore.inMemory(), try SQLiteStore.inMemory())
    try await fill(one)
    try await expectFilled(one)
    #expect(try await two.user(.demo) == nil)
    #expect(try await one.secret(named: "seal") { [1] } == [1])
    #expect(try await one.secret(named: "seal") { [2] } == [1])
    try await one.close()
    try await two.close()
  }

  @Test func `a database from before attestation keeps its devices, which then have none`() async throws {
    try await withFolder { folder in
      let store = try SQLiteStore(directory: folder)
      try await fill(store)
      try await store.close()
      try tamper(folder, "ALTER TABLE bound_devices DROP COLUMN attestation")
      try tamper(folder, "DELETE FROM grdb_migrations WHERE identifier LIKE '2 %'")
      let migrated = try SQLiteStore(directory: folder)
      try await expectFilled(migrated)
      var attested = BoundDeviceRecord.sample("attested")
      attested.attestation = ["kind": "tpm"]
      #expect(try await migrated.addBoundDevice(attested, limit: 0) == .added)
      try await migrated.close()
    }
  }

  @Test func `a database of a newer version is left alone`() async throws {
    try await withFolder { folder in
      try await SQLiteStore(directory: folder).close()
      try tamper(folder, "INSERT INTO grdb_migrations VALUES ('99 from the future')")
      #expect {
        try SQLiteStore(directory: folder)
      } throws: {
        detail($0).contains("newer version") && detail($0).contains("sealring.sqlite")
      }
    }
  }

  @Test func `a database that lacks a table is left alone`() async throws {
    try await withFolder { folder in
      try await SQLiteStore(directory: folder).close()
      try tamper(folder, "DROP TABLE sessions")
      #expect {
        try SQLiteStore(directory: folder)
      } throws: {
        detail($0).contains("has no table sessions") && detail($0).contains("sealring.sqlite")
      }
    }
  }

  @Test func `a file that is not a database is an error that names it, and stays as it is`() async throws {
    try await withFolder { folder in
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let file = folder.appendingPathComponent("sealring.sqlite")
      let content = Data(repeating: 0x41, count: 8192)
      try content.write(to: file)
      #expect {
        try SQLiteStore(directory: folder)
      } throws: {
        if case .corrupt? = $0 as? StoreError { detail($0).contains(file.path) } else { false }
      }
      #expect(try Data(contentsOf: file) == content)
    }
  }

  @Test(arguments: ["", "/below"])
  func `a folder that cannot be one is an error that names it`(suffix: String) async throws {
    try await withFolder { folder in
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let file = folder.appendingPathComponent("file")
      try Data().write(to: file)
      #expect {
        try SQLiteStore(directory: URL(fileURLWithPath: file.path + suffix))
      } throws: {
        detail($0).contains(file.path)
      }
    }
  }

  @Test(
    arguments: [
      ("UPDATE users SET attributes = '{\"a\":'", "attributes"),
      ("UPDATE users SET attributes = '[]'", "attributes"),
      ("UPDATE users SET attributes = '{\"a\":1,\"a\":2}'", "attributes"),
      ("UPDATE users SET mail = '[1]'", "mail"),
      ("UPDATE users SET is_active = 7", "is_active"),
    ])
  func `a damaged row is an error that names table, row and column`(change: String, column: String)
    async throws
  {
    try await withFolder { folder in
      let store = try SQLiteStore(directory: folder)
      try await store.createUser(.sample())
      try await store.close()
      try tamper(folder, change)
      let again = try SQLiteStore(directory: folder)
      await #expect {
        try await again.user(.demo)
      } throws: { error in
        guard case .corrupt? = error as? StoreError else { return false }
        return ["users", "demo", column].allSatisfy { detail(error).contains($0) }
      }
      try await again.close()
    }
  }

  @Test func `columns of the wrong type are errors, not crashes`() async throws {
    try await withFolder { folder in
      let store = try SQLiteStore(directory: folder)
      try await store.createUser(.sample())
      try await store.close()
      try tamper(
        folder,
        """
        ALTER TABLE users RENAME TO old_users;
        CREATE TABLE users (realm_key, name_key, realm, username, password_hash, is_active, is_administrator, mail,
          attributes, created_at, account_id, password_version, must_change_password, password_expires_at,
          is_help_desk, is_auditor, revision);
        INSERT INTO users SELECT * FROM old_users;
        UPDATE users SET password_hash = x'00ff', created_at = 'yesterday', realm = 5;
        """)
      let again = try SQLiteStore(directory: folder)
      await #expect {
        try await again.users(realm: "alpha")
      } throws: {
        detail($0).contains("realm is not text")
      }
      try await again.close()
    }
  }
}
