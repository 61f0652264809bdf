#if !canImport(Security)
  internal import Foundation
  internal import GRDB
  internal import PingLogger
  internal import SealedRecords

  extension PushKeychainStorage: PushStorage {
    public func storePushNotification(_ notification: PushNotification) async throws {
      let (row, service) = (try Stored(notification, self), database.services.notifications)
      try await database.write("the notification \(row.id) was not stored") { db, sealer in
        do {
          try db.execute(
            sql: """
              INSERT INTO push_notifications (service, id, message, credential, created, ends, pending, box)
              VALUES (?, ?, ?, ?, ?, ?, ?, ?)
              ON CONFLICT (service, id) DO UPDATE SET message = excluded.message,
                credential = excluded.credential, created = excluded.created, ends = excluded.ends,
                pending = excluded.pending, box = excluded.box
              """, arguments: try row.arguments(service, sealer))
        } catch let error as DatabaseError where error.extendedResultCode == .SQLITE_CONSTRAINT_UNIQUE {
          throw PushStorageError.duplicateNotification(row.messageID)
        }
      }
    }

    public func updatePushNotification(_ notification: PushNotification) async throws {
      let (row, service) = (try Stored(notification, self), database.services.notifications)
      try await database.write("the notification \(row.id) was not updated") { db, sealer in
        try db.execute(
          sql: """
            UPDATE push_notifications SET message = ?3, credential = ?4, created = ?5, ends = ?6, pending = ?7,
              box = ?8 WHERE service = ?1 AND id = ?2
            """, arguments: try row.arguments(service, sealer))
        guard db.changesCount > 0 else {
          throw PushStorageError.storageFailure("there is no notification \(row.id) to update", nil)
        }
      }
    }

    public func getAllPushNotifications() async throws -> [PushNotification] {
      try await notifications("ORDER BY created DESC, id DESC")
    }

    public func getPendingPushNotifications() async throws -> [PushNotification] {
      let now = database.now().microseconds
      return try await notifications("AND pending = 1 AND ends >= ? ORDER BY created DESC, id DESC", [now])
    }

    public func retrievePushNotification(notificationId: String) async throws -> PushNotification? {
      try await notification("the notification \(notificationId) was not read", "id = ?") { _ in
        notificationId.databaseValue
      }
    }

    public func getNotificationByMessageId(messageId: String) async throws -> PushNotification? {
      try await notification("the notifications were not read", "message = ?") {
        $0.hash("message", messageId).databaseValue
      }
    }

    public func removePushNotification(notificationId: String) async throws -> Bool {
      try await delete("id = ?", [notificationId]) > 0
    }

    public func removePushNotificationsForCredential(credentialId: String) async throws -> Int {
      try await delete("credential = ?", [credentialId])
    }

    public func clearPushNotifications() async throws { _ = try await delete("1", []) }

    public func countPushNotifications(credentialId: String?) async throws -> Int {
      let service = database.services.notifications
      return try await database.read("the notifications were not counted") { db, _ in
        try Self.count(db, service, credentialId)
      }
    }

    public func getOldestPushNotifications(
      limit: Int, credentialId: String?
    ) async throws -> [PushNotification] {
      try await notifications(
        "AND (?2 IS NULL OR credential = ?2) ORDER BY created, id LIMIT ?3", [credentialId, max(0, limit)])
    }

    public func purgePushNotificationsByAge(maxAgeDays: Int, credentialId: String?) async throws -> Int {
      let limit = database.now().addingTimeInterval(-TimeInterval(maxAgeDays) * 86400).microseconds
      return try await delete("created < ?2 AND (?3 IS NULL OR credential = ?3)", [limit, credentialId])
    }

    public func purgePushNotificationsByCount(maxCount: Int, credentialId: String?) async throws -> Int {
      let service = database.services.notifications
      return try await database.write("the notifications were not removed") { db, _ in
        let excess = try Self.count(db, service, credentialId) - max(0, maxCount)
        guard excess > 0 else { return 0 }
        try db.execute(
          sql: """
            DELETE FROM push_notifications WHERE rowid IN (
              SELECT rowid FROM push_notifications
              WHERE service = ?1 AND (?2 IS NULL OR credential = ?2)
              ORDER BY created, id LIMIT ?3)
            """, arguments: [service, credentialId, excess])
        return db.changesCount
      }
    }
  }

  extension PushKeychainStorage {
    private struct Stored: Sendable {
      let id: String
      let messageID: String
      let credentialID: String
      let created: Int64
      let ends: Int64
      let pending: Bool
      let json: Data

      init(_ notification: PushNotification, _ storage: PushKeychainStorage) throws {
        id = notification.id
        messageID = notification.messageId
        credentialID = notification.credentialId
        created = notification.createdAt.microseconds
        ends = notification.expiresAt.microseconds
        pending = notification.pending && !notification.approved
        json = try storage.encoded(notification, "the notification")
      }

      func arguments(_ service: String, _ sealer: RecordSealer) throws -> StatementArguments {
        [
          service, id, messageID.isEmpty ? nil : sealer.hash("message", messageID), credentialID, created,
          ends, pending,
          try sealer.seal(json, for: PushKeychainStorage.place("notification", service, id)),
        ]
      }
    }

    /// The notifications of this service for which the rest of the statement holds; `values` begin at `?2`.
    private func notifications(
      _ rest: String, _ values: [(any DatabaseValueConvertible & Sendable)?] = []
    ) async throws -> [PushNotification] {
      let (service, logger) = (database.services.notifications, database.logger)
      return try await database.read("the notifications were not read") { db, sealer in
        let rows = try Row.fetchCursor(
          db, sql: "SELECT id, box FROM push_notifications WHERE service = ?1 \(rest)",
          arguments: StatementArguments([service] + values))
        var records: [PushNotification] = []
        while let row = try rows.next() {
          if let record = Self.record(PushNotification.self, "notification", service, row, sealer, logger) {
            records.append(record)
          }
        }
        return records
      }
    }

    private func notification(
      _ what: String, _ condition: String,
      _ value: @escaping @Sendable (RecordSealer) -> DatabaseValue
    ) async throws -> PushNotification? {
      let service = database.services.notifications
      return try await database.read(what) { db, sealer in
        guard
          let row = try Row.fetchOne(
            db, sql: "SELECT id, box FROM push_notifications WHERE service = ? AND \(condition)",
            arguments: [service, value(sealer)])
        else { return nil }
        return try RecordCoder.decode(
          PushNotification.self,
          from: sealer.open(row["box"], for: Self.place("notification", service, row["id"])))
      }
    }

    private func delete(
      _ condition: String, _ values: [(any DatabaseValueConvertible & Sendable)?]
    ) async throws -> Int {
      let service = database.services.notifications
      return try await database.write("the notifications were not removed") { db, _ in
        try db.execute(
          sql: "DELETE FROM push_notifications WHERE service = ?1 AND \(condition)",
          arguments: StatementArguments([service] + values))
        return db.changesCount
      }
    }

    private static func count(_ db: Database, _ service: String, _ credentialID: String?) throws -> Int {
      try Int.fetchOne(
        db,
        sql:
          "SELECT COUNT(*) FROM push_notifications WHERE service = ?1 AND (?2 IS NULL OR credential = ?2)",
        arguments: [service, credentialID]) ?? 0
    }
  }
#endif
