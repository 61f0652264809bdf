import BindingFormats
import Concurrency
import Foundation
import JourneyStore
import JourneyStorePostgres
import PostgresFixtures
import Testing

@Suite("Opening a PostgreSQL database") struct OpeningTests {
  private func withFolder(_ body: (URL) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("store-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    try await body(folder)
  }

  /// Opens a new database, changes it by `sql`, opens it again, and expects a refusal that says `reason`.
  private func expectRefusal(
    after sql: String, _ reason: String, change: (URL) throws -> Void = { _ in }
  ) async throws {
    try await withFolder { folder in
      let server = try await PostgresServer.shared
      let address = try await server.createDatabase()
      try await PostgresStore.open(address, directory: folder).close()
      #expect(try await server.psql(on: address, sql) == 0)
      try change(folder)
      await #expect {
        try await PostgresStore.open(address, directory: folder).close()
      } throws: { error in
        "\(error)".contains(reason)
      }
    }
  }

  @Test func `servers that start together make one database, and have one key for the same secrets`()
    async throws
  {
    try await withFolder { folder in
      let address = try await PostgresServer.shared.createDatabase()
      let secrets = try await withThrowingTaskGroup(of: [UInt8].self) { group in
        for number in 0..<6 {
          group.addTask {
            let store = try await PostgresStore.open(address, directory: folder)
            let secret = try await store.secret(named: "seal") { [UInt8(number)] }
            try await store.close()
            return secret
          }
        }
        return try await group.reduce(into: Set()) { $0.insert($1) }
      }
      #expect(secrets.count == 1)
    }
  }

  @Test func `who only reads the ledger needs no more rights than that, and changes nothing`() async throws {
    try await withFolder { folder in
      let server = try await PostgresServer.shared
      let name = try await server.newDatabase()
      let address = server.address(of: name)
      await #expect { _ = try await PostgresStore.openForReading(address, directory: folder) } throws: {
        "\($0)".contains("has no tables of Sealring")
      }
      try await PostgresStore.open(address, directory: folder).close()
      let rights =
        "CREATE ROLE auditor_\(name) LOGIN; GRANT SELECT ON ALL TABLES IN SCHEMA public TO auditor_\(name)"
      #expect(try await server.psql(name, rights) == 0)
      let reader = address.replacing("postgres@", with: "auditor_\(name)@")
      let ledger = try await PostgresStore.openForReading(reader, directory: folder)
      #expect(try await ledger.evidence(EvidenceQuery(realm: "alpha", limit: 10)).isEmpty)
      let size = Locked(0)
      _ = try await ledger.export(at: noon) { piece in size.withLock { $0 += piece.count } }
      #expect(size.withLock { $0 } > 0)

      // Tables that are to be changed are left to a server.
      #expect(
        try await server.psql(name, "UPDATE sealring_schema SET version = 1; DROP TABLE activity_counts") == 0
      )
      await #expect { _ = try await PostgresStore.openForReading(address, directory: folder) } throws: {
        "\($0)".contains("is 1, and this program reads")
      }
      let unchanged =
        "SELECT 1 / (version = 1 AND to_regclass('activity_counts') IS NULL)::int FROM sealring_schema"
      #expect(try await server.psql(name, unchanged) == 0)
    }
  }

  @Test
  func `names that were tried and that nobody has do not fill the database, and those of accounts stay`()
    async throws
  {
    try await withFolder { folder in
      let server = try await PostgresServer.shared
      let address = try await server.createDatabase()
      var quotas = StoreQuotas()
      quotas.failuresOfUnknownNames = 10
      let store = try await PostgresStore.open(address, directory: folder, quotas: quotas)
      try await store.createUser(.demo)
      for number in 0..<40 {
        let name = number == 0 ? "demo" : "stranger \(number)"
        _ = try await store.settleAttempt(
          of: UniversalID(username: name, realm: "alpha"), isRight: false, policy: .standard,
          now: noon + TimeInterval(number))
      }
      let kept = """
        SELECT 1 / (count(*) <= 12 AND bool_or(name_key = 'demo') AND bool_or(name_key = 'stranger 39'))::int
          FROM locked_names
        """
      #expect(try await server.psql(on: address, kept) == 0)
      try await store.close()
    }
  }

  @Test func `a newer schema that older servers cannot use is refused`() async throws {
    try await expectRefusal(after: "UPDATE sealring_schema SET version = 99, oldest = 99", "newer version")
  }

  @Test func `a newer schema that only expands is served, as during an upgrade`() async throws {
    try await withFolder { folder in
      let server = try await PostgresServer.shared
      let address = try await server.createDatabase()
      try await PostgresStore.open(address, directory: folder).close()
      #expect(
        try await server.psql(
          on: address,
          "ALTER TABLE users ADD COLUMN nickname text NOT NULL DEFAULT ''; UPDATE sealring_schema SET version = version + 1"
        )
          == 0)
      let store = try await PostgresStore.open(address, directory: folder)
      let user = UserRecord(realm: "alpha", username: "demo", createdAt: Date(timeIntervalSince1970: 1))
      try await store.createUser(user)
      #expect(try await store.user(user.account) == user)
      try await store.close()
    }
  }

  @Test func `a missing table is named`() async throws {
    try await expectRefusal(after: "DROP TABLE oath_devices", "no table oath_devices")
  }

  @Test func `a read-only database is refused`() async throws {
    try await expectRefusal(
      after:
        "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET default_transaction_read_only = on', current_database()); END $$",
      "read-only")
  }

  @Test func `commits that are not durable are refused`() async throws {
    try await expectRefusal(
      after:
        "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET synchronous_commit = off', current_database()); END $$",
      "synchronous_commit off")
  }

  // Every byte that was printed as a backslash and digits ended the server, or was read as another one.
  @Test func `bytes are read in either form in which a database may send them`() async throws {
    try await withFolder { folder in
      let server = try await PostgresServer.shared
      let address = try await server.createDatabase()
      try await PostgresStore.open(address, directory: folder).close()
      let setting =
        "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET bytea_output = escape', current_database()); END $$"
      #expect(try await server.psql(on: address, setting) == 0)
      let store = try await PostgresStore.open(address, directory: folder)
      try await store.createUser(.demo)
      let hashes: [[UInt8]] = [Array(0...255), Array("\\x41".utf8), Array("\\\\101A\\".utf8), [1, 255], []]
      for (number, hash) in hashes.enumerated() {
        var session = SessionRecord.sample(number)
        session.tokenHash = hash
        try await store.createSession(session)
        #expect(try await store.session(tokenHash: hash, now: noon)?.tokenHash == hash, "\(hash)")
      }
      try await store.close()
    }
  }

  @Test func `another server's key is refused, and a lost one is not replaced`() async throws {
    try await expectRefusal(after: "SELECT 1", "cannot be decrypted") { folder in
      try Data(repeating: 7, count: 32).write(to: folder.appendingPathComponent("server.key"))
    }
    try await expectRefusal(after: "SELECT 1", "server.key is missing") { folder in
      try FileManager.default.removeItem(at: folder.appendingPathComponent("server.key"))
    }
  }

  @Test func `a database that is not there, or does not answer, is named with what to do`() async throws {
    try await withFolder { folder in
      let server = try await PostgresServer.shared
      await #expect {
        try await PostgresStore.open(server.address(of: "nowhere"), directory: folder)
      } throws: { error in
        "\(error)".contains("nowhere") && "\(error)".contains("it has no such database")
      }
      await #expect {
        try await PostgresStore.open("postgres://sealring:secret@127.0.0.1:1/x", directory: folder)
      } throws: { error in
        "\(error)".contains("127.0.0.1:1/x") && !"\(error)".contains("secret")
      }
    }
  }
}
