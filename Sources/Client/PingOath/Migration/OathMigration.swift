internal import Concurrency
internal import Foundation
@_exported public import LegacyMigration
public import PingLogger

/// Migrates the one-time codes of the earlier SDK's authenticator, so that users need not enrol again.
///
/// A client with the default storage migrates when it is created (``OathConfiguration/legacyAccounts``). A legacy entry is deleted only
/// after its copy has been read back; entries that cannot be used are left alone. Running it twice adds nothing, and no stored
/// credential is replaced. Runs never overlap within a process.
public enum OathMigration {
  /// Migrates every legacy one-time code that is not migrated yet.
  ///
  /// - Parameters:
  ///   - source: Where the earlier SDK keeps its accounts; `nil` is this platform's usual place.
  ///   - storage: The target; `nil` is the default. It must not report data as saved that it only holds in memory.
  ///   - logger: Receives the progress, without names and secrets.
  /// - Throws: `LegacyMigrationError`
  public static func migrate(
    from source: LegacyAuthenticator? = nil, to storage: (any OathStorage)? = nil,
    logger: (any Logger)? = nil
  ) async throws {
    let storage = storage ?? OathKeychainStorage(logger: logger)
    let log = log(logger)
    try await turn.withLock {
      try await (source ?? LegacyAuthenticator()).migrate(.oath, log: log) { target(storage, $0) }
    }
  }

  /// Migrates before a client uses `storage`. Failures are only logged.
  static func beforeUse(
    of storage: any OathStorage, from source: LegacyAuthenticator, logger: any Logger
  ) async {
    await turn.withLock {
      await source.migrateIfNeeded(.oath, log: log(logger)) { target(storage, $0) }
    }
  }

  private static let turn = AsyncMutex()

  private static func log(_ logger: (any Logger)?) -> MigrationLog {
    MigrationLog { logger ?? LogManager.logger }
  }

  private static func target(_ storage: any OathStorage, _ accounts: LegacyAccounts) -> OathMigrationTarget {
    OathMigrationTarget(
      storage: storage as? any OathTransactionalStorage ?? LockedOathStorage(storage), accounts: accounts,
      now: { Date() })
  }
}
