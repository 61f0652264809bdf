/// Understands the messages of one kind of server, and talks to it.
///
/// What ``parseMessage(messageData:)`` returns has the keys of ``ParsedPushMessage``. A handler of the app answers for where
/// its messages come from: conform it to ``PushMessageVerifier`` to have them verified with the credential's secret.
public protocol PushHandler: AnyObject, Sendable {
  /// Whether the handler understands this payload.
  func canHandle(messageData: [String: Any]) -> Bool

  /// Whether the handler understands this text.
  func canHandle(message: String) -> Bool

  /// What the payload says.
  ///
  /// - Throws: ``PushError/messageParsingFailed(_:)``
  func parseMessage(messageData: [String: Any]) throws -> [String: Any]

  /// What the text says.
  ///
  /// - Throws: ``PushError/messageParsingFailed(_:)``
  func parseMessage(message: String) throws -> [String: Any]

  /// Tells the server that the person approved.
  ///
  /// - Parameter params: `challengeResponse`, `authenticationMethod`, or nothing.
  /// - Returns: Whether the server was told.
  /// - Throws: ``PushError/networkFailure(_:_:)``
  func sendApproval(
    credential: PushCredential, notification: PushNotification, params: [String: Any]
  ) async throws -> Bool

  /// Tells the server that the person denied.
  ///
  /// - Parameter params: `reason`, or nothing.
  /// - Returns: Whether the server was told.
  /// - Throws: ``PushError/networkFailure(_:_:)``
  func sendDenial(
    credential: PushCredential, notification: PushNotification, params: [String: Any]
  ) async throws -> Bool

  /// Tells the server the device's new token.
  ///
  /// - Parameter params: `deviceName`.
  /// - Returns: Whether the server was told.
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

/// A ``PushHandler`` whose messages carry a signature.
public protocol PushMessageVerifier: PushHandler {
  /// Throws unless `rawMessage`, the `rawJwt` of the parsed message, was signed by the credential's server.
  ///
  /// Called before anything of the message is stored or shown.
  /// - Throws: ``PushError/messageParsingFailed(_:)``
  func verify(rawMessage: String, credential: PushCredential) throws
}
