internal import Foundation
public import PingLogger
public import PingNetwork
public import PingOrchestrate
internal import PushFormats
internal import StrictJSON
internal import TerminalText

/// Sends a device's registrations, answers and tokens to PingAM.
public protocol PingAMPushResponderType: Sendable {
  /// Registers the credential; `params` has `messageId`, `challenge`, `deviceId`, and optionally `amlbCookie` and
  /// `deviceName`.
  @discardableResult
  func register(credential: PushCredential, params: [String: Any]) async throws -> Bool

  /// Approves the notification, with the number or code if it asks for one, or denies it.
  @discardableResult
  func sendAuthenticationResponse(
    credential: PushCredential, notification: PushNotification, approve: Bool,
    numbersChallengeResponse: String?
  ) async throws -> Bool

  /// Reports the device's new token and name; when `deviceName` is `nil`, the responder's own name for the device.
  @discardableResult
  func updateDeviceToken(
    credential: PushCredential, deviceToken: String, deviceName: String?
  ) async throws -> Bool
}

/// Sends signed answers to the push endpoint of PingAM or a compatible server.
public final class PingAMPushResponder: PingAMPushResponderType {
  private let httpClient: any HttpClientProtocol
  private let logger: any Logger
  private let device: PushDeviceDescription
  private let now: @Sendable () -> Date

  /// A responder that sends through `httpClient`, for instance a subclass that pins certificates.
  ///
  /// - Parameter logger: Receives refusals; they are not logged when `nil`.
  public convenience init(
    httpClient: PingOrchestrate.HttpClient, logger: (any Logger)? = LogManager.logger
  ) {
    self.init(httpClient: OrchestrateClient(client: httpClient), logger: logger)
  }

  /// A responder that sends through a client of PingNetwork.
  ///
  /// - Parameters:
  ///   - logger: Receives refusals; they are not logged when `nil`.
  ///   - device: How the device describes itself to servers.
  public convenience init(
    httpClient: any HttpClientProtocol = PingNetwork.HttpClient.createClient(),
    logger: (any Logger)? = LogManager.logger, device: PushDeviceDescription = .current
  ) {
    self.init(httpClient: httpClient, logger: logger, device: device, now: { Date() })
  }

  init(
    httpClient: any HttpClientProtocol, logger: (any Logger)?, device: PushDeviceDescription,
    now: @escaping @Sendable () -> Date
  ) {
    self.httpClient = httpClient
    self.logger = logger ?? LogManager.none
    self.device = device
    self.now = now
  }

  /// - Throws: ``PushError/missingRequiredParameter(_:)`` and ``PushError/invalidParameterValue(_:)`` before anything is
  ///   sent, ``PushError/networkFailure(_:_:)``
  @discardableResult
  public func register(credential: PushCredential, params: [String: Any]) async throws -> Bool {
    let messageID = try Self.required(ParameterKey.messageId, in: params)
    let deviceID = try Self.required(ParameterKey.deviceId, in: params)
    let challenge = try Self.required(ParameterKey.challenge, in: params)
    let secret = try credential.secret()
    let registration = PushRegistration(
      response: secret.response(to: try Self.challenge(challenge)), mechanismUID: credential.id,
      address: await address(deviceID, params[ParameterKey.deviceName] as? String))
    try await post(
      PushAnswerBody(messageID: messageID, jwt: try await registration.token(secret: secret)).serialized,
      to: credential.registrationEndpoint, cookie: params[ParameterKey.amlbCookie] as? String,
      what: "registration")
    return true
  }

  /// - Throws: ``PushError/invalidParameterValue(_:)`` before anything is sent, ``PushError/networkFailure(_:_:)``,
  ///   ``PushError/pushNumberChallengeError(_:)`` when the server refuses a number or code
  @discardableResult
  public func sendAuthenticationResponse(
    credential: PushCredential, notification: PushNotification, approve: Bool,
    numbersChallengeResponse: String? = nil
  ) async throws -> Bool {
    try await answer(
      credential, notification, approve: approve, challengeResponse: numbersChallengeResponse, reason: nil)
  }

  /// Denies the notification and gives the reason, for the server's log. Servers that do not know the claim `reason` ignore it.
  @discardableResult
  public func sendDenial(
    credential: PushCredential, notification: PushNotification, reason: String?
  ) async throws -> Bool {
    try await answer(credential, notification, approve: false, challengeResponse: nil, reason: reason)
  }

  /// - Throws: ``PushError/invalidParameterValue(_:)`` for a blank token and ``PushError/missingRequiredParameter(_:)`` when the user's
  ///   name is not known, before anything is sent; ``PushError/networkFailure(_:_:)``
  @discardableResult
  public func updateDeviceToken(
    credential: PushCredential, deviceToken: String, deviceName: String? = nil
  ) async throws -> Bool {
    let deviceToken = try PushDeviceToken.usable(deviceToken)
    guard let username = credential.userId, !username.isEmpty else {
      throw PushError.missingRequiredParameter("userId")
    }
    let secret = try credential.secret()
    // The time lets our server refuse a replayed old token; other servers ignore it.
    let refresh = PushRefresh(
      mechanismUID: credential.id, address: await address(deviceToken, deviceName),
      issuedAt: Int64(now().timeIntervalSince1970))
    let body = PushRefreshBody(
      mechanismUID: credential.id, username: username, jwt: try await refresh.token(secret: secret))
    try await post(body.serialized, to: credential.updateEndpoint, cookie: nil, what: "token update")
    return true
  }

  private func answer(
    _ credential: PushCredential, _ notification: PushNotification, approve: Bool,
    challengeResponse: String?, reason: String?
  ) async throws -> Bool {
    guard let challenge = notification.challenge, !challenge.isEmpty else {
      throw PushError.invalidParameterValue("The notification has no challenge and cannot be answered.")
    }
    let secret = try credential.secret()
    let answer = PushAnswer(
      response: secret.response(to: try Self.challenge(challenge)), isDenied: !approve,
      challengeResponse: approve ? challengeResponse : nil, reason: reason)
    let body = PushAnswerBody(
      messageID: notification.messageId, jwt: try await answer.token(secret: secret))
    let refusal = try await refusal(
      of: body.serialized, to: credential.authenticationEndpoint, cookie: notification.loadBalancer,
      what: "answer")
    guard let refusal else { return true }
    // PingAM since 8.1 refuses a wrong number with status 400 alone; our server also sends an error code that tells the reason.
    guard refusal.status == 400, approve, notification.pushType == .challenge,
      refusal.code == nil || refusal.code == "wrongAnswer"
    else { throw PushError.networkFailure(refusal.text, nil) }
    throw PushError.pushNumberChallengeError(refusal.text)
  }

  private func address(_ token: String, _ name: String?) async -> PushDeviceAddress {
    let shownName = if let name { name } else { await device.shownName() }
    return PushDeviceAddress(
      deviceID: token, deviceName: shownName, deviceType: device.type,
      communicationType: device.communicationType)
  }

  private static func required(_ name: String, in parameters: [String: Any]) throws(PushError) -> String {
    guard let value = ParsedPushMessage(parameters).text(name) else { throw .missingRequiredParameter(name) }
    return value
  }

  private static func challenge(_ text: String) throws(PushError) -> PushChallenge {
    do { return try PushChallenge(base64: text) } catch {
      throw .invalidParameterValue(error.reason)
    }
  }
}

extension PingAMPushResponder {
  /// A server's answer that is not a success.
  private struct Refusal {
    var status: Int
    /// The answer's `detail.errorCode`, which our server sends.
    var code: String?
    var text: String
  }

  /// Posts a request whose reason for refusal does not matter.
  private func post(_ body: [UInt8], to url: String, cookie: String?, what: String) async throws {
    if let refusal = try await refusal(of: body, to: url, cookie: cookie, what: what) {
      throw PushError.networkFailure(refusal.text, nil)
    }
  }

  /// Posts `body`; `nil` when the server accepts it.
  private func refusal(
    of body: [UInt8], to url: String, cookie: String?, what: String
  ) async throws -> Refusal? {
    let response = try await httpClient.postPush(
      body, to: url, cookie: cookie, failure: "The \(what) was not sent, or not answered.")
    guard !response.status.isSuccess() else { return nil }
    let json = try? JSONValue(parsing: (response.body ?? Data()).prefix(4096))
    let reason = json?["message"]?.stringValue ?? json?["reason"]?.stringValue
    logger.w("The server refused the \(what) with status \(response.status)")
    return Refusal(
      status: response.status, code: json?["detail"]?["errorCode"]?.stringValue,
      text: "The server answered the \(what) with status code \(response.status): "
        + (reason.map { TerminalText.line($0, columns: 200) } ?? ""))
  }
}

extension HttpClientProtocol {
  /// Posts to a push endpoint, and returns the answer, whatever its status.
  ///
  /// - Parameter failure: What to report when there is no answer.
  func postPush(
    _ body: [UInt8], to url: String, cookie: String? = nil, failure: String
  ) async throws(PushError) -> any PingNetwork.HttpResponse {
    let request = request()
    request.url = url
    request.setMethod(.post)
    request.setHeader(name: NetworkConstants.headerContentType, value: NetworkConstants.contentTypeJSON)
    request.setHeader(name: "Accept-API-Version", value: "resource=1.0, protocol=1.0")
    request.setBody(Data(body))
    if let cookie, !cookie.isEmpty { request.setCookie(cookie: cookie) }
    do { return try await self.request(request: request).get() } catch {
      throw .networkFailure(failure, error)
    }
  }
}
