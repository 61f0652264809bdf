import BindingFormats
import Bytes
import CommonFixtures
import Concurrency
import EvidenceLedger
import Foundation
import PostgresFixtures
import StrictJSON
import Testing

@testable import BackupFormats
@testable import JourneyStore
@testable import JourneyStorePostgres

/// A database of a kind that can be backed up and restored into.
struct BackupPlace {
  let kind: StoreKind
  let folder: URL
  /// Of PostgreSQL.
  let address: String

  static func make(_ kind: StoreKind, in folder: URL) async throws -> BackupPlace {
    BackupPlace(
      kind: kind, folder: folder,
      address: kind == .postgres ? try await PostgresServer.shared.createDatabase() : "")
  }

  func open() async throws -> any ServerStore {
    kind == .sqlite
      ? try SQLiteStore(directory: folder) : try await PostgresStore.open(address, directory: folder)
  }

  var source: any BackupSource {
    kind == .sqlite ? SQLiteBackup(directory: folder) : PostgresBackup(address, directory: folder)
  }

  var ledger: any LedgerArchive {
    get async throws {
      kind == .sqlite
        ? try EvidenceArchive(directory: folder) : try await PostgresStore.open(address, directory: folder)
    }
  }

  /// Loads a backup, and puts its key where the server looks for it.
  @discardableResult
  func load(_ backup: BackupReader) async throws -> RestoredLedger? {
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    let target: any BackupTarget =
      kind == .sqlite
      ? SQLiteRestore(file: folder.appending(path: "sealring.sqlite")) : PostgresRestore(address)
    let ledger = try await target.load(backup) { _, _ in }
    for (name, key) in backup.keyFiles {
      #expect(try StoreDirectory(folder).createAtomically(name, key.reveal()))
    }
    return ledger
  }

  /// Tables by name, each row as names and values; without what belongs to one kind of database alone.
  func content() async throws -> [String: [[String]]] {
    var content: [String: [[String]]] = [:]
    var table: StoredTable?
    try await source.read { item in
      switch item {
      case .origin: break
      case .table(let next):
        table = next
        content[next.name] = []
      case .row(let row):
        guard let table else { return }
        let cells = zip(table.columns, row).filter { $0.0.name != "added_at" }.map { column, value in
          // Databases differ in whether they have flags.
          let value: StoredValue = if case .flag(let flag) = value { .integer(flag ? 1 : 0) } else { value }
          return if case .null = value { "\(column.name)=" } else { "\(column.name)=\(value)" }
        }
        content[table.name]?.append(cells.sorted())
      }
    }
    for name in ["locked_names", "evidence_lanes", "evidence_epochs"] { content[name] = nil }
    return content.mapValues { $0.sorted { $0.lexicographicallyPrecedes($1) } }
  }
}

@Suite("Backups") struct BackupTests {
  private static let pairs: [(StoreKind, StoreKind)] = [
    (.sqlite, .sqlite), (.sqlite, .postgres), (.postgres, .sqlite), (.postgres, .postgres),
  ]

  /// Something in many tables, of all types of columns.
  private func fill(_ store: any ServerStore) async throws {
    for user: UserRecord in [.sample(), .sample("other")] { try await store.createUser(user) }
    #expect(try await store.addBoundDevice(.sample(), limit: 0) == .added)
    #expect(
      try await store.addBoundDevice(.sample("device-2", at: noon.addingTimeInterval(0.123456)), limit: 0)
        == .added)
    for number in UInt8(1)...3 { try await store.createSession(.sample(number), with: nil) }
    for number in 1...5 {
      _ = try await store.addEvidence(.sample(at: noon + Double(number)), once: .fresh())
    }
    _ = try await store.recordFailure(of: .other, policy: .standard, now: noon)
    _ = try await store.consume([1, 2, 3], until: noon + 60)
    try await store.suspendJourney(.sample())
    _ = try await store.secret(named: "a secret") { [9, 9, 9] }
    try await store.createApplication(.sample())
    try await store.createRealm("beta", at: noon, by: nil)
    try await store.setRecoveryCodes([[1], [2]], kind: "webauthn", of: .demo)
    let ssh = StoredSSHAuthorities(store)
    _ = try await ssh.set(["lifetime": 60], of: "alpha", newKeys: [(.sample(), [1, 2, 3])], at: noon)
    try await ssh.issue(.sample(), evidence: nil, once: nil, by: nil)
    _ = try await ssh.revoke(.account(.demo), in: "alpha", at: noon, by: nil)
    let push = PushStoreTests()
    try await store.openPushEnrolment(push.enrolment())
    #expect(
      try await store.completePushEnrolment(id: push.enrolment().id, device: push.device(), now: noon)
        == .added)
  }

  private func backUp(
    _ place: BackupPlace, to recipient: BackupRecipient, files: [String: [UInt8]] = [:]
  ) async throws -> [UInt8] {
    var bytes: [UInt8] = []
    let writer = try BackupWriter(to: recipient, keyIn: place.folder, at: noon) { bytes += $0 }
    try await place.source.read { try writer.add($0) }
    for (name, content) in files {
      var rest: [UInt8]? = content
      try writer.add(file: name) {
        defer { rest = nil }
        return rest ?? []
      }
    }
    _ = try writer.finish()
    return bytes
  }

  private func reader(_ bytes: [UInt8], _ identity: BackupIdentity) throws -> BackupReader {
    var rest = bytes[...]
    return try BackupReader(identity) {
      defer { rest = rest.dropFirst(10_000) }
      return Array(rest.prefix(10_000))
    }
  }

  /// Runs `body` with a database that holds something, and its open store.
  private func withServer(
    _ kind: StoreKind, _ body: (BackupPlace, any ServerStore, URL) async throws -> Void
  ) async throws {
    try await withFolder { root in
      try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
      let place = try await BackupPlace.make(kind, in: root.appending(path: "server"))
      let store = try await place.open()
      try await fill(store)
      try await body(place, store, root)
      try await store.close()
    }
  }

  @Test(arguments: [StoreKind.sqlite, .postgres])
  func `after a rotation of the server key all keys are in the backup, and old and new secrets open`(
    kind: StoreKind
  ) async throws {
    try await withServer(kind) { place, store, root async throws in
      let keys = store
      let (old, before) = (try #require(keys.serverKey.currentID), try keys.serverKey.fingerprint)
      let id = try keys.serverKey.makeNext(
        in: StoreDirectory(place.folder), randomBytes: SystemRandom.bytes)
      let rotation = ServerKeyRotation(keys)
      try await rotation.announce(id)
      try await rotation.activate(id)
      try await keys.refreshKeys()
      _ = try await store.secret(named: "a new secret") { [7, 7] }
      let identity = BackupIdentity()
      let backup = try reader(try await backUp(place, to: identity.recipient), identity)
      // The key in use signs, and stands first.
      #expect(backup.keyFiles.map(\.name) == ["server.key", "server-\(old).key"])
      #expect(try backup.head.fingerprint == keys.serverKey.fingerprint)
      #expect(backup.head.fingerprint != before)
      if kind == .sqlite {
        #expect(try backup.head.fingerprint == StoreInspection.fingerprint(of: place.folder))
      }
      let new = try await BackupPlace.make(kind, in: root.appending(path: "restored"))
      try await new.load(backup)
      let restored = try await new.open()
      #expect(try await restored.secret(named: "a secret") { [] } == [9, 9, 9])
      #expect(try await restored.secret(named: "a new secret") { [] } == [7, 7])
      try await restored.close()
    }
  }

  @Test(arguments: pairs)
  func `a backup of a running server has everything, and is restored into either kind of database`(
    from: StoreKind, to: StoreKind
  ) async throws {
    try await withServer(from) { place, store, root async throws in
      let identity = BackupIdentity()
      let bytes = try await backUp(place, to: identity.recipient)
      let new = try await BackupPlace.make(to, in: root.appending(path: "restored"))
      let backup = try reader(bytes, identity)
      #expect(try backup.head.fingerprint == StoreInspection.fingerprint(of: place.folder))
      #expect(
        backup.head.fingerprint.hasPrefix("server-"), "a hyphen at the beginning would make it an option")
      let ledger = try await new.load(backup)
      #expect(ledger?.entries == 5)
      let (before, after) = (try await place.content(), try await new.content())
      #expect(before.keys.sorted() == after.keys.sorted())
      for (name, rows) in before { #expect(after[name] == rows, "\(name)") }
      #expect(before["users"]?.count == 2 && before["evidence"]?.count == 5 && before["sessions"]?.count == 3)

      let restored = try await new.open()
      #expect(try await restored.secret(named: "a secret") { [] } == [9, 9, 9])
      #expect(try await restored.user(.demo) == store.user(.demo))
      #expect(try await restored.session(tokenHash: [UInt8](repeating: 1, count: 32), now: noon) != nil)
      #expect(try await restored.pushDevices.all(of: .demo) == [PushStoreTests().device()])
      #expect(try await !restored.consume([1, 2, 3], until: noon + 60), "what was used stays used")
      let suspended = try await restored.resumeJourney(idHash: "aa", realm: "alpha", now: noon)
      #expect(suspended == SuspendedJourneyRecord.sample().content)
      let ssh = StoredSSHAuthorities(restored)
      #expect(try await ssh.secret(of: "SHA256:k1") == [1, 2, 3])
      #expect(try await ssh.revocations(of: "alpha").serials == [Array("k1".utf8): [1]])
      // Its ledger goes on where the backup ended.
      #expect(try await restored.addEvidence(.sample(), once: .fresh()) == 6)
      let exported = Locked<[UInt8]>([])
      let checkpoint = try await new.ledger.export(at: noon) { piece in exported.withLock { $0 += piece } }
      #expect(checkpoint.count == 6)
      var rest = exported.withLock { $0 }
      let summary = try await EvidenceVerifier(checksSignatures: false).verify {
        defer { rest = [] }
        return rest
      }
      #expect(summary.checkpoint.count == 6)
      try await restored.close()
    }
  }

  @Test(arguments: [StoreKind.sqlite, .postgres])
  func `a backup while others write is one moment`(kind: StoreKind) async throws {
    try await withServer(kind) { place, store, root async throws in
      let identity = BackupIdentity()
      let isEnough = Locked(false)
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
          while !isEnough.withLock({ $0 }) { _ = try await store.addEvidence(.sample(), once: .fresh()) }
        }
        for number in 0..<4 {
          let bytes = try await backUp(place, to: identity.recipient)
          // The restored ledger's seal is compared with its last entry.
          let new = try await BackupPlace.make(.sqlite, in: root.appending(path: "restored-\(number)"))
          let ledger = try #require(try await new.load(reader(bytes, identity)))
          #expect(ledger.entries >= 5)
        }
        isEnough.withLock { $0 = true }
        try await group.waitForAll()
      }
    }
  }

  @Test func `a database that is not empty takes no backup, and stays as it is`() async throws {
    try await withServer(.postgres) { place, store, root async throws in
      let identity = BackupIdentity()
      let bytes = try await backUp(place, to: identity.recipient)
      let before = try await place.content()
      await #expect {
        try await PostgresRestore(place.address).load(reader(bytes, identity)) { _, _ in }
      } throws: { error in
        "\(error)".contains("empty database only")
      }
      #expect(try await place.content() == before)
    }
  }

  @Test(arguments: [StoreKind.sqlite, .postgres])
  func `a backup that was cut leaves nothing in the database`(kind: StoreKind) async throws {
    try await withServer(.sqlite) { place, store, root async throws in
      let identity = BackupIdentity()
      let bytes = try await backUp(place, to: identity.recipient)
      let new = try await BackupPlace.make(kind, in: root.appending(path: "restored"))
      await #expect(throws: BackupFault.self) { try await new.load(reader(bytes.dropLast(1), identity)) }
      guard kind == .postgres else { return }
      // As if nobody had tried.
      #expect(try await new.load(reader(bytes, identity))?.entries == 5)
    }
  }

  @Test func `tables and columns are the same in both kinds of databases, but for those that are named`()
    async throws
  {
    try await withFolder { root in
      try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
      var tables: [StoreKind: [String: Set<String>]] = [:]
      for kind in [StoreKind.sqlite, .postgres] {
        let place = try await BackupPlace.make(kind, in: root.appending(path: kind.rawValue))
        try await place.open().close()
        var found: [String: Set<String>] = [:]
        try await place.source.read { item in
          if case .table(let table) = item {
            found[table.name] = Set(table.columns.map(\.name)).subtracting(["added_at"])
          }
        }
        tables[kind] = found
        guard kind == .postgres else { continue }
        // None is forgotten.
        let names = found.keys.map { "'\($0)'" }.joined(separator: ", ")
        #expect(
          try await PostgresServer.shared.psql(
            on: place.address,
            """
            DO $$ BEGIN IF EXISTS (SELECT 1 FROM pg_tables WHERE schemaname = current_schema()
              AND tablename NOT IN (\(names), 'sealring_schema')) THEN RAISE 'a table is missing'; END IF; END $$
            """) == 0)
      }
      for name in ["locked_names", "evidence_lanes", "evidence_epochs"] {
        #expect(tables[.postgres]?.removeValue(forKey: name) != nil, "\(name)")
      }
      #expect(tables[.sqlite] == tables[.postgres])
    }
  }

  @Test func `events come along, and no other file does`() async throws {
    try await withServer(.sqlite) { place, _, root async throws in
      let identity = BackupIdentity()
      let content = (0..<600_000).map { UInt8(truncatingIfNeeded: $0) }
      let bytes = try await backUp(
        place, to: identity.recipient, files: ["events.jsonl.1": content, "events.jsonl": [7]])
      var files: [String: [UInt8]] = [:]
      let backup = try reader(bytes, identity)
      _ = try await SQLiteRestore(file: nil).load(backup) { files[$0, default: []] += $1 }
      #expect(files == ["events.jsonl.1": content, "events.jsonl": [7]])
      #expect(backup.manifest.files.count == 2)
      // As many as `--events-keep` allows, and the current one.
      let names = (1...1000).map { "events.jsonl.\($0)" } + ["events.jsonl"]
      let many = try await backUp(
        place, to: identity.recipient, files: Dictionary(uniqueKeysWithValues: names.map { ($0, [7]) }))
      let whole = try reader(many, identity)
      _ = try await SQLiteRestore(file: nil).load(whole) { _, _ in }
      #expect(whole.manifest.files.count == names.count)
      for name in ["../events.jsonl", "server.key", "events.jsonl.", "events.jsonl./x", "events.jsonl.1a"] {
        let bad = try await backUp(place, to: identity.recipient, files: [name: [1]])
        await #expect(throws: BackupFault.self) {
          try await SQLiteRestore(file: nil).load(reader(bad, identity)) { _, _ in }
        }
      }
    }
  }

  @Test(arguments: [StoreKind.sqlite, .postgres])
  func
    `a backup is signed under the key in use, also when the earlier one was stolen; without it there is none`(
      kind: StoreKind
    ) async throws
  {
    try await withServer(kind) { place, store, root async throws in
      let keys = store
      let old = try #require(keys.serverKey.currentID)
      let stolen = try keys.serverKey.fingerprint
      let id = try keys.serverKey.makeNext(
        in: StoreDirectory(place.folder), randomBytes: SystemRandom.bytes)
      let rotation = ServerKeyRotation(keys)
      try await rotation.announce(id)
      try await rotation.activate(id)
      _ = try await keys.encryptAgain()
      try await rotation.retire(old, isStolen: true)
      let identity = BackupIdentity()
      let bytes = try await backUp(place, to: identity.recipient)
      let backup = try reader(bytes, identity)
      #expect(backup.head.fingerprint != stolen)
      let new = try await BackupPlace.make(kind, in: root.appending(path: "restored"))
      #expect(try await new.load(backup)?.entries == 5)
      let restored = try await new.open()
      #expect(try await restored.secret(named: "a secret") { [] } == [9, 9, 9])
      try await restored.close()
      try FileManager.default.removeItem(at: place.folder.appending(path: "server-\(id).key"))
      await #expect(throws: StoreError.self) { _ = try await backUp(place, to: identity.recipient) }
    }
  }

  /// Takes a database back to the version before accounts' ids were kept with what outlives them.
  private func forgetIDs(_ place: BackupPlace) async throws {
    let tables = ["evidence", "push_decisions", "transactions"]
    let columns = tables.map { "ALTER TABLE \($0) DROP COLUMN account_id;" }.joined()
    let later = ["ssh_authorities", "ssh_keys", "ssh_certificates"].map { "DROP TABLE \($0);" }.joined()
    let undone = "\(columns) DROP INDEX evidence_use_by_day; \(later)"
    if place.kind == .sqlite {
      try tamper(
        place.folder,
        "\(undone) DELETE FROM grdb_migrations WHERE identifier IN ('25 ids of accounts', '26 SSH authorities')"
      )
    } else {
      let version = try #require(
        PostgresSchema.migrations.firstIndex { $0.name == "ids of accounts" })
      #expect(
        try await PostgresServer.shared.psql(
          on: place.address, "\(undone) UPDATE sealring_schema SET version = \(version)") == 0)
    }
  }

  @Test(arguments: pairs)
  func `a backup from before accounts' ids were kept is restored, and what was an account's still is`(
    from: StoreKind, to: StoreKind
  ) async throws {
    try await withFolder { root in
      try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
      let place = try await BackupPlace.make(from, in: root.appending(path: "server"))
      var store = try await place.open()
      try await store.createUser(.sample())
      for seconds in [-60.0, 60] {
        _ = try await store.addEvidence(.sample(at: noon + seconds), once: .fresh())
      }
      try await store.createApplication(.sample())
      try await store.createTransaction(.sample())
      try await store.close()
      try await forgetIDs(place)
      let identity = BackupIdentity()
      let backup = try reader(try await backUp(place, to: identity.recipient), identity)
      let new = try await BackupPlace.make(to, in: root.appending(path: "restored"))
      try await new.load(backup)
      store = try await new.open()
      func mine(_ id: String) async throws -> [Int64] {
        try await store.evidence(EvidenceQuery(realm: "alpha", username: "demo", accountID: id, limit: 9))
          .map(\.number)
      }
      #expect(try await mine("id of demo") == [2])
      let transaction = try #require(try await store.transaction(id: "t-1", realm: "alpha"))
      #expect(transaction.accountID == nil && transaction.isMeant(for: .sample()))
      // The next account of the name gets nothing of it.
      _ = try await store.deleteUser(.demo)
      var next = UserRecord.sample()
      (next.id, next.createdAt) = ("another id", noon + 61)
      try await store.createUser(next)
      #expect(try await mine("another id").isEmpty)
      #expect(!transaction.isMeant(for: next))
      try await store.close()
    }
  }

  @Test(arguments: [StoreKind.sqlite, .postgres])
  func `what people are signed in by can be left out, offline grants too, and the rest is there`(
    kind: StoreKind
  ) async throws {
    try await withServer(kind) { place, store, root async throws in
      let keys = store
      #expect(try await StoredGrants(keys).openGrant(.sample()))
      #expect(try await StoredGrants(keys).openGrant(.sample("offline", session: nil)))
      for name in ServerKeyRotation.Secret.all { _ = try await store.secret(named: name) { [4] } }
      let ssh = StoredSSHAuthorities(store)
      try await ssh.add(.sample("h1", .host), secret: [3], to: "alpha")
      try await ssh.issue(.sample(2), evidence: nil, once: nil, by: nil)
      try await ssh.issue(.sample(3, username: nil), evidence: nil, once: nil, by: nil)
      let identity = BackupIdentity()
      let backup = try reader(try await backUp(place, to: identity.recipient), identity)
      backup.endsSessions = true
      let new = try await BackupPlace.make(kind, in: root.appending(path: "restored"))
      try await new.load(backup)
      let content = try await new.content()
      for table in ["sessions", "grants", "suspended_journeys"] {
        #expect(content[table]?.isEmpty == true, "\(table)")
      }
      #expect(content["users"]?.count == 2 && content["push_devices"]?.count == 1)
      let restored = try await new.open()
      #expect(try await restored.secret(named: ServerKeyRotation.Secret.knownDevices) { [1] } == [4])
      #expect(try await restored.secret(named: ServerKeyRotation.Secret.persistentCookies) { [1] } == [1])
      #expect(try await restored.secret(named: ServerKeyRotation.Secret.journeys) { [1] } == [1])
      // Of SSH certificates those of people are taken back: the list of what is revoked has only what is known.
      #expect(
        try await StoredSSHAuthorities(restored).revocations(of: "alpha").serials
          == [Array("k1".utf8): [1, 2]])
      try await restored.close()
    }
  }
}

@Suite("Backups of a ledger in lanes") struct LaneBackupTests {
  @Test func `lanes, epochs and removed content come back in PostgreSQL, and SQLite says that it has none`()
    async throws
  {
    try await withFolder { root in
      try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
      let place = try await BackupPlace.make(.postgres, in: root.appending(path: "server"))
      let store = try await PostgresStore.open(place.address, directory: place.folder, lanes: 3)
      func add(_ count: Int, from start: Double) async throws {
        for number in 0..<count {
          _ = try await store.addEvidence(.sample(at: noon + start + Double(number)), once: .fresh())
        }
      }
      try await add(12, from: 0)
      _ = try await store.export(at: noon + 20) { _ in }
      try await add(9, from: 30)
      _ = try await store.export(at: noon + 50) { _ in }
      #expect(
        try await store.removeEvidenceContent(before: Int64((noon + 25).timeIntervalSince1970 * 1000)).removed
          == 12)
      // These are in no epoch yet.
      try await add(5, from: 60)

      let identity = BackupIdentity()
      var bytes: [UInt8] = []
      let writer = try BackupWriter(to: identity.recipient, keyIn: place.folder, at: noon) { bytes += $0 }
      try await place.source.read { try writer.add($0) }
      _ = try writer.finish()
      func backup() throws -> BackupReader {
        var rest: [UInt8]? = bytes
        return try BackupReader(identity) {
          defer { rest = nil }
          return rest ?? []
        }
      }
      let new = try await BackupPlace.make(.postgres, in: root.appending(path: "restored"))
      // A trial leaves nothing behind, so that the restoration finds an empty database.
      let tried = try await PostgresRestore(new.address, isTrial: true).load(backup()) { _, _ in }
      #expect(tried?.entries == 26)
      #expect(try await new.load(backup()) == tried)
      #expect(try await new.content() == place.content())
      let restored = try await PostgresStore.open(new.address, directory: new.folder, lanes: 3)
      let checkpoint = try await restored.export(at: noon + 90) { _ in }
      #expect(checkpoint.count == 26 && checkpoint.removed == 12)
      try await restored.close()
      await #expect {
        try await SQLiteRestore(file: nil).load(backup()) { _, _ in }
      } throws: { error in
        "\(error)".contains("several lanes")
      }
      try await store.close()
    }
  }
}
