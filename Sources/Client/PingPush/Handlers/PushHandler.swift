/// Understands the messages of one kind of server, and talks to it.
///
/// What ``parseMessage(messageData:)`` returns has the keys of ``ParsedPushMessage``; of these the credential's id alone is
/// required. The handler that read a message sends its answer, and decides what an answer has to have.
///
/// A handler of the app answers for where its messages come from, and may keep its credentials elsewhere: a message for an
/// unknown one is stored, too, and its answer is sent with a credential that has nothing but the id. Conform the handler to
/// ``PushMessageVerifier`` to have messages verified with the stored credential's secret.
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
  /// - Parameter params: `challengeResponse` from `approveChallengeNotification`, `authenticationMethod` from
  ///   `approveBiometricNotification`, nothing from `approveNotification`, whatever the notification's type.
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

/// A ``PushHandler`` whose messages carry a signature. A message for an unknown credential is refused, and one whose challenge
/// was received before is the stored one, whatever its id says.
public protocol PushMessageVerifier: PushHandler {
  /// Throws unless `rawMessage`, the `rawJwt` of the parsed message, was signed by the credential's server.
  ///
  /// Called before anything of the message is stored or shown.
  /// - Throws: ``PushError/messageParsingFailed(_:)``
  func verify(rawMessage: String, credential: PushCredential) throws

  /// Whether the handler can send an answer to the notification. One that it cannot answer is stored as not pending.
  func canAnswer(_ notification: PushNotification) -> Bool
}

extension PushMessageVerifier {
  /// Every notification can be answered.
  public func canAnswer(_ notification: PushNotification) -> Bool { true }
}
