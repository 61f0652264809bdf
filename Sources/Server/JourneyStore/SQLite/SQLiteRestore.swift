internal import BackupFormats
internal import EvidenceLedger
package import Foundation
internal import GRDB

/// A new SQLite database that takes what a backup holds.
package struct SQLiteRestore: BackupTarget {
  private let file: URL?

  /// - Parameter file: must not be there yet; `nil` is a database without a name, which the system removes when it is closed,
  ///   also when the program dies.
  package init(file: URL?) { self.file = file }

  @available(macOS 14, iOS 17, *)
  package func load(
    _ backup: BackupReader, file: (String, [UInt8]) throws -> Void
  ) async throws -> RestoredLedger? {
    try loadBlocking(backup, file: file)
  }

  @available(macOS 14, iOS 17, *)
  private func loadBlocking(
    _ backup: BackupReader, file write: (String, [UInt8]) throws -> Void
  ) throws -> RestoredLedger? {
    let place = file?.path ?? "the copy that was made for the check"
    do {
      let database = try DatabaseQueue(path: file?.path ?? "", configuration: Self.configuration)
      let migrator = StoreSchema.migrator
      try backup.head.require(.sqlite, schema: migrator.migrations.count)
      // As it was when the rows were read; what later versions change is then changed in the rows, too.
      if backup.head.store == .sqlite {
        guard let last = migrator.migrations.prefix(backup.head.schema).last else {
          throw BackupFault(.format, "its database has no tables")
        }
        try migrator.migrate(database, upTo: last)
      } else {
        try migrator.migrate(database)
      }
      try database.write { db in
        try Self.fill(db, from: backup)
        _ = try backup.finish(file: write)
      }
      try migrator.migrate(database)
      let ledger = try database.read { try Self.verify($0, key: backup.key) }
      try database.close()
      return ledger
    } catch {
      throw StoreError.translating(error, place: place, subject: "the backup")
    }
  }

  private static var configuration: Configuration {
    var configuration = Configuration()
    configuration.label = "sealring.restore"
    configuration.foreignKeysEnabled = true
    configuration.prepareDatabase { db in
      try db.execute(sql: "PRAGMA synchronous = FULL; PRAGMA fullfsync = ON; PRAGMA temp_store = MEMORY")
    }
    return configuration
  }

  @available(macOS 14, iOS 17, *)
  private static func fill(_ db: Database, from backup: BackupReader) throws {
    let tables = Dictionary(uniqueKeysWithValues: try StoredTable.all(in: db).map { ($0.name, $0) })
    var (mapping, insertion): (RowMapping?, String?) = (nil, nil)
    var number: (index: Int, latest: Int64)?
    var current: StoredTable?
    // Last, because what was sealed under a key that was retired is refused from then on.
    var keys: [(sql: String, row: [StoredValue])] = []
    while let item = try backup.next() {
      switch item {
      case .origin: break
      case .table(let table):
        current = table
        mapping = try RowMapping.make(table, to: tables[table.name])
        // Migrations add some rows, which the backup has, too.
        if mapping != nil { try db.execute(sql: "DELETE FROM \(table.name)") }
        insertion = mapping?.insertion
        let index = mapping?.columns.firstIndex { $0.name == "number" }
        number = table.name == "push_decisions" ? index.map { ($0, .min) } : nil
      case .row(let row):
        guard let mapping, let insertion else {
          if let current { try RowMapping.requireNoRow(of: current) }
          continue
        }
        var values = try mapping.row(row)
        if current?.name == "evidence",
          let index = mapping.columns.firstIndex(where: { $0.name == "number" }),
          case .integer(let entry) = values[index], EvidenceLane(of: entry) != .first
        {
          throw RowMapping.hasLanes
        }
        // PostgreSQL's numbers of decisions are times, and several may have one; here each has its own, in the same order.
        if let (index, latest) = number, case .integer(let given) = values[index] {
          number = (index, max(given, latest < .max ? latest + 1 : latest))
          if let unique = number?.latest { values[index] = .integer(unique) }
        }
        if current?.name == "server_keys" {
          keys.append((insertion, values))
        } else {
          try db.change(insertion, StatementValues(values))
        }
      }
    }
    for key in keys { try db.change(key.sql, StatementValues(key.row)) }
  }

  private static func verify(_ db: Database, key: ServerKey) throws -> RestoredLedger? {
    let answers = try String.fetchAll(db, sql: "PRAGMA integrity_check(1)")
    guard answers == ["ok"] else {
      throw StoreError.corrupt("the database in the backup: \(answers.first ?? "no answer")")
    }
    guard try Int.fetchOne(db, sql: "SELECT count(*) FROM pragma_foreign_key_check") == 0 else {
      throw StoreError.corrupt("the database in the backup: records belong to others that are not there")
    }
    let names = try String.fetchAll(db, sql: "SELECT name FROM server_secrets")
    for name in names {
      guard let sealed = try db.sealedSecret(named: name) else { continue }
      _ = try key.open(sealed, named: name, in: "server_secrets")
    }
    guard let table = try EvidenceTable.existing(in: db, serverKey: key) else { return nil }
    let chain = try table.walk(db) { _ in }
    return RestoredLedger(
      fingerprint: table.ledger.header.fingerprint.text, entries: chain.count, head: chain.head.text)
  }
}
