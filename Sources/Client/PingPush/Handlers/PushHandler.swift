/// Understands one kind of server's messages, and answers them.
///
/// ``parseMessage(messageData:)`` returns values under the keys of ``ParsedPushMessage``; only the credential's id is required.
/// The handler that parsed a message also sends its answer, and decides what an answer must contain.
///
/// An app's handler is responsible for the origin of its messages, and may keep its credentials elsewhere: a message for an
/// unknown credential is stored too, and its answer is sent with a credential that has only the id. Conform the handler to
/// ``PushMessageVerifier`` to have messages verified with the stored credential's secret.
public protocol PushHandler: AnyObject, Sendable {
  /// Whether the handler understands this payload.
  func canHandle(messageData: [String: Any]) -> Bool

  /// Whether the handler understands this text.
  func canHandle(message: String) -> Bool

  /// The content of the payload.
  ///
  /// - Throws: ``PushError/messageParsingFailed(_:)``
  func parseMessage(messageData: [String: Any]) throws -> [String: Any]

  /// The content of the text.
  ///
  /// - Throws: ``PushError/messageParsingFailed(_:)``
  func parseMessage(message: String) throws -> [String: Any]

  /// Sends the person's approval to the server.
  ///
  /// - Parameter params: `challengeResponse` from `approveChallengeNotification`, `authenticationMethod` from
  ///   `approveBiometricNotification`, nothing from `approveNotification`, whatever the notification's type.
  /// - Returns: Whether it was sent to the server.
  /// - Throws: ``PushError/networkFailure(_:_:)``
  func sendApproval(
    credential: PushCredential, notification: PushNotification, params: [String: Any]
  ) async throws -> Bool

  /// Sends the person's denial to the server.
  ///
  /// - Parameter params: `reason`, or nothing.
  /// - Returns: Whether it was sent to the server.
  /// - Throws: ``PushError/networkFailure(_:_:)``
  func sendDenial(
    credential: PushCredential, notification: PushNotification, params: [String: Any]
  ) async throws -> Bool

  /// Sends the device's new token to the server.
  ///
  /// - Parameter params: `deviceName`.
  /// - Returns: Whether it was sent to the server.
  /// - Throws: ``PushError/networkFailure(_:_:)``
  func setDeviceToken(
    credential: PushCredential, deviceToken: String, params: [String: Any]
  ) async throws -> Bool

  /// Registers the credential with its server.
  ///
  /// - Parameter params: `messageId`, `challenge`, `amlbCookie`, `deviceId`, `deviceName`.
  /// - Returns: Whether the server accepted.
  /// - Throws: ``PushError/networkFailure(_:_:)``
  func register(credential: PushCredential, params: [String: Any]) async throws -> Bool
}

/// A ``PushHandler`` whose messages are signed. A message for an unknown credential is refused. A message whose challenge was
/// received before counts as the stored one, whatever its id.
public protocol PushMessageVerifier: PushHandler {
  /// Throws unless the credential's server signed `rawMessage`, the `rawJwt` of the parsed message.
  ///
  /// Called before any part of the message is stored or shown.
  /// - Throws: ``PushError/messageParsingFailed(_:)``
  func verify(rawMessage: String, credential: PushCredential) throws

  /// Whether the handler can answer the notification. If not, it is stored as not pending.
  func canAnswer(_ notification: PushNotification) -> Bool
}

extension PushMessageVerifier {
  /// Every notification can be answered.
  public func canAnswer(_ notification: PushNotification) -> Bool { true }
}
