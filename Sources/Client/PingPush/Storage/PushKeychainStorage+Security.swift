#if canImport(Security)
  internal import Concurrency
  internal import Foundation
  public import PingLogger
  internal import SealedRecords
  public import Security

  /// Keeps credentials, notifications and the device token: in the keychain on Apple platforms, elsewhere in an encrypted
  /// SQLite file.
  ///
  /// Every record is a generic password: the service is that of its kind, the account its id (`current` for the token), and
  /// the value its JSON form. Changes are made one after the other in this process.
  // `accessibility` is an immutable string of the system's; every other stored property is Sendable.
  public final class PushKeychainStorage: PushStorage, @unchecked Sendable {
    private let credentials: KeychainRecords<PushStorageError>
    private let notifications: KeychainRecords<PushStorageError>
    private let tokens: KeychainRecords<PushStorageError>
    private let mutex = AsyncMutex()

    private static let currentToken = "current"

    /// A storage in the app's keychain.
    ///
    /// - Parameters:
    ///   - accessGroup: The keychain access group of the apps that share it.
    ///   - accessibility: When the items can be read. An app that processes messages while the phone is locked needs
    ///     `kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly`.
    public init(
      credentialService: String = "com.pingidentity.push.credentials",
      notificationService: String = "com.pingidentity.push.notifications",
      tokenService: String = "com.pingidentity.push.tokens", logger: (any Logger)? = nil,
      accessGroup: String? = nil, accessibility: CFString = kSecAttrAccessibleWhenUnlockedThisDeviceOnly
    ) {
      func records(_ service: String) -> KeychainRecords<PushStorageError> {
        KeychainRecords(
          service: service, accessGroup: accessGroup, protection: .init(accessibility: accessibility),
          logger: logger ?? LogManager.logger
        ) { PushStorageError.storageFailure($0, $1) }
      }
      credentials = records(credentialService)
      notifications = records(notificationService)
      tokens = records(tokenService)
    }

    public func storePushCredential(_ credential: PushCredential) async throws {
      try await mutex.withLock { try credentials.write(credential, id: credential.id) }
    }

    public func getAllPushCredentials() async throws -> [PushCredential] {
      try credentials.all(PushCredential.self).sorted { ($0.createdAt, $0.id) < ($1.createdAt, $1.id) }
    }

    public func retrievePushCredential(credentialId: String) async throws -> PushCredential? {
      try credentials.read(PushCredential.self, id: credentialId)
    }

    public func removePushCredential(credentialId: String) async throws -> Bool {
      try await mutex.withLock { try credentials.remove(id: credentialId) }
    }

    public func clearPushCredentials() async throws {
      try await mutex.withLock { _ = try credentials.remove(id: nil) }
    }

    public func storePushNotification(_ notification: PushNotification) async throws {
      try await mutex.withLock {
        let id = notification.messageId
        if !id.isEmpty, try all().contains(where: { $0.messageId == id && $0.id != notification.id }) {
          throw PushStorageError.duplicateNotification(id)
        }
        try notifications.write(notification, id: notification.id)
      }
    }

    public func updatePushNotification(_ notification: PushNotification) async throws {
      try await mutex.withLock {
        guard try notifications.read(PushNotification.self, id: notification.id) != nil else {
          throw PushStorageError.storageFailure("there is no notification \(notification.id) to update", nil)
        }
        try notifications.write(notification, id: notification.id)
      }
    }

    public func getAllPushNotifications() async throws -> [PushNotification] { try all().reversed() }

    public func getPendingPushNotifications() async throws -> [PushNotification] {
      let now = Date()
      return try all().reversed().filter { $0.isPending(at: now) }
    }

    public func retrievePushNotification(notificationId: String) async throws -> PushNotification? {
      try notifications.read(PushNotification.self, id: notificationId)
    }

    public func getNotificationByMessageId(messageId: String) async throws -> PushNotification? {
      try all().first { $0.messageId == messageId }
    }

    public func removePushNotification(notificationId: String) async throws -> Bool {
      try await mutex.withLock { try notifications.remove(id: notificationId) }
    }

    public func removePushNotificationsForCredential(credentialId: String) async throws -> Int {
      try await mutex.withLock { try remove(all().filter { $0.credentialId == credentialId }) }
    }

    public func clearPushNotifications() async throws {
      try await mutex.withLock { _ = try notifications.remove(id: nil) }
    }

    public func storePushDeviceToken(_ token: PushDeviceToken) async throws {
      try await mutex.withLock { try tokens.write(token, id: Self.currentToken) }
    }

    public func getCurrentPushDeviceToken() async throws -> PushDeviceToken? {
      try tokens.read(PushDeviceToken.self, id: Self.currentToken)
    }

    public func clearPushDeviceTokens() async throws {
      try await mutex.withLock { _ = try tokens.remove(id: nil) }
    }

    public func countPushNotifications(credentialId: String?) async throws -> Int {
      try all(credentialId).count
    }

    public func getOldestPushNotifications(
      limit: Int, credentialId: String?
    ) async throws -> [PushNotification] {
      Array(try all(credentialId).prefix(max(0, limit)))
    }

    public func purgePushNotificationsByAge(maxAgeDays: Int, credentialId: String?) async throws -> Int {
      let limit = Date().addingTimeInterval(-TimeInterval(maxAgeDays) * 86400)
      return try await mutex.withLock { try remove(all(credentialId).filter { $0.createdAt < limit }) }
    }

    public func purgePushNotificationsByCount(maxCount: Int, credentialId: String?) async throws -> Int {
      try await mutex.withLock {
        let stored = try all(credentialId)
        return try remove(Array(stored.prefix(max(0, stored.count - max(0, maxCount)))))
      }
    }

    /// The oldest first.
    private func all(_ credentialID: String? = nil) throws -> [PushNotification] {
      try notifications.all(PushNotification.self)
        .filter { credentialID == nil || $0.credentialId == credentialID }
        .sorted { ($0.createdAt, $0.id) < ($1.createdAt, $1.id) }
    }

    private func remove(_ records: [PushNotification]) throws -> Int {
      try records.count { try notifications.remove(id: $0.id) }
    }
  }
#endif
