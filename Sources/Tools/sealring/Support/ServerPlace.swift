import ArgumentParser
import Foundation
import JourneyStore
import JourneyStorePostgres

/// The place of a server's data for commands that work without the server: its data folder and, with several servers, their PostgreSQL.
struct ServerPlace: Sendable {
  /// The folder with `server.key` and, without PostgreSQL, the SQLite database.
  let directory: URL

  /// The connection string for libpq; `nil` for SQLite in the folder.
  let address: String?

  /// Takes the place from the options, or from the settings of `serve` if neither is given.
  ///
  /// - Throws: `ValidationError` for an invalid address.
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

  /// Opens the ledger for reading.
  ///
  /// - Throws: `CommandFailure` when there is no database; `StoreError` when it cannot be read.
  func ledger() async throws -> any LedgerArchive {
    if let address {
      return try await PostgresStore.openForReading(address, directory: directory, keys: Self.keys())
    }
    _ = try databaseFile()
    return try EvidenceArchive(directory: directory, keys: Self.keys())
  }

  /// Opens all data for a backup.
  func backup() throws -> any BackupSource {
    if let address { return PostgresBackup(address, directory: directory) }
    _ = try databaseFile()
    return SQLiteBackup(directory: directory)
  }
}
