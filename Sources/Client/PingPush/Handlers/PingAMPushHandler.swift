internal import Foundation
internal import PingCommons
public import PingLogger
public import PingNetwork
public import PingOrchestrate
internal import PushFormats
internal import StrictJSON

/// Understands the messages of PingAM and compatible servers.
///
/// A message is accepted when the stored credential's secret signed it. It can be answered when it has an id and a challenge.
public final class PingAMPushHandler: PushMessageVerifier {
  private let responder: any PingAMPushResponderType
  private let device: PushDeviceDescription

  /// A handler that sends through `httpClient`, for instance a subclass that pins certificates.
  ///
  /// - Parameters:
  ///   - logger: Receives refusals; they are not logged when `nil`.
  ///   - pushResponder: Sends registrations, answers and tokens; one over `httpClient` when `nil`.
  public convenience init(
    httpClient: PingOrchestrate.HttpClient, logger: (any Logger)? = LogManager.logger,
    pushResponder: (any PingAMPushResponderType)? = nil
  ) {
    self.init(
      httpClient: OrchestrateClient(client: httpClient), logger: logger, pushResponder: pushResponder)
  }

  /// A handler that sends through a client of PingNetwork.
  ///
  /// - Parameters:
  ///   - logger: Receives refusals; they are not logged when `nil`.
  ///   - pushResponder: Sends registrations, answers and tokens; one over `httpClient` when `nil`.
  ///   - device: How the device describes itself to servers.
  public init(
    httpClient: any HttpClientProtocol = PingNetwork.HttpClient.createClient(),
    logger: (any Logger)? = LogManager.logger,
    pushResponder: (any PingAMPushResponderType)? = nil, device: PushDeviceDescription = .current
  ) {
    responder = pushResponder ?? PingAMPushResponder(httpClient: httpClient, logger: logger, device: device)
    self.device = device
  }

  public func canHandle(messageData: [String: Any]) -> Bool {
    guard let parts = Self.parts(of: messageData) else { return false }
    return canHandle(message: parts.message)
  }

  public func canHandle(message: String) -> Bool { (try? UnverifiedPushMessage(message)) != nil }

  public func parseMessage(messageData: [String: Any]) throws -> [String: Any] {
    guard let parts = Self.parts(of: messageData) else {
      throw PushError.messageParsingFailed("messageId or message is absent.")
    }
    var parsed = try parseMessage(message: parts.message)
    parsed[ParsedPushMessage.Key.messageId] = parts.messageID
    return parsed
  }

  /// The content of the message. Do not trust it before ``verify(rawMessage:credential:)``.
  ///
  /// The `messageId` is the beginning of the signature, as in the published SDK, and only tells messages apart on this device. The
  /// server does not know this id and refuses an answer with it; ``PushClient`` does not use it.
  public func parseMessage(message: String) throws -> [String: Any] {
    try Self.reading { () throws(PushFormatError) in
      let unverified = try UnverifiedPushMessage(message)
      var parsed = Self.dictionary(
        try unverified.unverifiedContent(), claims: try unverified.unverifiedClaims(), raw: unverified.compact
      )
      let signature = unverified.compact.drop { $0 != "." }.dropFirst().drop { $0 != "." }.dropFirst()
      parsed[ParsedPushMessage.Key.messageId] = String(signature.prefix(8))
      return parsed
    }
  }

  public func verify(rawMessage: String, credential: PushCredential) throws {
    let message = try Self.reading { () throws(PushFormatError) in try UnverifiedPushMessage(rawMessage) }
    _ = try Self.verified(message, with: credential)
  }

  /// The message, if the credential's secret signed it for that credential.
  ///
  /// - Throws: ``PushError/messageParsingFailed(_:)``
  static func verified(
    _ message: UnverifiedPushMessage, with credential: PushCredential
  ) throws -> PushMessage {
    let secret = try credential.secret()
    let verified = try reading { () throws(PushFormatError) in try message.verified(with: secret) }
    guard verified.mechanismUID == credential.id else {
      throw PushError.messageParsingFailed("It is for another credential.")
    }
    return verified
  }

  private static func reading<Value>(_ body: () throws(PushFormatError) -> Value) throws(PushError) -> Value {
    do { return try body() } catch { throw .messageParsingFailed(error.reason) }
  }

  /// Whether the notification has an id and a challenge, without which servers accept no answer.
  public func canAnswer(_ notification: PushNotification) -> Bool {
    !notification.messageId.isEmpty && notification.challenge?.isEmpty == false
  }

  /// Approves the notification. A ``PushType/challenge`` needs a `challengeResponse`. For a ``PushType/biometric`` the app vouches
  /// that it has recognised the person, with or without an `authenticationMethod`; a number is refused.
  ///
  /// - Throws: ``PushError/invalidParameterValue(_:)`` before anything is sent; what the responder throws.
  public func sendApproval(
    credential: PushCredential, notification: PushNotification, params: [String: Any]
  ) async throws -> Bool {
    let given = (params[ParameterKey.challengeResponse] as? String)?
      .trimmingCharacters(in: .whitespacesAndNewlines)
    var answer: String?
    switch notification.pushType {
    case .default: break
    case .challenge:
      guard let given, !given.isEmpty else {
        throw PushError.invalidParameterValue(
          "The notification asks for a number or code, and none was given.")
      }
      answer = given
    case .biometric:
      guard given == nil else {
        throw PushError.invalidParameterValue(
          "The notification asks the device to recognise the person; a number or code does not answer it.")
      }
    }
    return try await responder.sendAuthenticationResponse(
      credential: credential, notification: notification, approve: true, numbersChallengeResponse: answer)
  }

  public func sendDenial(
    credential: PushCredential, notification: PushNotification, params: [String: Any]
  ) async throws -> Bool {
    if let reason = params[ParameterKey.reason] as? String, let responder = responder as? PingAMPushResponder
    {
      return try await responder.sendDenial(
        credential: credential, notification: notification, reason: reason)
    }
    return try await responder.sendAuthenticationResponse(
      credential: credential, notification: notification, approve: false, numbersChallengeResponse: nil)
  }

  public func setDeviceToken(
    credential: PushCredential, deviceToken: String, params: [String: Any]
  ) async throws -> Bool {
    try await responder.updateDeviceToken(
      credential: credential, deviceToken: try PushDeviceToken.usable(deviceToken),
      deviceName: params[ParameterKey.deviceName] as? String ?? device.name)
  }

  public func register(credential: PushCredential, params: [String: Any]) async throws -> Bool {
    guard !params.isEmpty else {
      throw PushError.invalidParameterValue("There are no parameters to register with.")
    }
    return try await responder.register(credential: credential, params: params)
  }

  private static func parts(of messageData: [String: Any]) -> (messageID: String, message: String)? {
    let data = ParsedPushMessage(messageData)
    guard let id = data.text("messageId"), let message = data.text("message") else { return nil }
    return (id, message)
  }

  private static func dictionary(_ message: PushMessage, claims: JSONObject, raw: String) -> [String: Any] {
    typealias Key = ParsedPushMessage.Key
    // The type as it was sent, so that an app's handler also sees types that this version does not know.
    let type = claims["k"]?.stringValue.flatMap { $0.isEmpty ? nil : $0 } ?? message.type.rawValue
    var parsed: [String: Any] = [
      Key.rawJwt: raw, Key.credentialId: message.mechanismUID, Key.challenge: message.challenge.base64,
      Key.ttl: message.timeToLive, Key.pushType: type,
      Key.additionalData: message.additionalData,
    ]
    parsed[Key.deviceName] = message.deviceName
    parsed[Key.timeInterval] = message.sentAtMilliseconds.map { Int(clamping: $0) }
    parsed[Key.messageText] = message.text
    parsed[Key.customPayload] = message.customPayload
    if !message.numbers.isEmpty {
      parsed[Key.numbersChallenge] = message.numbers.map(String.init).joined(separator: ",")
    }
    parsed[Key.contextInfo] = message.contextInfo
    parsed[Key.amlbCookie] = message.loadBalancer
    parsed[Key.userId] = message.username
    parsed[Key.codeLength] = message.codeLength
    return parsed
  }
}
