#if !canImport(Security)
  internal import Foundation
  internal import GRDB
  internal import Locking
  internal import PingLogger
  internal import PingStorage

  /// The SQLite file of ``PushKeychainStorage``, opened when it is first needed.
  final class PushDatabase: Sendable {
    struct Services: Sendable {
      var credentials: String
      var notifications: String
      var tokens: String
    }

    let services: Services
    let logger: any Logger
    let now: @Sendable () -> Date
    private let home: ClientHome
    private let group: String?
    private let opening = AsyncMutex()
    private let opened = Locked<Opened?>(nil)

    struct Opened: Sendable {
      let queue: DatabaseQueue
      let sealer: PushRecordSealer
    }

    init(
      home: ClientHome, group: String?, services: Services, logger: any Logger,
      now: @escaping @Sendable () -> Date
    ) {
      self.home = home
      self.group = group
      self.services = services
      self.logger = logger
      self.now = now
    }

    /// Runs `body` in one transaction that keeps other writers out.
    func write<Value: Sendable>(
      _ what: String, _ body: @escaping @Sendable (Database, PushRecordSealer) throws -> Value
    ) async throws -> Value {
      try await perform(what) { opened in
        try await opened.queue.write { try body($0, opened.sealer) }
      }
    }

    func read<Value: Sendable>(
      _ what: String, _ body: @escaping @Sendable (Database, PushRecordSealer) throws -> Value
    ) async throws -> Value {
      try await perform(what) { opened in
        try await opened.queue.read { try body($0, opened.sealer) }
      }
    }

    private func perform<Value: Sendable>(
      _ what: String, _ body: (Opened) async throws -> Value
    ) async throws -> Value {
      do {
        return try await body(try await open())
      } catch let error as PushStorageError { throw error } catch {
        throw PushStorageError.storageFailure(what, error)
      }
    }

    private func open() async throws -> Opened {
      if let opened = opened.withLock({ $0 }) { return opened }
      return try await opening.withLock {
        if let opened = opened.withLock({ $0 }) { return opened }
        let folder = try home.folder("push")
        let name = fileName(for: (group ?? "push") + ".sqlite")
        let file = folder.appendingPathComponent(name)
        // One process at a time: the switch to the write-ahead log and the first migration do not wait for each other.
        let new = try await FileLock(file: folder.appendingPathComponent(".\(name).lock")).withLock {
          try Self.open(file, home: home)
        }
        opened.withLock { $0 = new }
        return new
      }
    }

    private static func open(_ file: URL, home: ClientHome) throws -> Opened {
      // Made before SQLite would, which asks the umask; its log files take their mode from it.
      let descriptor = Foundation.open(file.path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
      guard descriptor >= 0 else {
        throw FileStorageError.unwritable(path: file.path, reason: String(cString: strerror(errno)))
      }
      let isProtected = fchmod(descriptor, 0o600) == 0
      close(descriptor)
      guard isProtected else {
        throw FileStorageError.unprotected(path: file.path, reason: String(cString: strerror(errno)))
      }
      var configuration = Configuration()
      configuration.label = "sealring.push"
      // Short, even naps: SQLite's own handler naps up to 100 ms.
      configuration.busyMode = .callback { attempt in
        guard attempt < 2500 else { return false }
        Thread.sleep(forTimeInterval: 0.002)
        return true
      }
      configuration.prepareDatabase { db in
        try db.execute(sql: "PRAGMA synchronous = FULL")
        try db.execute(sql: "PRAGMA temp_store = MEMORY")
        // What is deleted is overwritten.
        try db.execute(sql: "PRAGMA secure_delete = ON")
      }
      let queue = try DatabaseQueue(path: file.path, configuration: configuration)
      _ = try queue.writeWithoutTransaction { db in
        try String.fetchOne(db, sql: "PRAGMA journal_mode = WAL")
      }
      let sealer = try PushRecordSealer(home: home)
      try queue.write { db in
        let version = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
        guard version <= schemaVersion else {
          throw FileStorageError.unreadable(
            path: file.path, reason: "a newer version of this program wrote it")
        }
        if version == 0 {
          try db.execute(sql: schema)
          try db.execute(
            sql: "INSERT INTO push_key (box) VALUES (?)", arguments: [try sealer.seal(Data(), for: "key")])
          try db.execute(sql: "PRAGMA user_version = \(schemaVersion)")
        }
        guard let box = try Data.fetchOne(db, sql: "SELECT box FROM push_key"),
          (try? sealer.open(box, for: "key")) != nil
        else {
          throw FileStorageError.unreadable(
            path: file.path, reason: "it was encrypted with another key than that in secured-keys")
        }
      }
      return Opened(queue: queue, sealer: sealer)
    }

    private static let schemaVersion = 1

    private static let schema = """
      CREATE TABLE push_key (box BLOB NOT NULL);
      CREATE TABLE push_credentials (
        service TEXT NOT NULL, id TEXT NOT NULL, account BLOB NOT NULL, created INTEGER NOT NULL, box BLOB NOT NULL,
        PRIMARY KEY (service, id)
      ) WITHOUT ROWID;
      CREATE INDEX push_credentials_account ON push_credentials (service, account);
      CREATE TABLE push_notifications (
        service TEXT NOT NULL, id TEXT NOT NULL, message BLOB, credential TEXT NOT NULL, created INTEGER NOT NULL,
        ends INTEGER NOT NULL, pending INTEGER NOT NULL, box BLOB NOT NULL,
        PRIMARY KEY (service, id)
      );
      CREATE UNIQUE INDEX push_notifications_message ON push_notifications (service, message)
        WHERE message IS NOT NULL;
      CREATE INDEX push_notifications_created ON push_notifications (service, created);
      CREATE INDEX push_notifications_credential ON push_notifications (service, credential, created);
      CREATE INDEX push_notifications_pending ON push_notifications (service, ends) WHERE pending = 1;
      CREATE TABLE push_tokens (service TEXT NOT NULL PRIMARY KEY, box BLOB NOT NULL) WITHOUT ROWID;
      """
  }
#endif
