/// A kind of database, as backups and their readers name it.
package enum StoreKind: String, Sendable, CaseIterable { case sqlite, postgres }

/// What a store's content is made of, in the order in which it is read and loaded.
package enum BackupItem: Sendable, Hashable {
  /// First: which database it is of, and how many of its migrations that has.
  case origin(StoreKind, schema: Int, key: String? = nil)
  case table(StoredTable)
  /// Of the table before it.
  case row([StoredValue])
}

/// A database of a server, read for a backup. The servers may go on meanwhile.
package protocol BackupSource: Sendable {
  /// Hands out everything that the database holds at one moment, in memory for a few rows.
  ///
  /// - Throws: ``StoreError``, and what `visit` throws.
  func read(_ visit: (BackupItem) throws -> Void) async throws
}

/// An empty database that takes what a backup holds.
package protocol BackupTarget: Sendable {
  /// Loads everything, or nothing: the backup is verified to its end, and so is the ledger, before this returns.
  ///
  /// - Parameter file: gets the parts of the files in the backup.
  /// - Throws: ``StoreError``; `BackupFault`; what `file` throws.
  @available(macOS 14, iOS 17, *)
  func load(
    _ backup: BackupReader, file: (String, [UInt8]) throws -> Void
  ) async throws -> RestoredLedger?
}
