#if !canImport(Security)
  internal import Foundation
  @_exported public import KeychainNames
  public import PingLogger
  public import PingStorage
  internal import SealedRecords

  /// Keeps credentials, notifications and the device token: in the keychain on Apple platforms, elsewhere in an encrypted
  /// SQLite file in the folder `push` of the ``ClientHome``.
  ///
  /// Every record is sealed with AES-256-GCM under a key of the home (file mode 0600, beside the keys of other stored data),
  /// and what is searched for is indexed by a keyed hash. Identifiers and times are readable. Several processes may use
  /// one file; a change is durable when the call returns. The file is opened at the first call.
  public final class PushKeychainStorage: Sendable {
    let database: SealedDatabase<PushStorageError>
    let services: Services
    let logger: any Logger
    let now: @Sendable () -> Date

    struct Services: Sendable {
      var credentials: String
      var notifications: String
      var tokens: String
    }

    /// A storage in the user's home.
    ///
    /// - Parameters:
    ///   - credentialService: Keeps the credentials of several apps of one user apart; so for the next two.
    ///   - accessGroup: A file of its own for those that share it.
    ///   - accessibility: Of no effect here.
    public convenience init(
      credentialService: String = "com.pingidentity.push.credentials",
      notificationService: String = "com.pingidentity.push.notifications",
      tokenService: String = "com.pingidentity.push.tokens", logger: (any Logger)? = nil,
      accessGroup: String? = nil,
      accessibility: KeychainAccessibility = kSecAttrAccessibleWhenUnlockedThisDeviceOnly
    ) {
      self.init(
        home: .standard, credentialService: credentialService, notificationService: notificationService,
        tokenService: tokenService, logger: logger, accessGroup: accessGroup)
    }

    /// A storage in a home of its own, for tests and for several identities in one process.
    public convenience init(
      home: ClientHome, credentialService: String = "com.pingidentity.push.credentials",
      notificationService: String = "com.pingidentity.push.notifications",
      tokenService: String = "com.pingidentity.push.tokens", logger: (any Logger)? = nil,
      accessGroup: String? = nil
    ) {
      self.init(
        home: home, credentialService: credentialService, notificationService: notificationService,
        tokenService: tokenService, logger: logger, accessGroup: accessGroup, now: { Date() })
    }

    init(
      home: ClientHome, credentialService: String = "com.pingidentity.push.credentials",
      notificationService: String = "com.pingidentity.push.notifications",
      tokenService: String = "com.pingidentity.push.tokens", logger: (any Logger)? = nil,
      accessGroup: String? = nil, now: @escaping @Sendable () -> Date
    ) {
      services = Services(
        credentials: credentialService, notifications: notificationService, tokens: tokenService)
      self.logger = logger ?? LogManager.logger
      self.now = now
      database = SealedDatabase(
        .init(name: "push", version: 1, tables: Self.tables), home: home, group: accessGroup
      ) { PushStorageError.storageFailure($0, $1) }
    }

    private static let tables = """
      CREATE TABLE push_credentials (
        service TEXT NOT NULL, id TEXT NOT NULL, account BLOB NOT NULL, created INTEGER NOT NULL, box BLOB NOT NULL,
        PRIMARY KEY (service, id)
      ) WITHOUT ROWID;
      CREATE INDEX push_credentials_account ON push_credentials (service, account);
      CREATE TABLE push_notifications (
        service TEXT NOT NULL, id TEXT NOT NULL, message BLOB, credential TEXT NOT NULL, created INTEGER NOT NULL,
        ends INTEGER NOT NULL, pending INTEGER NOT NULL, box BLOB NOT NULL,
        PRIMARY KEY (service, id)
      );
      CREATE UNIQUE INDEX push_notifications_message ON push_notifications (service, message)
        WHERE message IS NOT NULL;
      CREATE INDEX push_notifications_created ON push_notifications (service, created);
      CREATE INDEX push_notifications_credential ON push_notifications (service, credential, created);
      CREATE INDEX push_notifications_pending ON push_notifications (service, ends) WHERE pending = 1;
      CREATE TABLE push_tokens (service TEXT NOT NULL PRIMARY KEY, box BLOB NOT NULL) WITHOUT ROWID;
      """
  }
#endif
