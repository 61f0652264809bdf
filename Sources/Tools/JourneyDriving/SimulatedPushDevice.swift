public import Bytes
public import Foundation
public import PushFormats

/// A device that is registered for push messages: PingPush's formats without its store.
public struct SimulatedPushDevice: Sendable, Redacted {
  public let mechanismUID: String
  public let secret: PushSecret

  /// Creates a device that the server knows.
  public init(mechanismUID: String, secret: PushSecret) {
    (self.mechanismUID, self.secret) = (mechanismUID, secret)
  }

  /// Answers an enrolment.
  ///
  /// - Parameter name: The device's name on the server.
  /// - Returns: The device, and the body that registers it.
  /// - Throws: ``MalformedAnswer`` for an incomplete address.
  public static func enrol(
    _ uri: PushEnrolmentURI, name: String?
  ) async throws -> (device: SimulatedPushDevice, registration: [UInt8]) {
    guard let challenge = uri.challenge, let messageID = uri.messageID else {
      throw MalformedAnswer("the enrolment address lacks its challenge or message id")
    }
    let device = SimulatedPushDevice(mechanismUID: UUID().uuidString, secret: uri.secret)
    let registration = PushRegistration(
      response: uri.secret.response(to: challenge), mechanismUID: device.mechanismUID,
      address: PushDeviceAddress(
        deviceID: device.mechanismUID, deviceName: name, deviceType: "linux", communicationType: "poll"))
    let body = PushAnswerBody(
      messageID: messageID, jwt: try await registration.token(secret: uri.secret))
    return (device, body.serialized)
  }

  /// The token for fetching messages.
  public func fetchToken(at now: Date) async throws -> String {
    try await PushFetch(mechanismUID: mechanismUID, issuedAt: Int64(now.timeIntervalSince1970))
      .token(secret: secret)
  }

  /// The body for fetching messages.
  ///
  /// - Parameter wait: The longest delay of the answer, in seconds.
  public func poll(at now: Date, wait: Int = 0) async throws -> [UInt8] {
    PushPollBody(mechanismUID: mechanismUID, jwt: try await fetchToken(at: now), wait: wait).serialized
  }

  /// The verified messages in the answer.
  public func messages(in answer: [UInt8]) throws -> [(id: String, message: PushMessage)] {
    try PushPollAnswer(parsing: answer).messages.map { delivered in
      (delivered.messageID, try UnverifiedPushMessage(delivered.message).verified(with: secret))
    }
  }

  /// The body that approves or denies a message.
  ///
  /// - Parameter shown: The number or code on the sign-in page, if the message asks for one.
  public func answer(
    _ id: String, _ message: PushMessage, shown: String? = nil, isDenied: Bool = false
  ) async throws -> [UInt8] {
    let answer = PushAnswer(
      response: secret.response(to: message.challenge), isDenied: isDenied, challengeResponse: shown)
    return PushAnswerBody(messageID: id, jwt: try await answer.token(secret: secret)).serialized
  }
}
