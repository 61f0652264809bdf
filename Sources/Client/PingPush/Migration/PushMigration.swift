internal import Concurrency
internal import Foundation
@_exported public import LegacyMigration
public import PingLogger

/// Migrates the push accounts of the earlier SDK's authenticator, so that users need not enrol again.
///
/// A client with the default storage migrates when it is created (``PushConfiguration/legacyAccounts``). A legacy entry is deleted only
/// after its copy has been read back; entries that cannot be used are left alone. Running it twice adds nothing, and no stored
/// credential is replaced. Runs never overlap within a process. Notifications are not migrated: they expire within minutes.
///
/// The server still has the earlier device token: set the token as on every start, and the client sends it to the server.
public enum PushMigration {
  /// Migrates every legacy push account that is not migrated yet.
  ///
  /// - Parameters:
  ///   - source: Where the earlier SDK keeps its accounts; `nil` is this platform's usual place.
  ///   - storage: The target; `nil` is the default. It must not report data as saved that it only holds in memory.
  ///   - logger: Receives the progress, without names and secrets.
  /// - Throws: `LegacyMigrationError`
  public static func migrate(
    from source: LegacyAuthenticator? = nil, to storage: (any PushStorage)? = nil,
    logger: (any Logger)? = nil
  ) async throws {
    let storage = storage ?? PushKeychainStorage(logger: logger)
    let log = log(logger)
    try await turn.withLock {
      try await (source ?? LegacyAuthenticator()).migrate(.push, log: log) {
        PushMigrationTarget(storage: storage, accounts: $0, now: { Date() })
      }
    }
  }

  /// Migrates before a client uses `storage`. Failures are only logged.
  static func beforeUse(
    of storage: any PushStorage, from source: LegacyAuthenticator, logger: any Logger
  ) async {
    await turn.withLock {
      await source.migrateIfNeeded(.push, log: log(logger)) {
        PushMigrationTarget(storage: storage, accounts: $0, now: { Date() })
      }
    }
  }

  private static let turn = AsyncMutex()

  private static func log(_ logger: (any Logger)?) -> MigrationLog {
    MigrationLog { logger ?? LogManager.logger }
  }
}
