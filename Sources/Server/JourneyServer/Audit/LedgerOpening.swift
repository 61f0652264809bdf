package import Foundation
package import JourneyStore
internal import JourneyStorePostgres

/// Opens the ledger of a server from outside of it, while the server runs or after.
package enum LedgerOpening {
  /// Runs `body` with the store that the ledger is in.
  package static func withStore<Result>(
    _ database: String?, directory: URL, keys: [String] = [],
    _ body: (any EvidenceStore) async throws -> Result
  ) async throws -> Result {
    var configuration = ServerConfiguration()
    configuration.database = database
    configuration.dataDirectory = directory
    configuration.serverKeys = keys
    let store = try await StoreOpening.open(configuration)
    do {
      let result = try await body(store)
      try await store.close()
      return result
    } catch {
      try? await store.close()
      throw error
    }
  }

  /// - Parameters:
  ///   - database: as ``ServerConfiguration/database``.
  ///   - directory: the server's data folder, which holds `server.key` unless `keys` names other places.
  ///   - keys: as ``ServerConfiguration/serverKeys``.
  /// - Throws: ``StoreError`` or ``ServerSetupError``, saying what is wrong.
  package static func archive(
    _ database: String?, directory: URL, keys: [String] = []
  ) async throws -> any LedgerArchive {
    var configuration = ServerConfiguration()
    configuration.database = database
    configuration.dataDirectory = directory
    configuration.serverKeys = keys
    switch try StoreOpening.place(configuration) {
    case .memory: throw ServerSetupError("A ledger in memory is gone when its server is.")
    case .directory(let directory):
      return try EvidenceArchive(directory: directory, keys: keys.map(ServerKeyPlaces.source))
    case .postgres(let address, let directory):
      return try await PostgresStore.open(
        address, directory: directory, keys: keys.map(ServerKeyPlaces.source))
    }
  }
}
