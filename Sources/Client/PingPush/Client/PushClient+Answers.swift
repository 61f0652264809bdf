internal import Concurrency
internal import Foundation
internal import PingLogger

extension PushClient {
  /// Approves a ``PushType/default`` notification, or a notification for which the app has asked the person itself. The handler that
  /// received the notification decides whether that suffices: PingAM's handler accepts a ``PushType/biometric`` one after the app has
  /// recognised the person, and requires the number or code of a ``PushType/challenge``.
  ///
  /// - Returns: `true` when the server has the answer; `false` when the notification was answered before or has expired, or when
  ///   the handler did not send the answer.
  /// - Throws: ``PushError/notificationNotFound(_:)``, ``PushError/credentialNotFound(_:)``,
  ///   ``PushError/credentialLocked(_:)``, ``PushError/invalidParameterValue(_:)`` when the notification asks for more
  ///   than a tap, ``PushError/networkFailure(_:_:)``. The notification then stays pending.
  @discardableResult
  public func approveNotification(_ notificationId: String) async throws -> Bool {
    try await answer(notificationId, Answer(isApproval: true))
  }

  /// Approves a ``PushType/challenge`` notification with the number, or the code, that the sign-in page shows.
  ///
  /// - Throws: As ``approveNotification(_:)``, and ``PushError/pushNumberChallengeError(_:)`` when the server refuses
  ///   the number or code.
  @discardableResult
  public func approveChallengeNotification(
    _ notificationId: String, challengeResponse: String
  ) async throws -> Bool {
    let response = challengeResponse.trimmingCharacters(in: .whitespacesAndNewlines)
    return try await answer(
      notificationId, Answer(isApproval: true, parameters: [ParameterKey.challengeResponse: response]),
      refusing: response.isEmpty ? "The number or code is empty." : nil)
  }

  /// Approves a ``PushType/biometric`` notification after the person was recognised.
  ///
  /// - Parameter authenticationMethod: How the person was recognised, such as `fingerprint` or `face`. It is not sent.
  /// - Throws: As ``approveNotification(_:)``.
  @discardableResult
  public func approveBiometricNotification(
    _ notificationId: String, authenticationMethod: String
  ) async throws -> Bool {
    let method = authenticationMethod.trimmingCharacters(in: .whitespacesAndNewlines)
    return try await answer(
      notificationId, Answer(isApproval: true, parameters: [ParameterKey.authenticationMethod: method]),
      refusing: method.isEmpty ? "The authentication method is empty." : nil)
  }

  /// Denies a notification of any type. A locked credential can deny, so that an attack can always be rejected.
  ///
  /// - Returns: As ``approveNotification(_:)``.
  @discardableResult
  public func denyNotification(_ notificationId: String) async throws -> Bool {
    try await answer(notificationId, Answer(isApproval: false))
  }

  /// Denies a notification and gives the reason, for the server's log.
  ///
  /// - Parameter reason: At most 200 characters are sent. Servers that do not support reasons ignore it.
  @discardableResult
  public func denyNotification(_ notificationId: String, reason: String) async throws -> Bool {
    let reason = reason.trimmingCharacters(in: .whitespacesAndNewlines)
    return try await answer(
      notificationId,
      Answer(isApproval: false, parameters: reason.isEmpty ? [:] : [ParameterKey.reason: reason]))
  }

  private struct Answer: Sendable {
    var isApproval: Bool
    var parameters: [String: String] = [:]
  }

  private func answer(_ id: String, _ answer: Answer, refusing fault: String? = nil) async throws -> Bool {
    try await gate.run {
      if let fault { throw PushError.invalidParameterValue(fault) }
      // A second caller waits, and then finds the notification answered.
      return try await turns.withLock("notification \(id)") { try await send(answer, id) }
    }
  }

  private func send(_ answer: Answer, _ id: String) async throws -> Bool {
    await saveUnsaved(id)
    guard var notification = try await stored(id) else { throw PushError.notificationNotFound(id) }
    guard notification.isPending(at: dependencies.now()) else {
      logger.i("Push notification \(id) is answered or has expired; nothing was sent")
      return false
    }
    let (handler, credential) = try await parties(of: notification)
    if answer.isApproval, credential.isLocked { throw PushError.credentialLocked(credential.id) }
    do {
      let send = answer.isApproval ? handler.sendApproval : handler.sendDenial
      guard try await send(credential, notification, answer.parameters) else { return false }
    } catch {
      // Not an error if another process has answered in the meantime.
      if let now = try? await storage.retrievePushNotification(notificationId: id), now.responded {
        return false
      }
      throw error
    }
    notification.mark(approved: answer.isApproval, at: dependencies.now())
    let answered = notification
    unsaved.withLock { $0[id] = answered }
    await saveUnsaved(id)
    return true
  }

  /// The handler that received the notification, or the one of the credential's platform for records without a handler, and the
  /// credential to answer with.
  private func parties(
    of notification: PushNotification
  ) async throws -> (handler: any PushHandler, credential: PushCredential) {
    let id = notification.credentialId
    let stored = try await credential(id)
    guard let key = notification.handlerKey else {
      guard let stored else { throw PushError.credentialNotFound(id) }
      return (try handler(for: stored.platform), stored)
    }
    guard let handler = handlers[key] else { throw PushError.noHandlerForPlatform(key) }
    if let stored { return (handler, stored) }
    // A handler that verifies its messages has its credentials in this storage; other handlers may keep them elsewhere.
    guard !(handler is any PushMessageVerifier) else { throw PushError.credentialNotFound(id) }
    return (handler, PushCredential.unknown(id: id))
  }
}

extension PushClient {
  /// The notification, with its answer if the server has one that the storage does not have yet.
  func current(_ notification: PushNotification) -> PushNotification {
    unsaved.withLock { $0[notification.id] } ?? notification
  }

  /// Tries to store an answer that the server has. A failure is only logged: the server's decision stands, and the copy in
  /// memory prevents a second answer.
  private func saveUnsaved(_ id: String) async {
    guard let notification = unsaved.withLock({ $0[id] }) else { return }
    do {
      // A notification that was removed in the meantime is not saved.
      if try await storage.retrievePushNotification(notificationId: id) != nil {
        try await storage.updatePushNotification(notification)
      }
      unsaved.withLock { $0[id] = nil }
    } catch {
      logger.e("The server has the answer to push notification \(id), but it was not stored", error: error)
    }
  }

  func saveAllUnsaved() async {
    for id in unsaved.withLock({ Array($0.keys) }) {
      await turns.withLock("notification \(id)") { await saveUnsaved(id) }
    }
  }
}
