package import Foundation
internal import JourneyEngine
package import JourneyStore
internal import JourneyStorePostgres
internal import Operations
internal import ServerHTTP

/// Opens the store that a configuration names.
package enum StoreOpening {
  package static func open(
    _ configuration: ServerConfiguration
  ) async throws -> any ServerStore {
    let (quotas, logger) = (configuration.limits.stored, configuration.logger)
    let keys = try configuration.serverKeys.map(ServerKeyPlaces.source)
    let place = try place(configuration)
    if configuration.ledgerLanes > 1 {
      guard case .postgres = place else {
        throw ServerSetupError("--ledger-lanes is for PostgreSQL: SQLite has one writer.")
      }
    }
    switch place {
    case .memory: return try SQLiteStore.inMemory(quotas: quotas, logger: logger)
    case .directory(let directory):
      return try SQLiteStore(
        directory: directory, keys: keys, quotas: quotas, logger: logger,
        randomBytes: configuration.randomBytes)
    case .postgres(let address, let directory):
      return try await PostgresStore.open(
        address, directory: directory, keys: keys,
        limits: PostgresLimits(migration: configuration.migrationTimeout), quotas: quotas,
        lanes: configuration.ledgerLanes, logger: logger, randomBytes: configuration.randomBytes)
    }
  }

  package enum Place: Equatable {
    case memory
    case directory(URL)
    /// The address for libpq, and the folder of `server.key`.
    case postgres(String, URL)

    /// Where files are kept; `nil` when nothing is.
    package var folder: URL? {
      switch self {
      case .memory: nil
      case .directory(let directory), .postgres(_, let directory): directory
      }
    }

    /// Opens the ledger to read it whole, beside the server that writes; `nil` when it is in memory only.
    ///
    /// - Parameter store: the server's, at this place.
    func ledgerArchive(of store: any ServerStore) -> (@Sendable () async throws -> any LedgerArchive)? {
      switch self {
      case .memory: return nil
      case .directory(let directory): return { try EvidenceArchive(directory: directory) }
      case .postgres:
        guard let ledger = store as? any LedgerArchive else { return nil }
        return { ledger }
      }
    }
  }

  /// - Throws: ``ServerSetupError`` for a database address that is not supported.
  package static func place(_ configuration: ServerConfiguration) throws -> Place {
    guard let database = configuration.database else {
      return configuration.dataDirectory.map(Place.directory) ?? .memory
    }
    switch DatabaseAddress(database) {
    case .memory: return .memory
    case .folder(let folder): return .directory(folder)
    case .postgres(let address):
      guard let directory = configuration.dataDirectory else {
        throw ServerSetupError("A server on PostgreSQL needs a data folder for server.key.")
      }
      return .postgres(address, directory)
    case nil:
      throw ServerSetupError(
        database.lowercased().hasPrefix("sqlite:")
          ? "sqlite: needs the path of a directory after it."
          : "The database must be sqlite:DIRECTORY, sqlite::memory: or postgres://USER@HOST/DATABASE.")
    }
  }
}

/// The engine's ledger of answered steps, kept in the store.
struct StoredStepLedger: StepLedger {
  let store: any ServerStore

  func consume(_ key: [UInt8], until expiry: Date) async throws -> Bool {
    try await store.consume(key, until: expiry)
  }

  func prolong(_ key: [UInt8], until expiry: Date) async throws {
    try await store.prolong(key, until: expiry)
  }

  func expiry(of key: [UInt8]) async throws -> Date? { try await store.expiry(of: key) }
}
