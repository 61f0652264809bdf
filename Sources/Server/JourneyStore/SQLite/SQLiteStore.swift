public import Bytes
internal import CSQLiteSettings
internal import Concurrency
public import EvidenceLedger
public import Foundation
internal import GRDB
public import Logging

/// Everything a server keeps, in one SQLite database.
///
/// Several server processes may share the database of one machine: each decision that must happen once is one
/// conditional write inside a transaction that takes the write lock first (`BEGIN IMMEDIATE`).
///
/// Nothing is acknowledged before it is on disk: write-ahead log, `synchronous = FULL` on every connection, and
/// concurrent writes of one process share a commit (``SharedCommitWriter``). Reads run beside them.
public final class SQLiteStore: ServerStore {
  /// Waits for the write lock of another process this long. Seconds.
  static let lockPatience: TimeInterval = 10

  /// Reads are short, so few readers at work are better than many that are woken.
  private static let readers = min(4, max(2, ProcessInfo.processInfo.activeProcessorCount / 2))

  public let context: StoreContext
  let writer: SharedCommitWriter
  private let reader: ReadQueue
  private let database: DatabaseQueue
  private let place: String

  /// Turns off SQLite's memory statistics: they are counted under one lock that connections at work wait for, and nobody reads them. This
  /// is possible only before the process's first connection.
  private static let countsNoMemory: Void = { _ = sealring_sqlite_without_memory_statistics() }()

  /// Opens or creates `sealring.sqlite` in `directory`, with `server.key`, the key of the secrets at rest, beside it.
  ///
  /// The directory is created with mode 0700, both files with 0600. Blocks for the time of opening: call it at start.
  ///
  /// - Throws: ``StoreError/corrupt(_:)`` when a file is damaged and ``StoreError/unavailable(_:)`` when one cannot be
  ///   used, was written by a newer version, or SQLite does not confirm that commits will be durable. A file that
  ///   cannot be read is never replaced.
  public convenience init(
    directory: URL, quotas: StoreQuotas = StoreQuotas(), logger: Logger = Logger(label: "sealring.store"),
    randomBytes: @escaping @Sendable (Int) -> [UInt8] = SystemRandom.bytes
  ) throws {
    try self.init(directory: directory, keys: [], quotas: quotas, logger: logger, randomBytes: randomBytes)
  }

  /// Opens the store with the server key from `keys`, or from the directory when `keys` is empty.
  package convenience init(
    directory: URL, keys: [any ServerKeySource], quotas: StoreQuotas = StoreQuotas(),
    logger: Logger = Logger(label: "sealring.store"),
    randomBytes: @escaping @Sendable (Int) -> [UInt8] = SystemRandom.bytes
  ) throws {
    Self.countsNoMemory
    let files = StoreDirectory(directory)
    let path = files.path(of: "sealring.sqlite")
    let (database, context, reader, checkpoints) = try StoreError.translated(path, "the database") {
      try files.create(logger: logger)
      // One process at a time: the switch to the write-ahead log and the first migration do not wait for each other.
      let (database, context) = try files.exclusively {
        try files.createPrivateFile("sealring.sqlite")
        var configuration = Self.configuration
        configuration.journalMode = .wal
        let database = try DatabaseQueue(path: path, configuration: configuration)
        let context = try Self.prepare(
          database, place: path, journalMode: "wal", LedgerMark(folder: files), quotas, logger, randomBytes
        ) { mayCreate in
          try ServerKey(files.keySources(keys), mayCreate: mayCreate, randomBytes: randomBytes)
        }
        return (database, context)
      }
      let checkpoints = try LogCheckpoints(path: path, configuration: Self.configuration)
      let reader = try ReadQueue(path: path, configuration: Self.configuration, readers: Self.readers)
      return (database, context, reader, checkpoints)
    }
    self.init(database, reader, checkpoints, context, place: path)
  }

  /// A store in memory, for tests: the same tables and the same rules, gone when it is released.
  public static func inMemory(
    quotas: StoreQuotas = StoreQuotas(), logger: Logger = Logger(label: "sealring.store")
  ) throws -> SQLiteStore {
    let database = try DatabaseQueue(configuration: configuration)
    let context = try prepare(
      database, place: "memory", journalMode: "memory", nil, quotas, logger, SystemRandom.bytes,
      tables: { try emptyTables.get().backup(to: $0) }
    ) { _ in ServerKey(bytes: SystemRandom.bytes(ServerKey.length), place: "memory") }
    return SQLiteStore(database, ReadQueue(sharing: database), nil, context, place: "memory")
  }

  /// The empty tables of a store in memory: copying them takes a small part of the time that making them does.
  private static let emptyTables = Result {
    let database = try DatabaseQueue()
    try StoreSchema.migrate(database)
    return database
  }

  private init(
    _ database: DatabaseQueue, _ reader: ReadQueue, _ checkpoints: LogCheckpoints?, _ context: StoreContext,
    place: String
  ) {
    self.database = database
    self.writer = SharedCommitWriter(database, checkpoints)
    self.reader = reader
    self.context = context
    self.place = place
  }

  /// Waits for queued writes and closes. Call it after the last request; whatever comes later throws
  /// ``StoreError/unavailable(_:)``. Closing twice is allowed.
  public func close() async throws {
    await writer.close()
    let (database, reader, checkpoints) = (database, reader, writer.checkpoints)
    try await StoreError.translated(place, "the database") {
      // Closing waits for readers, and the threads that run Swift tasks must not be kept waiting.
      try await onOwnThread {
        if checkpoints != nil { try reader.close() }
        try checkpoints?.close(after: database)
        try database.close()
      }
    }
  }
}

// MARK: - Opening

extension SQLiteStore {
  private static var configuration: Configuration {
    var configuration = Configuration()
    configuration.label = "sealring.store"
    configuration.foreignKeysEnabled = true
    // Short, even pauses: SQLite's own handler pauses up to 100 ms, in which a busy process takes the lock many times over.
    configuration.busyMode = .callback { attempt in
      guard attempt < Int(lockPatience / 0.002) else { return false }
      Thread.sleep(forTimeInterval: 0.002)
      return true
    }
    configuration.prepareDatabase { db in
      try makeDurable(db)
      // Deleted data is overwritten, whatever SQLite was built with.
      try db.execute(sql: "PRAGMA secure_delete = ON")
      // Undo pages of savepoints stay in memory.
      try db.execute(sql: "PRAGMA temp_store = MEMORY")
      try db.execute(sql: "PRAGMA cache_size = -16384")
    }
    return configuration
  }

  /// Makes a commit return only when it is on disk. The second setting matters on Apple platforms, where a plain
  /// `fsync` leaves data in the drive's cache.
  private static func makeDurable(_ db: Database) throws {
    try db.execute(sql: "PRAGMA synchronous = FULL")
    try db.execute(sql: "PRAGMA fullfsync = ON")
  }

  /// Configures and checks the connection that writes, then prepares the tables, the key and the ledger.
  ///
  /// - Parameter key: returns the server key; its argument says whether a new key may be made.
  /// - Throws: ``StoreError/corrupt(_:)`` when the ledger was removed, or is another one than before.
  private static func prepare(
    _ database: DatabaseQueue, place: String, journalMode: String, _ mark: LedgerMark?,
    _ quotas: StoreQuotas, _ logger: Logger, _ randomBytes: @escaping @Sendable (Int) -> [UInt8],
    tables: (DatabaseQueue) throws -> Void = StoreSchema.migrate,
    key: @escaping @Sendable (_ mayCreate: Bool) throws -> ServerKey
  ) throws -> StoreContext {
    try database.writeWithoutTransaction { db in
      // Once more: the switch to the write-ahead log sets NORMAL after the preparation above.
      try makeDurable(db)
      try confirmDurability(db, place: place, journalMode: journalMode)
    }
    let migrator = StoreSchema.migrator
    guard try database.read({ try !migrator.hasBeenSuperseded($0) }) else {
      throw StoreError.unavailable(
        "\(place) was written by a newer version of this server; run that version, or restore an older backup"
      )
    }
    let applied = try database.read { try migrator.appliedMigrations($0).count }
    try tables(database)
    if let table = try database.read({ try StoreSchema.missingTable(in: $0) }) {
      throw StoreError.unavailable(
        "\(place) has no table \(table), although this server has made it; restore the database from a backup"
      )
    }
    let opening = SealedLedger.opening(
      mark, isOlder: applied < StoreSchema.countBeforeLedger, isStrict: false, randomBytes: randomBytes,
      key: key)
    let (key, ledger) = try database.write { try $0.carryOut(opening, nil).get() }
    // A damaged end is logged now, not only when the next signature is refused because of it. It does not prevent the start, because people
    // can sign in without a device before it is repaired.
    do {
      try database.read { db in
        _ = try db.ask(.all(EvidenceSQL.head(.first, of: ledger), EvidenceSQL.signer(key)))
      }
    } catch let error as StoreError {
      logger.critical("signatures of devices will be refused: \(error)")
    }
    mark?.note(ledger.fingerprint, key, logger)
    return StoreContext(serverKey: key, ledger: ledger, mark: mark, quotas: quotas)
  }

  /// Refuses to start when SQLite does not confirm the settings that durability rests on.
  static func confirmDurability(_ db: Database, place: String, journalMode: String) throws {
    let expected = [
      ("synchronous", 2.databaseValue), ("journal_mode", journalMode.databaseValue),
      ("foreign_keys", 1.databaseValue),
    ]
    for (pragma, value) in expected {
      let found = try DatabaseValue.fetchOne(db, sql: "PRAGMA \(pragma)") ?? .null
      guard found == value else {
        throw StoreError.unavailable(
          "\(place): SQLite reports \(pragma) = \(found) instead of \(value), so what is stored would not be safe"
        )
      }
    }
  }
}

// MARK: - Reading and writing

extension SQLiteStore {
  public func read<Value>(_ question: SQLQuestion<Value>) async throws -> Value {
    try await read { try $0.ask(question) }
  }

  public func look<Value>(_ question: SQLQuestion<Value>) async throws -> Value {
    try await StoreError.translated(place) { try await reader.look { try $0.ask(question) } }
  }

  public func transact<Value>(
    _ subject: @autoclosure () -> String, _ operation: SQLOperation<Value>
  ) async throws -> Value {
    if let changes = operation.certain {
      let answers = try await write(subject()) { try $0.answers(to: changes.statements) }
      // Off the thread of the writer.
      return try changes.read(answers[...])
    }
    do {
      return try await write(subject()) { [serverKey] in try $0.carryOut(operation, serverKey) }.get()
    } catch let undone as Undone<Value> { return undone.answer }
  }

  /// Carries out `body` in a shared, durable transaction; `subject` names in errors what it stores.
  func write<Value: Sendable>(
    _ subject: @autoclosure () -> String, _ body: @escaping @Sendable (Database) throws -> Value
  ) async throws -> Value {
    try await StoreError.translated(place, subject()) { try await writer.write(body) }
  }

  /// Reads with statements each of which sees one state of the database. A task that is cancelled still waits for its read.
  func read<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
    try await StoreError.translated(place) { try await reader.read(body) }
  }

  public func withLane<Value: Sendable>(
    _ body: (EvidenceLane) async throws -> Value
  ) async throws -> Value {
    // There is one writer, which lanes would not make faster.
    try await body(.first)
  }

  public var load: StoreLoad { writer.load }
}
