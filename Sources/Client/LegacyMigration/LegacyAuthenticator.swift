public import PrivateFiles

/// The storage of the earlier SDK's authenticator (FRAuthenticator 4): an entry for each account, and one for each of its mechanisms.
///
/// Accounts are only read. The entry of a mechanism, which has the secret, is deleted once its copy has been read back, unless
/// ``cleanupLegacyData`` is off.
public struct LegacyAuthenticator: Sendable {
  /// The kinds of mechanisms, which different modules migrate.
  package enum Kind: String, Sendable {
    case oath, push
  }

  /// Whether to delete the entries of mechanisms that have been copied.
  public var cleanupLegacyData: Bool

  let accounts: any LegacyStore
  private let oath: any LegacyStore
  private let push: any LegacyStore

  /// This platform's storage: the Keychain on Apple platforms, folders of the client's home elsewhere.
  ///
  /// - Parameter accessGroup: The Keychain access group that the earlier SDK was configured with.
  public init(accessGroup: String? = nil, cleanupLegacyData: Bool = true) {
    func store(_ service: String, _ kind: Kind? = nil) -> any LegacyStore {
      LegacyService.store(of: service, accessGroup: accessGroup, record: Self.record(kind))
    }
    self.init(
      accounts: store(LegacyService.authenticatorAccounts),
      oath: store(LegacyService.authenticatorMechanisms, .oath),
      push: store(LegacyService.authenticatorMechanisms, .push), cleanupLegacyData: cleanupLegacyData)
  }

  /// The folders of `home`, for tests and for several identities in one process.
  public init(home: ClientHome, accessGroup: String? = nil, cleanupLegacyData: Bool = true) {
    func store(_ service: String, _ kind: Kind? = nil) -> any LegacyStore {
      FileLegacyStore(service: service, accessGroup: accessGroup, home: home, record: Self.record(kind))
    }
    self.init(
      accounts: store(LegacyService.authenticatorAccounts),
      oath: store(LegacyService.authenticatorMechanisms, .oath),
      push: store(LegacyService.authenticatorMechanisms, .push), cleanupLegacyData: cleanupLegacyData)
  }

  /// Storage in stores of the app's own, each entry a JSON object.
  ///
  /// - Parameters:
  ///   - accounts: The accounts.
  ///   - oath: The mechanisms. Mechanisms of other kinds are left alone.
  ///   - push: The mechanisms, with a record of its own of the migrated ids.
  public init(
    accounts: any LegacyStore, oath: any LegacyStore, push: any LegacyStore, cleanupLegacyData: Bool = true
  ) {
    self.accounts = accounts
    self.oath = oath
    self.push = push
    self.cleanupLegacyData = cleanupLegacyData
  }

  private static func record(_ kind: Kind?) -> String { kind.map { "migrated-\($0.rawValue)" } ?? "migrated" }

  private func mechanisms(_ kind: Kind) -> any LegacyStore {
    switch kind {
    case .oath: oath
    case .push: push
    }
  }

  /// Migrates the mechanisms of `kind` to the target that `target` makes from the accounts.
  package func migrate<Target: MigrationTarget>(
    _ kind: Kind, log: MigrationLog, to target: (LegacyAccounts) -> Target
  ) async throws(LegacyMigrationError) {
    let mechanisms = mechanisms(kind)
    do {
      // Without mechanisms, nothing is read or logged.
      guard try await !mechanisms.entries().isEmpty else { throw LegacyMigrationError.noLegacyDataFound }
    } catch let error as LegacyMigrationError {
      throw error
    } catch {
      throw .failedToReadLegacyData(error)
    }
    let accounts = try await LegacyAccounts(accounts, log: log)
    try await MigrationRun(
      legacy: mechanisms, target: target(accounts), cleanup: cleanupLegacyData, log: log
    ).run()
  }

  /// As ``migrate(_:log:to:)``, but logs errors instead of throwing them. Clients call it when they are created.
  package func migrateIfNeeded<Target: MigrationTarget>(
    _ kind: Kind, log: MigrationLog, to target: (LegacyAccounts) -> Target
  ) async {
    do { try await migrate(kind, log: log, to: target) } catch {
      switch error {
      case .noLegacyDataFound, .alreadyMigrated: return
      case .failedToDeleteLegacyData:
        log.w("The legacy accounts are migrated, but their old entries could not be deleted", error)
      case .failedToReadLegacyData, .failedToSave, .invalidLegacyData:
        log.w("Legacy accounts are not migrated", error)
      }
    }
  }
}
