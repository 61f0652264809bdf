internal import BackupFormats
package import Foundation
internal import GRDB

/// A new SQLite database that is filled from a backup.
package struct SQLiteRestore: BackupTarget {
  private let file: URL?

  /// - Parameter file: the file, which must not exist yet; `nil` for a database without a name, which the system removes when it is closed,
  ///   also when the program dies.
  package init(file: URL?) { self.file = file }

  @available(macOS 14, iOS 17, *)
  package func load(
    _ backup: BackupReader, file: (String, [UInt8]) throws -> Void
  ) async throws -> RestoredLedger? {
    let place = self.file?.path ?? "the copy that was made for the check"
    return try await StoreError.translated(place, "the backup") {
      let whole = try SQLiteWhole(filling: self.file?.path ?? "")
      try backup.head.require(.sqlite, schema: StoreSchema.schema.migrations.count)
      try Self.prepare(whole.queue, for: backup.head)
      try await whole.transaction { try await whole.fill(from: backup, file: file) }
      // Carries out the migrations of versions later than the backup's.
      try StoreSchema.migrate(whole.queue)
      try whole.queue.inDatabase(Self.verify)
      let ledger = try await whole.verifiedLedger(backup.key)
      try whole.queue.close()
      return ledger
    }
  }

  /// Makes the tables as they were when the rows were read.
  private static func prepare(_ database: DatabaseQueue, for head: BackupHead) throws {
    guard head.store == .sqlite else { return try StoreSchema.migrate(database) }
    let migrator = StoreSchema.migrator
    guard let last = migrator.migrations.prefix(head.schema).last else {
      throw BackupFault(.format, "its database has no tables")
    }
    try migrator.migrate(database, upTo: last)
  }

  private static func verify(_ db: Database) throws {
    let answers = try String.fetchAll(db, sql: "PRAGMA integrity_check(1)")
    guard answers == ["ok"] else {
      throw StoreError.corrupt("the database in the backup: \(answers.first ?? "no answer")")
    }
    guard try Int.fetchOne(db, sql: "SELECT count(*) FROM pragma_foreign_key_check") == 0 else {
      throw StoreError.corrupt("the database in the backup: records refer to others that do not exist")
    }
  }
}
