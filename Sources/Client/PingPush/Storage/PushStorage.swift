/// Stores credentials, notifications and the device token.
///
/// Implementations are called from several tasks at once.
public protocol PushStorage: Sendable {
  /// Stores `credential`, replacing one with the same id.
  ///
  /// - Throws: ``PushStorageError``
  func storePushCredential(_ credential: PushCredential) async throws

  /// All credentials.
  func getAllPushCredentials() async throws -> [PushCredential]

  /// The credential of that id.
  func retrievePushCredential(credentialId: String) async throws -> PushCredential?

  /// Removes a credential; `false` when there was none.
  func removePushCredential(credentialId: String) async throws -> Bool

  /// Removes all credentials.
  func clearPushCredentials() async throws

  /// The credential of exactly that issuer and account.
  func getCredentialByIssuerAndAccount(issuer: String, accountName: String) async throws -> PushCredential?

  /// Stores a notification.
  ///
  /// - Throws: ``PushStorageError/duplicateNotification(_:)`` if the storage detects that this message id is stored already for its
  ///   credential.
  func storePushNotification(_ notification: PushNotification) async throws

  /// Replaces the stored notification with the same id.
  func updatePushNotification(_ notification: PushNotification) async throws

  /// All notifications, the newest first.
  func getAllPushNotifications() async throws -> [PushNotification]

  /// The unexpired notifications that await an answer, the newest first.
  func getPendingPushNotifications() async throws -> [PushNotification]

  /// The notification of that id.
  func retrievePushNotification(notificationId: String) async throws -> PushNotification?

  /// The notification for that message.
  func getNotificationByMessageId(messageId: String) async throws -> PushNotification?

  /// The notification for that message of that credential. Unrelated servers may choose the same id, even on purpose. The default
  /// implementation searches all notifications.
  func getNotification(messageId: String, credentialId: String) async throws -> PushNotification?

  /// Removes a notification; `false` when there was none.
  func removePushNotification(notificationId: String) async throws -> Bool

  /// Removes a credential's notifications; returns how many there were.
  func removePushNotificationsForCredential(credentialId: String) async throws -> Int

  /// Removes all notifications.
  func clearPushNotifications() async throws

  /// Stores the device token, replacing an older one.
  func storePushDeviceToken(_ token: PushDeviceToken) async throws

  /// The device token.
  func getCurrentPushDeviceToken() async throws -> PushDeviceToken?

  /// Removes the device token.
  func clearPushDeviceTokens() async throws

  /// How many notifications there are, of one credential or of all.
  func countPushNotifications(credentialId: String?) async throws -> Int

  /// The `limit` oldest notifications, the oldest first.
  func getOldestPushNotifications(limit: Int, credentialId: String?) async throws -> [PushNotification]

  /// Removes notifications older than `maxAgeDays`, answered or not; returns how many.
  func purgePushNotificationsByAge(maxAgeDays: Int, credentialId: String?) async throws -> Int

  /// Removes the oldest notifications, answered or not, until `maxCount` remain; returns how many.
  func purgePushNotificationsByCount(maxCount: Int, credentialId: String?) async throws -> Int
}

extension PushStorage {
  /// Looks through all credentials, for storages that have no index.
  public func getCredentialByIssuerAndAccount(
    issuer: String, accountName: String
  ) async throws -> PushCredential? {
    try await getAllPushCredentials().first { $0.issuer == issuer && $0.accountName == accountName }
  }
}

extension PushStorage {
  public func getNotification(messageId: String, credentialId: String) async throws -> PushNotification? {
    try await getAllPushNotifications().first { $0.messageId == messageId && $0.credentialId == credentialId }
  }
}
