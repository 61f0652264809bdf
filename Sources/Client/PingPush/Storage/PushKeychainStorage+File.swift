#if !canImport(Security)
  internal import Foundation
  @_exported public import KeychainNames
  public import PingLogger
  public import PrivateFiles

  /// Keeps credentials, notifications and the device token: in the keychain on Apple platforms, elsewhere in an encrypted
  /// SQLite file in the folder `push` of the ``ClientHome``.
  ///
  /// Every record is sealed with AES-256-GCM under a key of the home (file mode 0600, beside the keys of other stored data),
  /// and what is searched for is indexed by a keyed hash. Identifiers and times are readable. Several processes may use
  /// one file; a change is durable when the call returns. The file is opened at the first call.
  public final class PushKeychainStorage: Sendable {
    let database: PushDatabase

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
      database = PushDatabase(
        home: home, group: accessGroup,
        services: .init(
          credentials: credentialService, notifications: notificationService, tokens: tokenService),
        logger: logger ?? LogManager.logger, now: now)
    }
  }
#endif
