import Foundation

@testable import PingPush

/// A storage of an app: every requirement but the one that has a default. Fails when told to.
actor MemoryPushStorage: PushStorage {
  private var credentials: [String: PushCredential] = [:]
  private var notifications: [String: PushNotification] = [:]
  private var token: PushDeviceToken?
  private var failing: Set<String> = []

  struct Broken: Error {}

  /// The calls of these names throw from now on.
  func fail(_ names: String...) { failing = Set(names) }

  private func check(_ name: String) throws { if failing.contains(name) { throw Broken() } }

  func storePushCredential(_ credential: PushCredential) throws {
    try check("storePushCredential")
    credentials[credential.id] = credential
  }

  func getAllPushCredentials() -> [PushCredential] {
    credentials.values.sorted { $0.createdAt < $1.createdAt }
  }
  func retrievePushCredential(credentialId: String) -> PushCredential? { credentials[credentialId] }

  func removePushCredential(credentialId: String) -> Bool {
    credentials.removeValue(forKey: credentialId) != nil
  }

  func clearPushCredentials() { credentials = [:] }

  func storePushNotification(_ notification: PushNotification) async throws {
    try check("storePushNotification")
    // Between the look for a duplicate and the storing, others get their turn.
    await Task.yield()
    notifications[notification.id] = notification
  }

  func updatePushNotification(_ notification: PushNotification) throws {
    try check("updatePushNotification")
    notifications[notification.id] = notification
  }

  private var all: [PushNotification] { notifications.values.sorted { $0.createdAt < $1.createdAt } }

  func getAllPushNotifications() -> [PushNotification] { all.reversed() }
  func getPendingPushNotifications() -> [PushNotification] { all.reversed().filter(\.pending) }
  func retrievePushNotification(notificationId: String) -> PushNotification? { notifications[notificationId] }

  func getNotificationByMessageId(messageId: String) async -> PushNotification? {
    let found = all.first { $0.messageId == messageId }
    await Task.yield()
    return found
  }

  func removePushNotification(notificationId: String) -> Bool {
    notifications.removeValue(forKey: notificationId) != nil
  }

  func removePushNotificationsForCredential(credentialId: String) -> Int {
    let before = notifications.count
    notifications = notifications.filter { $0.value.credentialId != credentialId }
    return before - notifications.count
  }

  func clearPushNotifications() { notifications = [:] }
  func storePushDeviceToken(_ token: PushDeviceToken) { self.token = token }

  func getCurrentPushDeviceToken() throws -> PushDeviceToken? {
    try check("getCurrentPushDeviceToken")
    return token
  }

  func clearPushDeviceTokens() { token = nil }

  func countPushNotifications(credentialId: String?) -> Int {
    all.filter { credentialId == nil || $0.credentialId == credentialId }.count
  }

  func getOldestPushNotifications(limit: Int, credentialId: String?) -> [PushNotification] {
    Array(all.filter { credentialId == nil || $0.credentialId == credentialId }.prefix(limit))
  }

  func purgePushNotificationsByAge(maxAgeDays: Int, credentialId: String?) -> Int {
    remove(
      all.filter {
        (credentialId == nil || $0.credentialId == credentialId)
          && $0.createdAt < Date().addingTimeInterval(-Double(maxAgeDays) * 86400)
      })
  }

  func purgePushNotificationsByCount(maxCount: Int, credentialId: String?) -> Int {
    let scope = all.filter { credentialId == nil || $0.credentialId == credentialId }
    return remove(Array(scope.prefix(max(0, scope.count - maxCount))))
  }

  private func remove(_ records: [PushNotification]) -> Int {
    for record in records { notifications[record.id] = nil }
    return records.count
  }
}
