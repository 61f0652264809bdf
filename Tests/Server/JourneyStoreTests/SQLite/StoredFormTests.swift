import Foundation
import GRDB
import StrictJSON
import Testing

@testable import JourneyStore

/// What stands in SQLite's tables and files, and what is made of it when others have changed it.
@Suite("The stored form") struct StoredFormTests {
  @Test func `servers that start together make one database`() async throws {
    try await withFolder { folder in
      let secrets = try await inParallel(8) { number in
        let store = try SQLiteStore(directory: folder)
        let secret = try await store.secret(named: "seal") { [UInt8(number)] }
        try await store.close()
        return secret
      }
      #expect(Set(secrets).count == 1)
    }
  }

  @Test func `the database holds no secret in clear, and a changed one is noticed`() async throws {
    try await withFolder { folder in
      let store = try SQLiteStore(directory: folder)
      try await store.createUser(.sample())
      _ = try await store.addOathDevice(OathStoreTests().device(), limit: 1)
      try await store.close()
      let file = try Data(contentsOf: folder.appendingPathComponent("sealring.sqlite"))
      #expect(file.range(of: Data(Array(0..<20))) == nil)
      try tamper(folder, "UPDATE oath_devices SET sealed = zeroblob(48)")
      let reopened = try SQLiteStore(directory: folder)
      await #expect(throws: StoreError.self) {
        try await reopened.oathDevices.all(of: .demo)
      }
      try await reopened.close()
    }
  }

  @Test func `neither secrets nor codes can be read from the file`() async throws {
    try await withFolder { folder in
      let store = try SQLiteStore(directory: folder)
      try await store.createUser(.sample())
      let text = "a secret that nobody may find in the file"
      var message = PushStoreTests().enrolment()
      message.enrolment?.sharedSecret = StoredSecret(text.utf8)
      message.answer = StoredSecret(text.utf8)
      try await store.openPushEnrolment(message)
      var device = PushStoreTests().device()
      device.sharedSecret = StoredSecret(text.utf8)
      _ = try await store.completePushEnrolment(id: message.id, device: device, now: noon)
      try await store.close()
      for file in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil) {
        let bytes = try Data(contentsOf: file)
        #expect(bytes.range(of: Data(text.utf8)) == nil)
        #expect(bytes.range(of: Data(Data(text.utf8).base64EncodedString().utf8)) == nil)
      }
      #expect("\(device)\(message)".contains("find") == false)
    }
  }

  @Test func `a damaged row is an error that names it, never a transaction`() async throws {
    try await withFolder { folder in
      let store = try SQLiteStore(directory: folder)
      try await store.createApplication(.sample())
      try await store.createTransaction(.sample())
      try await store.close()
      try tamper(folder, "UPDATE transactions SET state = 'approved'")
      let again = try SQLiteStore(directory: folder)
      await #expect(throws: StoreError.self, "approved without a signature") {
        try await again.transaction(id: "t-1", realm: "alpha")
      }
      try await again.close()
    }
  }

  @Test(arguments: ["authenticated_at = 9e999", "expires_at = 1e300", "maximum_idle = -1e300"])
  func `a time beyond all times is a damaged row, and no number that overflows`(change: String) async throws {
    try await withFolder { folder in
      var store = try SQLiteStore(directory: folder)
      try await store.createUser(.sample())
      try await store.createSession(.sample(1))
      try await store.close()
      try tamper(folder, "UPDATE sessions SET \(change)")
      store = try SQLiteStore(directory: folder)
      await #expect(throws: StoreError.self) {
        try await store.session(tokenHash: SessionRecord.sample(1).tokenHash, now: noon)
      }
      try await store.close()
    }
  }

  @Test func `a negative serial number of an SSH certificate is a damaged row`() async throws {
    try await withFolder { folder in
      var store = try SQLiteStore(directory: folder)
      try await store.createUser(.sample("demo"))
      let keys: [(key: SSHKeyRecord, secret: [UInt8])] = [(.sample(), [1])]
      _ = try await StoredSSHAuthorities(store).set([:], of: "alpha", newKeys: keys, at: noon)
      try await StoredSSHAuthorities(store).issue(.sample(), evidence: nil, once: nil, by: nil)
      try await store.close()
      try tamper(folder, "UPDATE ssh_certificates SET serial = -1, revoked_at = 0")
      store = try SQLiteStore(directory: folder)
      let stored = StoredSSHAuthorities(store)
      await #expect(throws: StoreError.self) { try await stored.revocations(of: "alpha") }
      try await store.close()
    }
  }

  @Test(arguments: [false, true])
  func `a deactivation whose end of sessions fails is undone`(changesPassword: Bool) async throws {
    try await withFolder { folder in
      var store = try SQLiteStore(directory: folder)
      let user = UserRecord.sample()
      try await store.createUser(user)
      try await store.createSession(.sample(1))
      try await store.close()
      try tamper(
        folder,
        "CREATE TRIGGER fault BEFORE DELETE ON sessions BEGIN SELECT RAISE(ABORT, 'the disk is gone'); END")
      store = try SQLiteStore(directory: folder)
      var change = UserChange(of: user)
      if changesPassword { change.password = .init(hash: "new") } else { change.isActive = false }
      await #expect(throws: StoreError.self) { try await store.updateUser(change) }
      #expect(try await store.user(.demo) == user)
      try await store.close()
    }
  }

  @Test func `a session of an inactive account is none, whatever became of its row`() async throws {
    try await withFolder { folder in
      var store = try SQLiteStore(directory: folder)
      try await store.createUser(.sample())
      try await store.createSession(.sample(1))
      try await store.close()
      try tamper(folder, "UPDATE users SET is_active = 0")
      store = try SQLiteStore(directory: folder)
      #expect(try await store.session(tokenHash: SessionRecord.sample(1).tokenHash, now: noon) == nil)
      #expect(try await store.touchSession(tokenHash: SessionRecord.sample(1).tokenHash, now: noon) == false)
      #expect(try await store.sessions(of: .demo, now: noon).isEmpty)
      try await store.close()
    }
  }

  @Test
  func `a database from before keeps the state of passwords, which had been attributes of their owners`()
    async throws
  {
    try await withFolder { folder in
      var store = try SQLiteStore(directory: folder)
      for name in ["flag", "text", "never", "soon"] { try await store.createUser(.sample(name)) }
      try await store.close()
      try tamper(
        folder,
        """
        DROP INDEX users_by_hash_kind; DROP INDEX users_by_id;
        ALTER TABLE users DROP COLUMN account_id; ALTER TABLE users DROP COLUMN password_version;
        ALTER TABLE users DROP COLUMN must_change_password; ALTER TABLE users DROP COLUMN password_expires_at;
        UPDATE users SET attributes = '{"a":1,"pwdReset":true}' WHERE name_key = 'flag';
        UPDATE users SET attributes =
          '{"pwdReset":"TRUE","ds-pwp-password-expiration-time":"20270115080000.5Z"}' WHERE name_key = 'text';
        UPDATE users SET attributes = '{"pwdReset":false}' WHERE name_key = 'never';
        UPDATE users SET attributes = '{"ds-pwp-password-expiration-time":"soon"}' WHERE name_key = 'soon';
        DELETE FROM grdb_migrations WHERE identifier LIKE '%state of accounts'
        """)
      store = try SQLiteStore(directory: folder)
      var users: [String: UserRecord] = [:]
      for user in try await store.users(realm: "alpha") { users[user.username] = user }
      #expect(Set(users.values.map(\.id)).count == 4)
      #expect(users["flag"]?.mustChangePassword == true)
      #expect(users["flag"]?.attributes == ["a": 1])
      #expect(users["text"]?.mustChangePassword == true)
      #expect(users["text"]?.passwordExpiry == noon)
      for name in ["never", "soon"] {
        #expect(users[name]?.mustChangePassword == false)
        #expect(users[name]?.passwordExpiry == nil)
        #expect(users[name]?.attributes == [:])
      }
      try await store.close()
    }
  }

  @Test func `locks of earlier versions last, and count as guesses`() async throws {
    let queue = try DatabaseQueue()
    try StoreSchema.migrator.migrate(queue, upTo: "8 webauthn")
    try await queue.write { db in
      try db.execute(
        sql: """
          INSERT INTO users VALUES ('alpha', 'demo', 'alpha', 'demo', NULL, 1, 0, '[]', '{}', 0);
          INSERT INTO lockouts VALUES ('alpha', 'demo', 2, 1, 60, 9), ('alpha', 'nobody', 3, 0, NULL, 8);
          INSERT INTO oath_lockouts VALUES ('alpha', 'demo', 4, 0, NULL, 7);
          """)
    }
    try StoreSchema.migrator.migrate(queue)
    let rows = try await queue.read { db in
      try String.fetchAll(
        db,
        sql: """
          SELECT name_key || ' ' || kind || device || ' ' || consecutive_failures || ' ' || lock_count || ' '
              || ifnull(locked_until, '-') || ' ' || latest_failure
            FROM lockouts ORDER BY name_key, kind
          """)
    }
    #expect(rows == ["demo codes 4 0 - 7.0", "demo guesses 2 1 60.0 9.0", "nobody guesses 3 0 - 8.0"])
  }
}
