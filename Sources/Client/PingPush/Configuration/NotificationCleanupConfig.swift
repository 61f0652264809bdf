/// When stored notifications are removed, the oldest first, answered or not.
public struct NotificationCleanupConfig: Sendable {
  public enum CleanupMode: String, CaseIterable, Sendable {
    /// Removes no notifications.
    case none = "NONE"

    /// Removes the oldest when there are more than ``NotificationCleanupConfig/maxStoredNotifications``.
    case countBased = "COUNT_BASED"

    /// Removes those older than ``NotificationCleanupConfig/maxNotificationAgeDays``.
    case ageBased = "AGE_BASED"

    /// Removes by count and by age.
    case hybrid = "HYBRID"
  }

  public let cleanupMode: CleanupMode

  /// The largest number of stored notifications, at least 1.
  public let maxStoredNotifications: Int

  /// The largest age of a stored notification in days, at least 1.
  public let maxNotificationAgeDays: Int

  public init(
    cleanupMode: CleanupMode = .countBased, maxStoredNotifications: Int = 100,
    maxNotificationAgeDays: Int = 30
  ) {
    self.cleanupMode = cleanupMode
    self.maxStoredNotifications = max(1, maxStoredNotifications)
    self.maxNotificationAgeDays = max(1, maxNotificationAgeDays)
  }

  /// Keeps at most 100 notifications.
  public static func `default`() -> NotificationCleanupConfig { NotificationCleanupConfig() }

  public static func none() -> NotificationCleanupConfig { NotificationCleanupConfig(cleanupMode: .none) }

  public static func countBased(maxNotifications: Int = 100) -> NotificationCleanupConfig {
    NotificationCleanupConfig(cleanupMode: .countBased, maxStoredNotifications: maxNotifications)
  }

  public static func ageBased(maxAgeDays: Int = 30) -> NotificationCleanupConfig {
    NotificationCleanupConfig(cleanupMode: .ageBased, maxNotificationAgeDays: maxAgeDays)
  }

  public static func hybrid(maxNotifications: Int = 100, maxAgeDays: Int = 30) -> NotificationCleanupConfig {
    NotificationCleanupConfig(
      cleanupMode: .hybrid, maxStoredNotifications: maxNotifications, maxNotificationAgeDays: maxAgeDays)
  }
}
