internal import Concurrency
internal import Foundation
internal import PingLogger
internal import PushFormats

extension PushClient {
  /// Stores the question that a push service's payload carries.
  ///
  /// Messages of PingAM, and of every ``PushMessageVerifier``, are first verified with the credential's secret. A message that
  /// was received before is returned as stored.
  /// - Returns: The notification; `nil` when no handler understands the payload.
  /// - Throws: ``PushError/messageParsingFailed(_:)`` for a message that is malformed or not signed by the credential's server,
  ///   ``PushError/credentialNotFound(_:)`` when a message cannot be verified for lack of its credential,
  ///   ``PushError/storageFailure(_:_:)``. Nothing is then stored.
  public func processNotification(messageData: [String: Any]) async throws -> PushNotification? {
    try await process(PushPayload(data: messageData))
  }

  /// Stores the question of a message without its payload. PingAM's messages do not contain their id, which an answer needs: they
  /// are stored as not pending.
  ///
  /// - Returns: The notification; `nil` when no handler understands the message.
  public func processNotification(message: String) async throws -> PushNotification? {
    try await process(PushPayload(message: message))
  }

  /// Stores the question of a notification that the system delivered: `aps` is unpacked; other keys are kept and take precedence.
  ///
  /// - Returns: The notification; `nil` when no handler understands it.
  public func processNotification(userInfo: [AnyHashable: Any]) async throws -> PushNotification? {
    try await processNotification(messageData: Self.messageData(of: userInfo))
  }

  static func messageData(of userInfo: [AnyHashable: Any]) -> [String: Any] {
    var data: [String: Any] = [:]
    var outer: [String: Any] = [:]
    for (key, value) in userInfo { if let key = key as? String { outer[key] = value } }
    let aps = outer["aps"] as? [String: Any] ?? (outer["aps"] as? [AnyHashable: Any]).map(Self.messageData)
    guard let aps else { return outer }
    data["message"] = aps["data"]
    data["messageId"] = aps["messageId"]
    outer["aps"] = nil
    return data.merging(outer) { $1 }
  }

  /// Passes the payload to the first handler that understands it.
  func process(_ payload: PushPayload) async throws -> PushNotification? {
    for (key, handler) in handlers {
      if let handler = handler as? PingAMPushHandler {
        guard let message = payload.unverified else { continue }
        return try await gate.run {
          try await receive(message, id: payload.messageID, handler: handler, key: key)
        }
      }
      if let parsed = try payload.parsed(by: handler) {
        return try await gate.run { try await receive(parsed, handlerKey: key) }
      }
    }
    try await gate.run { logger.i("A message was not processed: no handler understands it") }
    return nil
  }

  /// Stores a message of PingAM, but only what its signature covers.
  private func receive(
    _ message: UnverifiedPushMessage, id: String?, handler: PingAMPushHandler, key: String
  ) async throws -> PushNotification {
    guard let credential = try await credential(message.mechanismUID) else {
      throw PushError.credentialNotFound(message.mechanismUID)
    }
    let verified = try PingAMPushHandler.verified(message, with: credential)
    var notification = PushNotification(
      verified, messageID: id, handlerKey: key, now: dependencies.now())
    notification.pending = handler.canAnswer(notification)
    return try await store(notification, of: credential, isSigned: true, userID: verified.username)
  }

  /// Stores a message that an app's handler has parsed.
  private func receive(_ parsed: ParsedPushMessage, handlerKey: String) async throws -> PushNotification {
    var notification = try parsed.notification(
      id: UUID().uuidString, handlerKey: handlerKey, now: dependencies.now())
    let credential = try await credential(notification.credentialId)
    let verifier = handlers[handlerKey] as? any PushMessageVerifier
    // The message is verified before anything is stored, and before a stored notification with the same id is returned.
    if let verifier {
      guard let credential else { throw PushError.credentialNotFound(notification.credentialId) }
      guard let raw = parsed.text(ParsedPushMessage.Key.rawJwt) else {
        throw PushError.messageParsingFailed("There is no signed message to verify.")
      }
      try verifier.verify(rawMessage: raw, credential: credential)
      notification.pending = verifier.canAnswer(notification)
    } else {
      notification.isSentAtSigned = false
    }
    return try await store(
      notification, of: credential, isSigned: verifier != nil,
      userID: parsed.text(ParsedPushMessage.Key.userId))
  }

  private func store(
    _ notification: PushNotification, of credential: PushCredential?, isSigned: Bool, userID: String?
  ) async throws -> PushNotification {
    let (stored, isNew) = try await turns.withLock("messages of \(notification.credentialId)") {
      try await storeOnce(notification, isSigned: isSigned)
    }
    guard isNew else { return stored }
    if let userID, let credential, credential.userId?.isEmpty ?? true {
      try await update(credential.id) { credential in
        if credential.userId?.isEmpty ?? true { credential.userId = userID }
      }
    }
    // Messages with invented credential ids must not fill the storage: those without a credential count towards the total.
    await cleanUpAfterReceiving(credentialId: credential?.id)
    return stored
  }

  private func storeOnce(
    _ notification: PushNotification, isSigned: Bool
  ) async throws -> (notification: PushNotification, isNew: Bool) {
    let id = notification.messageId
    if !id.isEmpty, let known = try await known(id, of: notification.credentialId) { return (known, false) }
    // PingAM's signature covers the challenge but not the message's id: a captured message that comes again under another id is the
    // same message. The challenge of another server may be the same in every message; only its handler knows.
    let challenge = isSigned ? notification.challenge.flatMap { $0.isEmpty ? nil : $0 } : nil
    if let challenge, let known = try await known(challenge: challenge, of: notification.credentialId) {
      return (known, false)
    }
    do {
      try await storage.storePushNotification(notification)
    } catch PushStorageError.duplicateNotification {
      // Another process was faster.
      if let known = try await known(id, of: notification.credentialId) { return (known, false) }
      throw PushError.storageFailure("the notification was not stored", nil)
    } catch {
      throw PushError.storageFailure("the notification was not stored", error)
    }
    if let challenge { challenges.note(Self.key(challenge, of: notification.credentialId), id) }
    return (notification, true)
  }

  /// The credential's stored notification with that id. The id is not signed, so the same id of another credential is another message.
  private func known(_ messageID: String, of credentialID: String) async throws -> PushNotification? {
    try await storing("the notifications were not read") {
      try await storage.getNotification(messageId: messageID, credentialId: credentialID)
    }.map(current)
  }

  /// The stored notification with the same challenge for the same credential.
  private func known(challenge: String, of credentialID: String) async throws -> PushNotification? {
    if let id = challenges[Self.key(challenge, of: credentialID)],
      let known = try await known(id, of: credentialID)
    {
      return known
    }
    // Only pending notifications are searched: they are few, however many are stored.
    return try await storedPending().first {
      $0.credentialId == credentialID && $0.challenge == challenge
    }
  }

  private static func key(_ challenge: String, of credentialID: String) -> String {
    "\(credentialID.utf8.count):\(credentialID)\(challenge)"
  }

  private func cleanUpAfterReceiving(credentialId: String?) async {
    guard cleanupConfig.cleanupMode != .none else { return }
    do { _ = try await cleanUp(credentialId: credentialId) } catch {
      logger.w("Stored notifications were not cleaned up", error: error)
    }
  }
}

extension PushClient {
  /// The unexpired notifications that await an answer, the newest first.
  public func getPendingNotifications() async throws -> [PushNotification] {
    try await gate.run {
      await saveAllUnsaved()
      let now = dependencies.now()
      return try await storedPending().filter { $0.isPending(at: now) }
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
    try await gate.run { try await stored(notificationId) }
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
    let (mode, config) = (cleanupConfig.cleanupMode, cleanupConfig)
    return try await cleaning.withLock {
      try await storing("stored notifications were not cleaned up") {
        var removed = 0
        if mode == .countBased || mode == .hybrid {
          removed += try await storage.purgePushNotificationsByCount(
            maxCount: config.maxStoredNotifications, credentialId: credentialId)
        }
        if mode == .ageBased || mode == .hybrid {
          removed += try await storage.purgePushNotificationsByAge(
            maxAgeDays: config.maxNotificationAgeDays, credentialId: credentialId)
        }
        return removed
      }
    }
  }

  func stored(_ notificationID: String) async throws -> PushNotification? {
    try await storing("the notification was not read") {
      try await storage.retrievePushNotification(notificationId: notificationID)
    }.map(current)
  }

  func storedPending() async throws -> [PushNotification] {
    try await storing("the notifications were not read") {
      try await storage.getPendingPushNotifications()
    }.map(current)
  }
}
