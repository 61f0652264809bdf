package import Foundation
internal import GRDB

/// The database of a server's data folder, read for a backup.
///
/// All is read in one transaction, which sees one moment; servers write on beside it (write-ahead log). Until it ends, their
/// log is not emptied, so it grows by what they write meanwhile.
package struct SQLiteBackup: BackupSource {
  private let directory: URL

  package init(directory: URL) { self.directory = directory }

  package func read(_ visit: (BackupItem) throws -> Void) async throws { try readBlocking(visit) }

  private func readBlocking(_ visit: (BackupItem) throws -> Void) throws {
    let files = StoreDirectory(directory)
    let place = files.path(of: "sealring.sqlite")
    do {
      guard let key = try ServerKey(existingIn: files), FileManager.default.fileExists(atPath: place) else {
        throw StoreError.unavailable(
          "\(directory.path) has no sealring.sqlite and server.key; name the folder that the server has as --data"
        )
      }
      var configuration = Configuration()
      configuration.readonly = true
      configuration.label = "sealring.backup"
      configuration.busyMode = .timeout(SQLiteStore.lockPatience)
      let database = try DatabaseQueue(path: place, configuration: configuration)
      try database.read { db in
        let migrator = StoreSchema.migrator
        guard try !migrator.hasBeenSuperseded(db) else {
          throw StoreError.unavailable(
            "\(place) was written by a newer version of this server; back it up with that version")
        }
        try db.takeKeys(into: key)
        // A backup with another database's key would be of no use, and only show when it is needed.
        if try db.tableExists("evidence_ledger"), try EvidenceTable.existing(in: db, serverKey: key) != nil {
          _ = try EvidenceTable.signer(in: db, serverKey: key)
        }
        try visit(
          .origin(.sqlite, schema: migrator.appliedMigrations(db).count, key: key.currentID))
        for table in try StoredTable.all(in: db) {
          try visit(.table(table))
          let rows = try Row.fetchCursor(
            db, sql: "SELECT \(table.columnList) FROM \(table.name)\(table.order)")
          while let row = try rows.next() {
            try visit(
              .row(
                table.columns.indices.map { StoredValue(row[$0] as DatabaseValue, table.columns[$0].kind) }))
          }
        }
      }
    } catch {
      throw StoreError.translating(error, place: place, subject: "the backup")
    }
  }
}

extension StoredTable {
  /// The tables of a database but SQLite's own and the list of migrations; those that others refer to come first.
  static func all(in db: Database) throws -> [StoredTable] {
    let names = try String.fetchAll(
      db,
      sql: """
        SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite@_%' ESCAPE '@'
          AND name != 'grdb_migrations' ORDER BY name
        """)
    var parents: [String: Set<String>] = [:]
    for name in names {
      parents[name] = try String.fetchSet(
        db, sql: "SELECT \"table\" FROM pragma_foreign_key_list(?)", arguments: [name])
    }
    return try parentsFirst(names, parents: parents).map { try StoredTable(name: $0, in: db) }
  }

  private init(name: String, in db: Database) throws {
    let columns = try Row.fetchAll(
      db, sql: "SELECT name, type FROM pragma_table_info(?) ORDER BY cid", arguments: [name]
    ).map { row in
      let kind: StoredValue.Kind =
        switch row["type"] as String {
        case "INTEGER": .integer
        case "REAL": .real
        case "BLOB": .bytes
        default: .text
        }
      return Column(row["name"], kind)
    }
    self.init(name, columns)
  }
}

extension StoredValue {
  fileprivate init(_ value: DatabaseValue, _ kind: Kind) {
    switch value.storage {
    case .null: self = .null(kind)
    case .int64(let value): self = .integer(value)
    case .double(let value): self = .real(value)
    case .string(let value): self = .text(value)
    case .blob(let value): self = .bytes([UInt8](value))
    }
  }
}
