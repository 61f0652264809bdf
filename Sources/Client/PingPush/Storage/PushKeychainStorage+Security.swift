#if canImport(Security)
  internal import Foundation
  internal import Locking
  public import PingLogger
  public import Security

  /// Keeps credentials, notifications and the device token: in the keychain on Apple platforms, elsewhere in an encrypted
  /// SQLite file.
  ///
  /// Every record is a generic password: the service is that of its kind, the account its id (`current` for the token), and
  /// the value its JSON form. Changes are made one after the other in this process.
  // `accessibility` is an immutable string of the system's; every other stored property is Sendable.
  public final class PushKeychainStorage: PushStorage, @unchecked Sendable {
    private let credentials: KeychainRecords
    private let notifications: KeychainRecords
    private let tokens: KeychainRecords
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
      func records(_ service: String) -> KeychainRecords {
        KeychainRecords(
          service: service, accessGroup: accessGroup, accessibility: accessibility,
          logger: logger ?? LogManager.logger)
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

  /// The generic passwords of one service.
  private struct KeychainRecords {
    let service: String
    let accessGroup: String?
    let accessibility: CFString
    let logger: any Logger

    func write(_ record: some Encodable, id: String) throws {
      let data: Data
      do { data = try PushRecordCoder.encode(record) } catch {
        throw PushStorageError.storageFailure("record \(id) has no JSON form", error)
      }
      let value: [CFString: Any] = [kSecValueData: data, kSecAttrAccessible: accessibility]
      // An item that is there is updated in place, so that a failure cannot lose it.
      var status = SecItemUpdate(query(id) as CFDictionary, value as CFDictionary)
      if status == errSecItemNotFound {
        status = SecItemAdd(query(id).merging(value) { $1 } as CFDictionary, nil)
      }
      guard status == errSecSuccess else { throw failure("record \(id) was not stored", status) }
    }

    func read<Record: Decodable>(_ type: Record.Type, id: String) throws -> Record? {
      var result: CFTypeRef?
      let query = query(id).merging([kSecReturnData: true, kSecMatchLimit: kSecMatchLimitOne]) { $1 }
      let status = SecItemCopyMatching(query as CFDictionary, &result)
      if status == errSecItemNotFound { return nil }
      guard status == errSecSuccess, let data = result as? Data else {
        throw failure("record \(id) was not read", status)
      }
      do { return try PushRecordCoder.decode(type, from: data) } catch {
        throw PushStorageError.storageFailure("record \(id) is damaged", error)
      }
    }

    /// Records that cannot be read are left out, with a line in the log: one must not hide the others.
    func all<Record: Decodable>(_ type: Record.Type) throws -> [Record] {
      var result: CFTypeRef?
      let query = query(nil).merging([kSecReturnData: true, kSecMatchLimit: kSecMatchLimitAll]) { $1 }
      let status = SecItemCopyMatching(query as CFDictionary, &result)
      if status == errSecItemNotFound { return [] }
      guard status == errSecSuccess, let values = result as? [Data] else {
        throw failure("the records were not read", status)
      }
      return values.compactMap { data in
        do { return try PushRecordCoder.decode(type, from: data) } catch {
          logger.w("A stored \(type) cannot be read and is left out", error: error)
          return nil
        }
      }
    }

    func remove(id: String?) throws -> Bool {
      let status = SecItemDelete(query(id) as CFDictionary)
      guard status == errSecSuccess || status == errSecItemNotFound else {
        throw failure("the record was not removed", status)
      }
      return status == errSecSuccess
    }

    private func query(_ id: String?) -> [CFString: Any] {
      var query: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrService: service]
      if let id { query[kSecAttrAccount] = id }
      if let accessGroup { query[kSecAttrAccessGroup] = accessGroup }
      return query
    }

    private func failure(_ what: String, _ status: OSStatus) -> PushStorageError {
      PushStorageError.storageFailure("\(what): keychain status \(status)", nil)
    }
  }
#endif
