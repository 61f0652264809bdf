/// A kind of database, as backups and their readers name it.
package enum StoreKind: String, Sendable, CaseIterable { case sqlite, postgres }

/// A part of a store's content, in the order in which it is read and loaded.
package enum BackupItem: Sendable, Hashable {
  /// The first item: the kind of the database, and the number of its migrations.
  case origin(StoreKind, schema: Int, key: String? = nil)
  case table(StoredTable)
  /// A row of the table before it.
  case row([StoredValue])
}

/// A database of a server, read for a backup. The servers may keep running meanwhile.
package protocol BackupSource: Sendable {
  /// Hands out everything that the database holds at one moment, with only a few rows in memory.
  ///
  /// - Throws: ``StoreError``, and what `visit` throws.
  func read(_ visit: (BackupItem) throws -> Void) async throws
}

/// An empty database that is filled from a backup.
package protocol BackupTarget: Sendable {
  /// Loads everything, or nothing: the backup is verified to its end, and so is the ledger, before this returns.
  ///
  /// - Parameter file: called with the name and the parts of each file in the backup.
  /// - Throws: ``StoreError``; `BackupFault`; what `file` throws.
  @available(macOS 14, iOS 17, *)
  func load(
    _ backup: BackupReader, file: (String, [UInt8]) throws -> Void
  ) async throws -> RestoredLedger?
}
