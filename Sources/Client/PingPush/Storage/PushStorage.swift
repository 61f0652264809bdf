/// Keeps credentials, notifications and the device token.
///
/// Implementations are called from several tasks at once.
public protocol PushStorage: Sendable {
  /// Keeps `credential`, in place of one with its id.
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

  /// Keeps a notification.
  ///
  /// - Throws: ``PushStorageError/duplicateNotification(_:)`` when the storage can tell that there is one for this
  ///   message id.
  func storePushNotification(_ notification: PushNotification) async throws

  /// Keeps `notification` in place of the one with its id.
  func updatePushNotification(_ notification: PushNotification) async throws

  /// All notifications, the newest first.
  func getAllPushNotifications() async throws -> [PushNotification]

  /// The notifications that wait for an answer and are not expired, the newest first.
  func getPendingPushNotifications() async throws -> [PushNotification]

  /// The notification of that id.
  func retrievePushNotification(notificationId: String) async throws -> PushNotification?

  /// The notification for that message.
  func getNotificationByMessageId(messageId: String) async throws -> PushNotification?

  /// Removes a notification; `false` when there was none.
  func removePushNotification(notificationId: String) async throws -> Bool

  /// Removes a credential's notifications; returns how many there were.
  func removePushNotificationsForCredential(credentialId: String) async throws -> Int

  /// Removes all notifications.
  func clearPushNotifications() async throws

  /// Keeps the device token, in place of an older one.
  func storePushDeviceToken(_ token: PushDeviceToken) async throws

  /// The device token.
  func getCurrentPushDeviceToken() async throws -> PushDeviceToken?

  /// Removes the device token.
  func clearPushDeviceTokens() async throws

  /// How many notifications there are, of one credential or of all.
  func countPushNotifications(credentialId: String?) async throws -> Int

  /// The `limit` oldest notifications, the oldest first.
  func getOldestPushNotifications(limit: Int, credentialId: String?) async throws -> [PushNotification]

  /// Removes notifications older than that, answered or not; returns how many.
  func purgePushNotificationsByAge(maxAgeDays: Int, credentialId: String?) async throws -> Int

  /// Removes the oldest notifications, answered or not, until `maxCount` are left; returns how many.
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
