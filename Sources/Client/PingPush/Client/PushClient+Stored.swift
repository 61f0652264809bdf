internal import Concurrency
internal import Foundation

extension PushClient {
  /// The notifications that wait for an answer and are not expired, the newest first.
  public func getPendingNotifications() async throws -> [PushNotification] {
    try await gate.run {
      await saveAllUnsaved()
      let now = dependencies.now()
      return try await storing("the notifications were not read") {
        try await storage.getPendingPushNotifications()
      }.map(current).filter { $0.isPending(at: now) }
    }
  }

  /// All stored notifications, the newest first.
  public func getAllNotifications() async throws -> [PushNotification] {
    try await gate.run {
      await saveAllUnsaved()
      return try await storing("the notifications were not read") {
        try await storage.getAllPushNotifications()
      }.map(current)
    }
  }

  /// The notification of that id, answered or not.
  public func getNotification(notificationId: String) async throws -> PushNotification? {
    try await gate.run {
      try await storing("the notification was not read") {
        try await storage.retrievePushNotification(notificationId: notificationId)
      }.map(current)
    }
  }

  /// The same as ``getNotification(notificationId:)``.
  public func getNotification(_ notificationId: String) async throws -> PushNotification? {
    try await getNotification(notificationId: notificationId)
  }

  /// Removes stored notifications as ``PushConfiguration/notificationCleanupConfig`` says.
  ///
  /// - Parameter credentialId: The credential whose notifications are counted and removed; all of them when `nil`.
  /// - Returns: How many were removed.
  @discardableResult
  public func cleanupNotifications(credentialId: String? = nil) async throws -> Int {
    try await gate.run { try await cleanUp(credentialId: credentialId) }
  }

  func cleanUp(credentialId: String?) async throws -> Int {
    let config = cleanupConfig
    return try await cleaning.withLock {
      try await storing("stored notifications were not cleaned up") {
        var removed = 0
        if config.cleanupMode == .countBased || config.cleanupMode == .hybrid {
          removed += try await storage.purgePushNotificationsByCount(
            maxCount: config.maxStoredNotifications, credentialId: credentialId)
        }
        if config.cleanupMode == .ageBased || config.cleanupMode == .hybrid {
          removed += try await storage.purgePushNotificationsByAge(
            maxAgeDays: config.maxNotificationAgeDays, credentialId: credentialId)
        }
        return removed
      }
    }
  }
}
