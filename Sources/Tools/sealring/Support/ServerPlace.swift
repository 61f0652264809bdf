import ArgumentParser
import Foundation
import JourneyStore
import JourneyStorePostgres

/// Where a server keeps what commands work on without it: its data folder and, with several servers, their PostgreSQL.
struct ServerPlace: Sendable {
  /// The folder of `server.key` and, without a database beside it, of SQLite's.
  let directory: URL

  /// What libpq takes; `nil` for SQLite in the folder.
  let address: String?

  /// What the options say; the settings of `serve` where neither is given.
  ///
  /// - Throws: `ValidationError` for an address that no server has.
  init(data: String?, database: String?) throws {
    let database = database ?? (data == nil ? CurrentSettings.givenText("serve.database") : nil)
    let directory = data.map { URL(filePath: $0) } ?? CurrentSettings.serverFolder
    switch database.map(DatabaseAddress.init) {
    case nil: (self.directory, address) = (directory, nil)
    case .postgres(let address): (self.directory, self.address) = (directory, address)
    case .folder(let folder): (self.directory, address) = (folder, nil)
    case .memory, .some(nil):
      throw ValidationError("--database is postgres://USER@HOST/DATABASE, or sqlite:DIRECTORY.")
    }
  }

  /// The ledger, to be read only.
  ///
  /// - Throws: `CommandFailure` when there is no database; `StoreError` when it cannot be read.
  func ledger() async throws -> any LedgerArchive {
    if let address {
      return try await PostgresStore.openForReading(address, directory: directory, keys: LocalStore.keys())
    }
    _ = try LocalStore(self).databaseFile()
    return try EvidenceArchive(directory: directory, keys: LocalStore.keys())
  }

  /// Everything, to be read for a backup.
  func backup() throws -> any BackupSource {
    if let address { return PostgresBackup(address, directory: directory) }
    _ = try LocalStore(self).databaseFile()
    return SQLiteBackup(directory: directory)
  }
}
