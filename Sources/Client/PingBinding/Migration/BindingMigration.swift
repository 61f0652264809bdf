internal import Concurrency
internal import Foundation
public import PingLogger

/// Takes over the keys that the earlier SDK has bound on this device, so that nobody has to bind again.
///
/// It runs by itself when callbacks are registered, and before each bind and sign; ``configureAutomatic(accessGroup:cleanupLegacyData:storageConfig:legacyStore:)``
/// says from where to where. What is migrated are descriptions: whose key it is, its id and its tag. The private keys stay
/// where they are. Nothing legacy is deleted before its copy has been read back, and entries that cannot be understood are
/// left alone. Runs never overlap; concurrent callers wait for the same one.
public class BindingMigration {
  private init() {}

  /// Migrates every legacy key that is not migrated yet.
  ///
  /// - Parameters:
  ///   - accessGroup: The Keychain access group that the earlier SDK was configured with.
  ///   - logger: Receives the progress; `nil` is the module's.
  ///   - cleanupLegacyData: Whether to delete the entries that have been copied.
  ///   - storageConfig: Where to; `nil` is the default. Its storage must not report as saved what it only holds in memory.
  ///   - legacyStore: Where from; `nil` is this platform's. `accessGroup` is then of no use.
  /// - Throws: ``MigrationError``
  public static func migrate(
    accessGroup: String? = nil, logger: (any Logger)? = nil, cleanupLegacyData: Bool = true,
    storageConfig: UserKeyStorageConfig? = nil, legacyStore: (any LegacyStore)? = nil
  ) async throws {
    let source = Source(
      accessGroup: accessGroup, cleanup: cleanupLegacyData, storage: storageConfig, legacy: legacyStore)
    try await shared(source, log: MigrationLog(logger: logger)).get()
  }

  /// Whether there are legacy entries that have not been migrated.
  ///
  /// A legacy storage that cannot be read counts as needing it: ``migrate(accessGroup:logger:cleanupLegacyData:storageConfig:legacyStore:)``
  /// says what is wrong with it.
  public static func isMigrationNeeded(
    accessGroup: String? = nil, logger: (any Logger)? = nil, legacyStore: (any LegacyStore)? = nil
  ) async -> Bool {
    let log = MigrationLog(logger: logger)
    let source = Source(accessGroup: accessGroup, cleanup: true, storage: nil, legacy: legacyStore)
    do { return try await source.run(log: log).isNeeded() } catch {
      log.w("It is not known whether there are legacy keys", error)
      return true
    }
  }

  /// Does what ``migrate(accessGroup:logger:cleanupLegacyData:storageConfig:legacyStore:)`` does, and logs errors instead of
  /// throwing them.
  ///
  /// - Returns: Whether legacy keys were migrated now; also when only their cleanup failed.
  public static func migrateIfNeeded(
    accessGroup: String? = nil, logger: (any Logger)? = nil, cleanupLegacyData: Bool = true,
    storageConfig: UserKeyStorageConfig? = nil, legacyStore: (any LegacyStore)? = nil
  ) async -> Bool {
    await ifNeeded(
      Source(
        accessGroup: accessGroup, cleanup: cleanupLegacyData, storage: storageConfig, legacy: legacyStore),
      log: MigrationLog(logger: logger))
  }

  /// Forgets which keys have been migrated, so that tests can migrate them again. Do not call it in an app: keys that the
  /// person has removed since may come back.
  public static func resetMigrationState(
    accessGroup: String? = nil, legacyStore: (any LegacyStore)? = nil
  ) async {
    let source = Source(accessGroup: accessGroup, cleanup: true, storage: nil, legacy: legacyStore)
    do {
      try await turn.withLock {
        let legacy = source.store
        if try await !legacy.migrated().isEmpty { try await legacy.noteMigrated([]) }
      }
    } catch {
      MigrationLog(logger: nil).w("The migration state was not reset", error)
    }
  }

  // MARK: Automatic runs

  /// Says from where to where the runs go that start by themselves. Call it before the first journey is created.
  ///
  /// - Parameters: as of ``migrate(accessGroup:logger:cleanupLegacyData:storageConfig:legacyStore:)``. Without a
  ///   `storageConfig`, a bind or sign migrates to the storage that it is configured with itself.
  public static func configureAutomatic(
    accessGroup: String? = nil, cleanupLegacyData: Bool = true, storageConfig: UserKeyStorageConfig? = nil,
    legacyStore: (any LegacyStore)? = nil
  ) {
    let source = Source(
      accessGroup: accessGroup, cleanup: cleanupLegacyData, storage: storageConfig, legacy: legacyStore)
    automatic.withLock { $0 = source }
  }

  /// Migrates in the background, as callbacks are registered.
  static func startAutomatic() {
    let source = automatic.withLock { $0 }
    Task.detached { _ = await ifNeeded(source, log: MigrationLog(logger: nil)) }
  }

  /// Migrates before a bind or sign uses `storage`: to there, unless the app has named another one. Never fails: what cannot be migrated is logged.
  package static func beforeUse(of storage: UserKeyStorageConfig, logger: any Logger) async {
    var source = automatic.withLock { $0 }
    source.storage = source.storage ?? storage
    _ = await ifNeeded(source, log: MigrationLog(logger: logger))
  }

  // MARK: Runs

  /// From where to where.
  private struct Source: Sendable {
    var accessGroup: String?
    var cleanup = true
    var storage: UserKeyStorageConfig?
    var legacy: (any LegacyStore)?

    var store: any LegacyStore { legacy ?? LegacyService.store(accessGroup: accessGroup) }

    /// What two callers have in common when they wait for the same run.
    struct Key: Hashable, Sendable {
      let store: String
      let target: ObjectIdentifier?
      let cleanup: Bool
    }

    var key: Key { Key(store: store.name, target: storage.map(ObjectIdentifier.init), cleanup: cleanup) }

    func run(log: MigrationLog) -> MigrationRun {
      MigrationRun(
        legacy: store, storage: UserKeysStorage(config: storage ?? UserKeyStorageConfig()), cleanup: cleanup,
        log: log, now: { Date() })
    }
  }

  private static let automatic = Locked(Source())
  private static let running = Locked<[Source.Key: Task<Result<Void, MigrationError>, Never>]>([:])
  /// Runs of different callers follow each other.
  private static let turn = AsyncMutex()

  private static func shared(_ source: Source, log: MigrationLog) async -> Result<Void, MigrationError> {
    let key = source.key
    let task = running.withLock { running in
      if let task = running[key] { return task }
      let task = Task {
        let result = await turn.withLock { () async -> Result<Void, MigrationError> in
          do throws(MigrationError) { return .success(try await source.run(log: log).run()) } catch {
            return .failure(error)
          }
        }
        Self.running.withLock { $0[key] = nil }
        return result
      }
      running[key] = task
      return task
    }
    return await task.value
  }

  private static func ifNeeded(_ source: Source, log: MigrationLog) async -> Bool {
    do {
      try await shared(source, log: log).get()
      return true
    } catch {
      switch error {
      case .noLegacyDataFound, .alreadyMigrated:
        return false
      case .failedToDeleteLegacyData:
        log.w("The legacy keys are migrated, and their old entries are still there", error)
        return true
      case .failedToReadLegacyKeys, .failedToSaveKeys, .invalidLegacyData:
        log.w("The legacy keys are not migrated", error)
        return false
      }
    }
  }
}
