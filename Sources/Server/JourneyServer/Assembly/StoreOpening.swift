internal import Foundation
internal import JourneyEngine
internal import JourneyStore

/// Opens the store that a configuration names.
enum StoreOpening {
  static func open(_ configuration: ServerConfiguration) throws -> any ServerStore {
    switch try place(configuration) {
    case .memory:
      return try SQLiteStore.inMemory(quotas: configuration.limits.stored, logger: configuration.logger)
    case .directory(let directory):
      return try SQLiteStore(
        directory: directory, quotas: configuration.limits.stored, logger: configuration.logger,
        randomBytes: configuration.randomBytes)
    }
  }

  enum Place: Equatable {
    case memory
    case directory(URL)

    /// `nil` for the memory.
    var folder: URL? { if case .directory(let folder) = self { folder } else { nil } }
  }

  /// - Throws: ``ServerSetupError`` for a database URL that this build does not support.
  static func place(_ configuration: ServerConfiguration) throws -> Place {
    guard let database = configuration.database else {
      return configuration.dataDirectory.map(Place.directory) ?? .memory
    }
    let scheme = database.prefix { $0 != ":" }.lowercased()
    guard scheme == "sqlite", database.contains(":") else {
      if scheme.hasPrefix("postgres") {
        throw ServerSetupError(
          "The PostgreSQL store is a separate product that this build does not contain. Use sqlite:DIRECTORY."
        )
      }
      throw ServerSetupError("The database must be sqlite:DIRECTORY or sqlite::memory:.")
    }
    var path = String(database.dropFirst("sqlite:".count))
    if path == ":memory:" { return .memory }
    if path.hasPrefix("//") { path.removeFirst(2) }
    guard !path.isEmpty else { throw ServerSetupError("sqlite: needs the path of a directory after it.") }
    let url = URL(fileURLWithPath: path)
    return .directory(url.lastPathComponent == "sealring.sqlite" ? url.deletingLastPathComponent() : url)
  }
}

/// The engine's ledger of answered steps, kept in the store.
struct StoredStepLedger: StepLedger {
  let store: any OnceStore

  func consume(_ key: [UInt8], until expiry: Date) async throws -> Bool {
    try await store.consume(key, until: expiry)
  }
}
