#if !canImport(Security)
  internal import Concurrency
  internal import Foundation
  internal import GRDB
  package import PingLogger
  package import PrivateFiles

  /// An SQLite file of sealed records in a folder of the ``ClientHome``, opened when it is first needed.
  ///
  /// Several processes may use one file; a change is durable when the call returns. A failure of the file is thrown as a `Failure`; a
  /// `Failure` that `body` throws stays as it is.
  package final class SealedDatabase<Failure: Error>: Sendable {
    private struct Opened: Sendable {
      let queue: DatabaseQueue
      let sealer: RecordSealer
    }

    private let name: String
    private let version: Int
    private let tables: String
    private let home: ClientHome
    private let group: String?
    let logger: any Logger
    private let failure: @Sendable (_ what: String, _ cause: (any Error)?) -> Failure
    private let opening = AsyncMutex()
    private let opened = Locked<Opened?>(nil)

    /// - Parameters:
    ///   - name: Names the folder, the file, the key and the table with the proof of the key.
    ///   - version: The version of `tables`; files of a newer version are left alone.
    ///   - tables: The statements that create the tables.
    ///   - group: Names the file instead of `name`, for apps that share it.
    package init(
      _ name: String, version: Int, tables: String, home: ClientHome, group: String?, logger: any Logger,
      failure: @escaping @Sendable (_ what: String, _ cause: (any Error)?) -> Failure
    ) {
      (self.name, self.version, self.tables) = (name, version, tables)
      self.home = home
      self.group = group
      self.logger = logger
      self.failure = failure
    }

    /// Runs `body` in one transaction without other writers, including those of other processes.
    func write<Value: Sendable>(
      _ what: String, _ body: @escaping @Sendable (Database, RecordSealer) throws -> Value
    ) async throws -> Value {
      try await perform(what) { opened in
        try await opened.queue.write { try body($0, opened.sealer) }
      }
    }

    func read<Value: Sendable>(
      _ what: String, _ body: @escaping @Sendable (Database, RecordSealer) throws -> Value
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
      } catch let error as Failure { throw error } catch let refused as RefusedChange {
        throw refused.cause
      } catch {
        throw failure(what, error)
      }
    }

    private func open() async throws -> Opened {
      if let opened = opened.withLock({ $0 }) { return opened }
      return try await opening.withLock {
        if let opened = opened.withLock({ $0 }) { return opened }
        let folder = try home.folder(name)
        let file = folder.appendingPathComponent(fileName(for: (group ?? name) + ".sqlite"))
        // One process at a time: the switch to the write-ahead log and the first migration do not wait for each other.
        let new = try await FileLock(file: folder.appendingPathComponent(".\(file.lastPathComponent).lock"))
          .withLock {
            try open(file)
          }
        opened.withLock { $0 = new }
        return new
      }
    }

    private func open(_ file: URL) throws -> Opened {
      // Created before SQLite does, which would apply the umask; its log files inherit the mode.
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
      configuration.label = "sealring.\(name)"
      // Short, even waits: SQLite's own handler waits up to 100 ms.
      configuration.busyMode = .callback { attempt in
        guard attempt < 2500 else { return false }
        Thread.sleep(forTimeInterval: 0.002)
        return true
      }
      configuration.prepareDatabase { db in
        try db.execute(sql: "PRAGMA synchronous = FULL")
        try db.execute(sql: "PRAGMA temp_store = MEMORY")
        // Overwrite deleted data.
        try db.execute(sql: "PRAGMA secure_delete = ON")
      }
      let queue = try DatabaseQueue(path: file.path, configuration: configuration)
      _ = try queue.writeWithoutTransaction { db in
        try String.fetchOne(db, sql: "PRAGMA journal_mode = WAL")
      }
      let sealer = try RecordSealer(name, home: home)
      let keyTable = "\(name)_key"
      try queue.write { [self] db in
        let version = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
        guard version <= self.version else {
          throw FileStorageError.unreadable(
            path: file.path, reason: "a newer version of this program wrote it")
        }
        if version == 0 {
          try db.execute(sql: "CREATE TABLE \(keyTable) (box BLOB NOT NULL);")
          try db.execute(sql: tables)
          try db.execute(
            sql: "INSERT INTO \(keyTable) (box) VALUES (?)",
            arguments: [try sealer.seal(Data(), for: "key")])
          try db.execute(sql: "PRAGMA user_version = \(self.version)")
        }
        guard let box = try Data.fetchOne(db, sql: "SELECT box FROM \(keyTable)"),
          (try? sealer.open(box, for: "key")) != nil
        else {
          throw FileStorageError.unreadable(
            path: file.path, reason: "it was encrypted with another key than that in secured-keys")
        }
      }
      return Opened(queue: queue, sealer: sealer)
    }
  }
#endif
