internal import BackupFormats
internal import Concurrency
internal import EvidenceLedger
internal import Foundation
package import JourneyStore
internal import Logging

/// An empty PostgreSQL database that takes what a backup holds, in one transaction.
package struct PostgresRestore: BackupTarget {
  private let address: String

  /// Whether it is only tried, and nothing stays.
  private let isTrial: Bool

  package init(_ address: String, isTrial: Bool = false) { (self.address, self.isTrial) = (address, isTrial) }

  private static let logger = Logger(label: "sealring.restore")

  /// Tables may be brought up to date for this long. Seconds.
  private static let patience: TimeInterval = 3600

  /// Rows that are sent at once.
  private static let rowsAtOnce = 200

  @available(macOS 14, iOS 17, *)
  package func load(
    _ backup: BackupReader, file: (String, [UInt8]) throws -> Void
  ) async throws -> RestoredLedger? {
    let place = PostgresLink.place(address)
    do {
      try backup.head.require(.postgres, schema: PostgresSchema.version)
      let connection = try await PostgresConnection.open(
        PostgresAddress(address), patience: PostgresLimits().patience, try LibPQ(), roundTrips: Locked(0))
      defer { connection.end() }
      let transaction = PostgresTransaction(
        connection, prepares: false, patience: PostgresSnapshot.patience, pace: .wholeDatabase)
      try await PostgresOpening.checkServer(transaction, place: place, Self.logger)
      try await prepare(transaction, for: backup.head, place: place)
      try await fill(transaction, from: backup)
      _ = try backup.finish(file: file)
      // What later versions than the backup's change is changed now, and whether all tables are there.
      let opening = PostgresOpening(
        link: try PostgresLink(address, PostgresLimits()), patience: Self.patience, logger: Self.logger)
      try await opening.prepare(transaction)
      // Servers that know of no lanes must stay away from a ledger that has some.
      try await transaction.run(
        "UPDATE sealring_schema SET oldest = greatest(oldest, 2) WHERE EXISTS (SELECT 1 FROM evidence_lanes)")
      let ledger = try await verify(transaction, key: backup.key)
      if !isTrial { try await transaction.end() }
      return ledger
    } catch {
      throw StoreError.translating(error, place: place, subject: "the backup")
    }
  }

  /// Makes the tables as they were when the rows were read.
  ///
  /// - Throws: ``StoreError/conflict(_:)`` when there are tables already.
  private func prepare(
    _ transaction: PostgresTransaction, for head: BackupHead, place: String
  ) async throws {
    for name in PostgresSchema.tableNames + ["sealring_schema"] {
      let isThere = try await transaction.run("SELECT to_regclass(?::text) IS NOT NULL", [name]).flag()
      guard !isThere else {
        throw StoreError.conflict(
          "\(place) has a table \(name); a backup is restored into an empty database only")
      }
    }
    let migrations =
      PostgresSchema.migrations.prefix(head.store == .postgres ? head.schema : PostgresSchema.version)
    guard let last = migrations.last else {
      throw BackupFault(.format, "its database has no tables")
    }
    let statements = PostgresSchema.versionTable + migrations.flatMap(\.statements)
    _ = try await transaction.run(statements.map { Statement(literal: $0) })
    try await transaction.run(
      "UPDATE sealring_schema SET version = ?, oldest = ? WHERE id = 1", [migrations.count, last.oldest])
  }

  @available(macOS 14, iOS 17, *)
  private func fill(_ transaction: PostgresTransaction, from backup: BackupReader) async throws {
    let tables = Dictionary(
      uniqueKeysWithValues: try await StoredTable.all(in: transaction).map { ($0.name, $0) })
    var mapping: RowMapping?
    var current: String?
    var waiting: [Statement] = []
    // Last, because what was sealed under a key that was retired is refused from then on.
    var keys: [Statement] = []
    while let item = try backup.next() {
      switch item {
      case .origin: break
      case .table(let table):
        current = table.name
        mapping = try RowMapping.make(table, to: tables[table.name])
        // Migrations add some rows, which the backup has, too.
        if mapping != nil { waiting.append(Statement(literal: "DELETE FROM \(table.name)")) }
      case .row(let row):
        guard let mapping else { continue }
        let insertion = Statement(mapping.insertion, StatementValues(try mapping.row(row)))
        if current == "server_keys" { keys.append(insertion) } else { waiting.append(insertion) }
        guard waiting.count >= Self.rowsAtOnce else { continue }
        _ = try await transaction.run(waiting)
        waiting = []
      }
    }
    _ = try await transaction.run(waiting + keys)
  }

  private func verify(_ transaction: PostgresTransaction, key: ServerKey) async throws -> RestoredLedger? {
    let secrets = try await transaction.all(
      "server_secrets", "SELECT name, sealed FROM server_secrets", []
    ) { (name: try $0.text("name"), sealed: try $0.bytes("sealed")) }
    for (name, sealed) in secrets { _ = try key.open(sealed, named: name, in: "server_secrets") }
    guard let ledger = try await transaction.ledger(key: key) else { return nil }
    let chain = try await PostgresSnapshot(transaction: transaction).verify(ledger)
    return RestoredLedger(
      fingerprint: ledger.header.fingerprint.text, entries: chain.count, head: chain.head.text)
  }
}
