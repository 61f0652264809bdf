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
        "\(error)".contains("nowhere") && "\(error)".contains("does not exist")
      }
      await #expect {
        try await PostgresStore.open("postgres://sealring:secret@127.0.0.1:1/x", directory: folder)
      } throws: { error in
        "\(error)".contains("127.0.0.1:1/x") && !"\(error)".contains("secret")
      }
    }
  }
}
