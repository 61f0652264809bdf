internal import Concurrency
internal import Foundation
@_exported public import LegacyMigration
public import PingLogger

/// Migrates the keys that the earlier SDK has bound on this device, so that users need not bind again.
///
/// It runs automatically when callbacks are registered, and before each bind and sign;
/// ``configureAutomatic(accessGroup:cleanupLegacyData:storageConfig:legacyStore:)`` sets the source and the target. Only descriptions are
/// migrated: the key's user, id and tag. The private keys stay where they are. A legacy entry is deleted only after its copy has been read
/// back, and entries that cannot be read are left alone. Runs never overlap; concurrent callers wait for the same run.
public class BindingMigration {
  private init() {}

  /// Migrates every legacy key that is not migrated yet.
  ///
  /// - Parameters:
  ///   - accessGroup: The Keychain access group that the earlier SDK was configured with.
  ///   - logger: Receives the progress; `nil` is the module's logger.
  ///   - cleanupLegacyData: Whether to delete the entries that have been copied.
  ///   - storageConfig: The target; `nil` is the default. Its storage must not report data as saved that it only holds in memory.
  ///   - legacyStore: The source; `nil` is this platform's. With a store, `accessGroup` is ignored.
  /// - Throws: ``MigrationError``
  public static func migrate(
    accessGroup: String? = nil, logger: (any Logger)? = nil, cleanupLegacyData: Bool = true,
    storageConfig: UserKeyStorageConfig? = nil, legacyStore: (any LegacyStore)? = nil
  ) async throws {
    let source = Source(
      accessGroup: accessGroup, cleanup: cleanupLegacyData, storage: storageConfig, legacy: legacyStore)
    try await shared(source, log: MigrationLog.binding(logger)).get()
  }

  /// Whether there are legacy entries that have not been migrated.
  ///
  /// Also `true` when the legacy storage cannot be read: ``migrate(accessGroup:logger:cleanupLegacyData:storageConfig:legacyStore:)``
  /// throws the reason.
  public static func isMigrationNeeded(
    accessGroup: String? = nil, logger: (any Logger)? = nil, legacyStore: (any LegacyStore)? = nil
  ) async -> Bool {
    let log = MigrationLog.binding(logger)
    let source = Source(accessGroup: accessGroup, cleanup: true, storage: nil, legacy: legacyStore)
    do { return try await source.run(log: log).isNeeded() } catch {
      log.w("Whether there are legacy keys could not be determined", error)
      return true
    }
  }

  /// Calls ``migrate(accessGroup:logger:cleanupLegacyData:storageConfig:legacyStore:)``, and logs errors instead of throwing
  /// them.
  ///
  /// - Returns: Whether legacy keys were migrated by this call; also `true` when only their cleanup failed.
  public static func migrateIfNeeded(
    accessGroup: String? = nil, logger: (any Logger)? = nil, cleanupLegacyData: Bool = true,
    storageConfig: UserKeyStorageConfig? = nil, legacyStore: (any LegacyStore)? = nil
  ) async -> Bool {
    await ifNeeded(
      Source(
        accessGroup: accessGroup, cleanup: cleanupLegacyData, storage: storageConfig, legacy: legacyStore),
      log: MigrationLog.binding(logger))
  }

  /// Forgets which keys have been migrated, so that tests can migrate them again. Do not call it in an app: keys that the
  /// person has since removed may come back.
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
      MigrationLog.binding(nil).w("The migration state was not reset", error)
    }
  }

  // MARK: Automatic runs

  /// Sets the source and the target of automatic runs. Call it before the first journey is created.
  ///
  /// - Parameters: as of ``migrate(accessGroup:logger:cleanupLegacyData:storageConfig:legacyStore:)``. Without a
  ///   `storageConfig`, a bind or sign migrates to its own configured storage.
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
    Task.detached { _ = await ifNeeded(source, log: MigrationLog.binding(nil)) }
  }

  /// Migrates to `storage`, unless the app has set another target, before a bind or sign uses it. Failures are only logged.
  package static func beforeUse(of storage: UserKeyStorageConfig, logger: any Logger) async {
    var source = automatic.withLock { $0 }
    source.storage = source.storage ?? storage
    _ = await ifNeeded(source, log: MigrationLog.binding(logger))
  }

  // MARK: Runs

  /// The source and target of a run.
  private struct Source: Sendable {
    var accessGroup: String?
    var cleanup = true
    var storage: UserKeyStorageConfig?
    var legacy: (any LegacyStore)?

    var store: any LegacyStore {
      legacy ?? LegacyService.store(of: LegacyService.deviceBinding, accessGroup: accessGroup)
    }

    /// Equal for callers that wait for the same run.
    struct Key: Hashable, Sendable {
      let store: String
      let target: ObjectIdentifier?
      let cleanup: Bool
    }

    var key: Key { Key(store: store.name, target: storage.map(ObjectIdentifier.init), cleanup: cleanup) }

    func run(log: MigrationLog) -> MigrationRun<UserKeysTarget> {
      let keys = UserKeysStorage(config: storage ?? UserKeyStorageConfig())
      return MigrationRun(
        legacy: store, target: UserKeysTarget(storage: keys, now: { Date() }), cleanup: cleanup, log: log)
    }
  }

  private static let automatic = Locked(Source())
  private static let running = Locked<[Source.Key: Task<Result<Void, MigrationError>, Never>]>([:])
  /// Makes runs wait for one another.
  private static let turn = AsyncMutex()

  private static func shared(_ source: Source, log: MigrationLog) async -> Result<Void, MigrationError> {
    let key = source.key
    let task = running.withLock { running in
      if let task = running[key] { return task }
      let task = Task {
        let result = await turn.withLock { () async -> Result<Void, MigrationError> in
          do throws(LegacyMigrationError) { return .success(try await source.run(log: log).run()) } catch {
            return .failure(MigrationError(error))
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
      case .noLegacyDataFound, .alreadyMigrated: return false
      case .failedToDeleteLegacyData:
        log.w("The legacy keys are migrated, but their old entries could not be deleted", error)
        return true
      case .failedToReadLegacyKeys, .failedToSaveKeys, .invalidLegacyData:
        log.w("The legacy keys are not migrated", error)
        return false
      }
    }
  }
}

extension MigrationLog {
  /// Logs to `logger`; `nil` is the module's.
  fileprivate static func binding(_ logger: (any Logger)?) -> MigrationLog {
    MigrationLog { logger ?? BindingModule.logger(for: nil) }
  }
}
