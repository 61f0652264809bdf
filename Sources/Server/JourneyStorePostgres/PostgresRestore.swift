internal import BackupFormats
internal import Concurrency
internal import EvidenceLedger
internal import Foundation
package import JourneyStore
internal import Logging

/// An empty PostgreSQL database that is filled from a backup, in one transaction.
package struct PostgresRestore: BackupTarget {
  private let address: String

  /// Whether this is only a trial, of which nothing stays.
  private let isTrial: Bool

  package init(_ address: String, isTrial: Bool = false) { (self.address, self.isTrial) = (address, isTrial) }

  private static let logger = Logger(label: "sealring.restore")

  /// Tables may be brought up to date for this long. Seconds.
  private static let patience: TimeInterval = 3600

  @available(macOS 14, iOS 17, *)
  package func load(
    _ backup: BackupReader, file: (String, [UInt8]) throws -> Void
  ) async throws -> RestoredLedger? {
    let place = PostgresPool.place(address)
    do {
      try backup.head.require(.postgres, schema: PostgresSchema.version)
      let transaction = try await PostgresTransaction.connect(address)
      defer { transaction.connection.end() }
      try await PostgresOpening.checkServer(transaction, place: place, Self.logger)
      try await prepare(transaction, for: backup.head, place: place)
      try await transaction.fill(from: backup, file: file)
      // Carries out the migrations of versions later than the backup's, and checks that all tables are there.
      let opening = PostgresOpening(
        pool: try PostgresPool(address, PostgresLimits()), patience: Self.patience, logger: Self.logger)
      try await opening.prepare(transaction)
      // Servers that do not know lanes must stay away from a ledger that has some.
      try await transaction.run(
        "UPDATE sealring_schema SET oldest = greatest(oldest, 2) WHERE EXISTS (SELECT 1 FROM evidence_lanes)")
      let ledger = try await transaction.verifiedLedger(backup.key)
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
    if let name = try await transaction.tables(PostgresSchema.tableNames + ["sealring_schema"]).first {
      throw StoreError.conflict(
        "\(place) has a table \(name); a backup is restored into an empty database only")
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
}
