internal import Concurrency
internal import Foundation
internal import PushFormats
internal import StrictJSON

/// A device that registers for push messages, fetches and answers them.
final class PushDevice: Sendable {
  private struct Credential: Sendable {
    let id: String
    let secret: PushSecret
    let authentication: PushServerURL
  }

  private let credential = Locked<Credential?>(nil)

  /// Registers with what a `pushauth` or `mfauth` URI offers.
  func enrol(_ uri: String, name: String?) async throws {
    let enrolment = try PushEnrolmentURI(parsing: uri)
    guard let challenge = enrolment.challenge, let messageID = enrolment.messageID else {
      throw ScriptFailure("the enrolment has no challenge")
    }
    let id = UUID().uuidString
    let registration = PushRegistration(
      response: enrolment.secret.response(to: challenge), mechanismUID: id,
      address: PushDeviceAddress(
        deviceID: id, deviceName: name, deviceType: "linux", communicationType: "poll"))
    let body = PushAnswerBody(
      messageID: messageID, jwt: try await registration.token(secret: enrolment.secret))
    try await LocalHTTP.send(
      enrolment.registrationURL.with(action: "register"), body: JSONObject(parsing: body.serialized))
    let new = Credential(id: id, secret: enrolment.secret, authentication: enrolment.authenticationURL)
    credential.withLock { $0 = new }
  }

  /// Fetches the waiting message and answers it.
  ///
  /// - Parameter shown: the number or code that the page shows, if any.
  func answer(_ answer: ScriptStep.PushUse.Answer, shown: String?, at now: Date) async throws {
    guard let credential = credential.withLock({ $0 }) else {
      throw ScriptFailure("the device has not been enrolled for push messages: use a step `enrol` first")
    }
    let (secret, endpoint) = (credential.secret, credential.authentication)
    let fetch = PushFetch(mechanismUID: credential.id, issuedAt: Int64(now.timeIntervalSince1970))
    let poll = PushPollBody(mechanismUID: credential.id, jwt: try await fetch.token(secret: secret))
    let reply = try await LocalHTTP.send(
      endpoint.with(action: "poll"), body: JSONObject(parsing: poll.serialized))
    let messages = try PushPollAnswer(parsing: Array(reply.text.utf8)).messages
    guard let delivered = messages.last else {
      throw ScriptFailure("no push message is waiting for the device")
    }
    let message = try UnverifiedPushMessage(delivered.message).verified(with: secret)
    var response = PushAnswer(response: secret.response(to: message.challenge), isDenied: answer == .deny)
    switch answer {
    case .deny: break
    case .approve: response.challengeResponse = shown
    case .number(let number): response.challengeResponse = number
    }
    let body = PushAnswerBody(
      messageID: delivered.messageID, jwt: try await response.token(secret: secret))
    try await LocalHTTP.send(
      endpoint.with(action: "authenticate"), body: JSONObject(parsing: body.serialized))
  }
}
