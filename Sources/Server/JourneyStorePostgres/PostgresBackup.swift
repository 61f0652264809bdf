package import Foundation
package import JourneyStore

/// The database of several servers, read for a backup: all in one transaction, which sees one moment while servers keep writing. A replica
/// can be read, too.
package struct PostgresBackup: BackupSource {
  private let address: String
  private let directory: URL

  /// - Parameter directory: the folder of `server.key`.
  package init(_ address: String, directory: URL) { (self.address, self.directory) = (address, directory) }

  package func read(_ visit: (BackupItem) throws -> Void) async throws {
    try await PostgresTransaction.read(address) { transaction in
      let version = try await transaction.schemaVersion()
      guard version <= PostgresSchema.version else {
        throw StoreError.unavailable(
          "the database was changed by a newer version of this server; back it up with that version")
      }
      try await transaction.backUp(version: version, keyIn: directory, visit)
    }
  }
}
