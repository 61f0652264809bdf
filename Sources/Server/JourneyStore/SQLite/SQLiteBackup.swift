package import Foundation
internal import GRDB

/// The database of a server's data folder, read for a backup.
///
/// All is read in one transaction, which sees one moment, while servers keep writing (write-ahead log). Until it ends, their log is not
/// emptied, so it grows by what they write meanwhile.
package struct SQLiteBackup: BackupSource {
  private let directory: URL

  package init(directory: URL) { self.directory = directory }

  package func read(_ visit: (BackupItem) throws -> Void) async throws {
    let place = StoreDirectory(directory).path(of: "sealring.sqlite")
    try await StoreError.translated(place) {
      let (whole, _) = try SQLiteWhole.existing(in: directory)
      try await whole.transaction {
        guard let version = try whole.version() else {
          throw StoreError.unavailable(
            "\(place) was written by a newer version of this server; back it up with that version")
        }
        try await whole.backUp(version: version, keyIn: directory, visit)
      }
    }
  }
}

/// A SQLite database that one task has to itself, unless only its statements are.
struct SQLiteWhole: WholeDatabase {
  let kind = StoreKind.sqlite
  let queue: DatabaseQueue

  /// The database of a data folder, and its server keys; when `keys` is not empty, the keys from there.
  ///
  /// - Throws: ``StoreError/unavailable(_:)`` when one of them is missing.
  static func existing(
    in directory: URL, keys: [any ServerKeySource] = []
  ) throws -> (SQLiteWhole, ServerKey) {
    let files = StoreDirectory(directory)
    let place = files.path(of: "sealring.sqlite")
    guard let key = try ServerKey(existingIn: files, orIn: keys),
      FileManager.default.fileExists(atPath: place)
    else {
      throw StoreError.unavailable(
        "\(directory.path) has no sealring.sqlite and server.key; name the folder that the server has as --data"
      )
    }
    return (try SQLiteWhole(reading: place), key)
  }

  /// Opens the database of a server, which may run, for reading only.
  init(reading place: String) throws {
    var configuration = Self.configuration("sealring.backup")
    configuration.readonly = true
    configuration.busyMode = .timeout(SQLiteStore.lockPatience)
    queue = try DatabaseQueue(path: place, configuration: configuration)
  }

  /// Creates a new database.
  ///
  /// - Parameter place: the path, which must not exist yet; empty for a database without a name, which the system removes when it is
  ///   closed.
  init(filling place: String) throws {
    var configuration = Self.configuration("sealring.restore")
    configuration.foreignKeysEnabled = true
    configuration.prepareDatabase { db in
      try db.execute(sql: "PRAGMA synchronous = FULL; PRAGMA fullfsync = ON; PRAGMA temp_store = MEMORY")
    }
    queue = try DatabaseQueue(path: place, configuration: configuration)
  }

  private static func configuration(_ label: String) -> Configuration {
    var configuration = Configuration()
    configuration.label = label
    // One transaction spans several calls.
    configuration.allowsUnsafeTransactions = true
    return configuration
  }

  func transaction<Value>(_ body: () async throws -> Value) async throws -> Value {
    try queue.inDatabase { try $0.beginTransaction() }
    do {
      let value = try await body()
      try queue.inDatabase { try $0.commit() }
      return value
    } catch {
      // The error of `body` is the one to throw.
      try? queue.inDatabase { try $0.rollback() }
      throw error
    }
  }

  /// How many migrations the database has; `nil` when a newer version has made some.
  func version() throws -> Int? {
    let migrator = StoreSchema.migrator
    return try queue.inDatabase { db in
      try migrator.hasBeenSuperseded(db) ? nil : migrator.appliedMigrations(db).count
    }
  }

  func ask<Value>(_ question: SQLQuestion<Value>) async throws -> Value {
    try await queue.writeWithoutTransaction { try $0.ask(question) }
  }

  /// How many entries have lost their content. A database of an early version has no table for it.
  func removedEntries(of ledger: SealedLedger) async throws -> Int64 {
    guard try await tables().contains(where: { $0.name == "evidence_retention" }) else { return 0 }
    return try await ask(EvidenceSQL.removed(of: ledger)) ?? 0
  }

  /// Blocks the thread while SQLite works.
  func rows(_ sql: String, _ visit: ([StoredValue]) throws -> Void) async throws {
    try queue.inDatabase { try PreparedStatement(sql, in: $0).run([], visit) }
  }
}
