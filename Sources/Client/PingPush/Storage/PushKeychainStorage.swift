internal import Foundation
@_exported public import KeychainNames
public import PingLogger
internal import SealedRecords

#if canImport(Security)
  public import Security
#else
  public import PrivateFiles
#endif

/// Stores credentials, notifications and the device token: in the keychain on Apple platforms, elsewhere in an encrypted
/// SQLite file in the folder `push` of the home folder.
///
/// In the keychain every record is a generic password: the service is that of its kind, the account its id (`current` for the
/// token), and the value its JSON form. Changes are serialised within this process.
///
/// In the file every record is sealed with AES-256-GCM under a key of the home (file mode 0600, beside the keys of other stored
/// data), and searchable fields are indexed by a keyed hash. Identifiers and times are readable. Several processes may use
/// one file; a change is durable when the call returns. The file is opened at the first call.
public final class PushKeychainStorage: PushStorage {
  private let credentials: any RecordStore<PushCredential>
  private let notifications: any RecordStore<PushNotification>
  private let tokens: any RecordStore<PushDeviceToken>

  private static let currentToken = "current"

  /// A storage in the app's keychain, or in the user's home.
  ///
  /// - Parameters:
  ///   - credentialService: Separates the credentials of a user's apps; the other two services separate notifications and tokens.
  ///   - accessGroup: The keychain access group of the apps that share the records; elsewhere these apps share a file of that name.
  ///   - accessibility: When the keychain's items can be read; has no effect on a file. An app that processes messages while
  ///     the phone is locked needs `kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly`.
  public convenience init(
    credentialService: String = "com.pingidentity.push.credentials",
    notificationService: String = "com.pingidentity.push.notifications",
    tokenService: String = "com.pingidentity.push.tokens", logger: (any Logger)? = nil,
    accessGroup: String? = nil,
    accessibility: KeychainAccessibility = kSecAttrAccessibleWhenUnlockedThisDeviceOnly
  ) {
    let logger = logger ?? LogManager.logger
    #if canImport(Security)
      let engine = KeychainEngine(
        accessGroup: accessGroup, protection: .init(accessibility: accessibility), logger: logger,
        failure: PushStorageError.storageFailure)
    #else
      let engine = Self.file(in: .standard, accessGroup, logger)
    #endif
    self.init(engine, credentialService, notificationService, tokenService)
  }

  private init(
    _ engine: any RecordEngine, _ credentialService: String, _ notificationService: String,
    _ tokenService: String
  ) {
    credentials = engine.records(
      .init(name: "credential", table: "push_credentials", id: { $0.id }) {
        ["account": Self.account($0.issuer, $0.accountName), "created": .time($0.createdAt)]
      }, service: credentialService)
    notifications = engine.records(
      .init(name: "notification", table: "push_notifications", id: { $0.id }) {
        [
          "message": Self.message($0.messageId, $0.credentialId), "credential": .text($0.credentialId),
          "created": .time($0.createdAt), "ends": .time($0.expiresAt),
          "pending": .flag($0.pending && !$0.approved),
        ]
      }, service: notificationService)
    tokens = engine.records(
      .init(name: "token", table: "push_tokens", singleID: Self.currentToken), service: tokenService)
  }

  private static func account(_ issuer: String, _ accountName: String) -> RecordValue {
    .hashed(["account", issuer, accountName])
  }

  private static func message(_ id: String, _ credentialID: String) -> RecordValue {
    id.isEmpty ? .none : .hashed(["message", id, credentialID])
  }

  private static func of(_ credentialID: String?) -> [RecordCondition] {
    credentialID.map { [.equal("credential", .text($0))] } ?? []
  }

  #if !canImport(Security)
    /// A storage in a separate home, for tests and for several identities in one process.
    public convenience init(
      home: ClientHome, credentialService: String = "com.pingidentity.push.credentials",
      notificationService: String = "com.pingidentity.push.notifications",
      tokenService: String = "com.pingidentity.push.tokens", logger: (any Logger)? = nil,
      accessGroup: String? = nil
    ) {
      self.init(
        Self.file(in: home, accessGroup, logger ?? LogManager.logger), credentialService,
        notificationService, tokenService)
    }

    private static func file(
      in home: ClientHome, _ group: String?, _ logger: any Logger
    ) -> SealedDatabase<PushStorageError> {
      let tables = """
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
      return SealedDatabase(
        "push", version: 1, tables: tables, home: home, group: group, logger: logger,
        failure: PushStorageError.storageFailure)
    }
  #endif

  // MARK: Credentials

  public func storePushCredential(_ credential: PushCredential) async throws {
    try await credentials.write("the credential \(credential.id) was not stored") { try $0.put(credential) }
  }

  /// Returns all credentials, the oldest first.
  public func getAllPushCredentials() async throws -> [PushCredential] {
    try await credentials.read("the credentials were not read") { try $0.records(where: [], limit: nil) }
  }

  public func retrievePushCredential(credentialId: String) async throws -> PushCredential? {
    try await credentials.read("the credential \(credentialId) was not read") { try $0.read(credentialId) }
  }

  public func getCredentialByIssuerAndAccount(
    issuer: String, accountName: String
  ) async throws -> PushCredential? {
    try await credentials.read("the credentials were not read") {
      try $0.records(where: [.equal("account", Self.account(issuer, accountName))], limit: 1).first
    }
  }

  public func removePushCredential(credentialId: String) async throws -> Bool {
    try await credentials.write("the credential \(credentialId) was not removed") {
      try $0.remove(credentialId)
    }
  }

  public func clearPushCredentials() async throws {
    try await credentials.write("the credentials were not removed") { try $0.removeAll() }
  }

  // MARK: Notifications

  public func storePushNotification(_ notification: PushNotification) async throws {
    let id = notification.messageId
    try await notifications.write("the notification \(notification.id) was not stored") { table in
      if !id.isEmpty,
        try table.records(where: [.equal("message", Self.message(id, notification.credentialId))], limit: nil)
          .contains(where: { $0.id != notification.id })
      {
        throw PushStorageError.duplicateNotification(id)
      }
      try table.put(notification)
    }
  }

  public func updatePushNotification(_ notification: PushNotification) async throws {
    let id = notification.id
    try await notifications.write("the notification \(id) was not updated") { table in
      guard try table.update(id, { $0 = notification }) != nil else {
        throw PushStorageError.storageFailure("there is no notification \(id) to update", nil)
      }
    }
  }

  public func getAllPushNotifications() async throws -> [PushNotification] { try await list([]).reversed() }

  public func getPendingPushNotifications() async throws -> [PushNotification] {
    try await list([.equal("pending", .flag(true)), .notBefore("ends", Date())]).reversed()
  }

  public func retrievePushNotification(notificationId: String) async throws -> PushNotification? {
    try await notifications.read("the notification \(notificationId) was not read") {
      try $0.read(notificationId)
    }
  }

  public func getNotificationByMessageId(messageId: String) async throws -> PushNotification? {
    try await list([]).first { $0.messageId == messageId }
  }

  public func getNotification(messageId: String, credentialId: String) async throws -> PushNotification? {
    try await list([.equal("message", Self.message(messageId, credentialId))]).first
  }

  public func removePushNotification(notificationId: String) async throws -> Bool {
    try await notifications.write("the notification \(notificationId) was not removed") {
      try $0.remove(notificationId)
    }
  }

  public func removePushNotificationsForCredential(credentialId: String) async throws -> Int {
    try await remove(Self.of(credentialId))
  }

  public func clearPushNotifications() async throws {
    try await notifications.write("the notifications were not removed") { try $0.removeAll() }
  }

  public func countPushNotifications(credentialId: String?) async throws -> Int {
    try await notifications.read("the notifications were not counted") {
      try $0.count(where: Self.of(credentialId))
    }
  }

  public func getOldestPushNotifications(
    limit: Int, credentialId: String?
  ) async throws -> [PushNotification] {
    try await list(Self.of(credentialId), limit: max(0, limit))
  }

  public func purgePushNotificationsByAge(maxAgeDays: Int, credentialId: String?) async throws -> Int {
    let limit = Date().addingTimeInterval(-TimeInterval(maxAgeDays) * 86400)
    return try await remove([.before("created", limit)] + Self.of(credentialId))
  }

  public func purgePushNotificationsByCount(maxCount: Int, credentialId: String?) async throws -> Int {
    try await notifications.write("the notifications were not removed") { table in
      let stored = Self.of(credentialId)
      let excess = try table.count(where: stored) - max(0, maxCount)
      return excess > 0 ? try table.remove(where: stored, limit: excess) : 0
    }
  }

  /// Returns the notifications that meet `conditions`, the oldest first.
  private func list(_ conditions: [RecordCondition], limit: Int? = nil) async throws -> [PushNotification] {
    try await notifications.read("the notifications were not read") {
      try $0.records(where: conditions, limit: limit)
    }
  }

  private func remove(_ conditions: [RecordCondition]) async throws -> Int {
    try await notifications.write("the notifications were not removed") {
      try $0.remove(where: conditions, limit: nil)
    }
  }

  // MARK: Device token

  /// - Throws: ``PushStorageError/storageFailure(_:_:)``, also for a blank token.
  public func storePushDeviceToken(_ token: PushDeviceToken) async throws {
    guard !token.token.isEmpty else {
      throw PushStorageError.storageFailure("the device token is empty", nil)
    }
    try await tokens.write("the device token was not stored") { try $0.put(token) }
  }

  public func getCurrentPushDeviceToken() async throws -> PushDeviceToken? {
    try await tokens.read("the device token was not read") { try $0.read(Self.currentToken) }
  }

  public func clearPushDeviceTokens() async throws {
    try await tokens.write("the device token was not removed") { try $0.removeAll() }
  }
}
