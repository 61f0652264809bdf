internal import EvidenceLedger
internal import Foundation
internal import GRDB

/// The ledger of a database that is being opened, or only read.
extension Database {
  /// The ledger of a database that is only read; `nil` for a new database, and for one from before there was a ledger.
  ///
  /// - Throws: ``StoreError/corrupt(_:)`` when it was removed or exchanged.
  func inspectedLedger(_ serverKey: ServerKey, _ mark: LedgerMark) throws -> SealedLedger? {
    let applied = try StoreSchema.migrator.appliedMigrations(self).count
    guard applied >= StoreSchema.countBeforeLedger else { return nil }
    let ledger = try tableExists("evidence_ledger") ? ask(EvidenceSQL.ledger(serverKey)) : nil
    try mark.check(ledger?.fingerprint, serverKey)
    if ledger == nil, applied == StoreSchema.migrator.migrations.count, try ask(LedgerMark.hasContent) {
      throw LedgerMark.isMissing
    }
    return ledger
  }

  // MARK: Keys

  /// Tells the key which of its keys the database uses.
  ///
  /// - Throws: ``StoreError/corrupt(_:)`` when the key in use is missing.
  func takeKeys(into key: ServerKey) throws {
    // A database that a server of this version has not opened yet has no such table.
    guard try tableExists("server_keys") else { return }
    let instant = ContinuousClock.now
    try key.take(ask(ServerKeySQL.entries), askedAt: instant)
    try key.requireCurrent()
  }
}
