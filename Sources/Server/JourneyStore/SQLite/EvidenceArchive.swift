public import EvidenceLedger
public import Foundation
internal import GRDB

/// Read-only access to the ledger of a server's data folder, whether the server runs or not.
public final class EvidenceArchive: LedgerArchive {
  private let database: SQLiteWhole
  private let serverKey: ServerKey
  private let ledger: SealedLedger
  private let place: String

  /// Opens `sealring.sqlite` and `server.key` of the folder. Neither is changed or created.
  ///
  /// - Throws: ``StoreError``, saying what is missing.
  public convenience init(directory: URL) throws { try self.init(directory: directory, keys: []) }

  /// Opens the ledger with the server key from `keys`, or from the folder when `keys` is empty.
  package init(directory: URL, keys: [any ServerKeySource]) throws {
    let files = StoreDirectory(directory)
    place = files.path(of: "sealring.sqlite")
    (database, serverKey) = try StoreError.translated(place) {
      try SQLiteWhole.existing(in: directory, keys: keys)
    }
    let known = try StoreError.translated(place) { [database, serverKey] in
      try database.queue.read { db in
        try db.takeKeys(into: serverKey)
        return try db.inspectedLedger(serverKey, LedgerMark(folder: files))
      }
    }
    guard let ledger = known else {
      throw StoreError.unavailable("\(place) has no ledger yet; start a server of this version on it once")
    }
    self.ledger = ledger
  }

  public var header: EvidenceHeader { ledger.header }

  public func read<Value>(_ question: SQLQuestion<Value>) async throws -> Value {
    try await StoreError.translated(place) { try await database.ask(question) }
  }

  /// Walks in one transaction, on a connection of its own, which sees one moment of the database however long it takes.
  public func walk(
    after frontier: LedgerFrontier?, at date: Date, _ visit: ([UInt8]) throws -> Void
  ) async throws -> (chain: EvidenceChain, signed: EvidenceCheckpoint) {
    try await StoreError.translated(place) {
      let database = try SQLiteWhole(reading: place)
      return try await database.transaction {
        let removed = try await database.removedEntries(of: ledger)
        let chain = try await database.walk(
          ledger, removed: removed, after: frontier?.chain(removed: removed), visit)
        return (chain, try await database.checkpoint(of: chain, at: date, serverKey))
      }
    }
  }
}
