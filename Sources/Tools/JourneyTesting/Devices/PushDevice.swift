internal import Concurrency
internal import Foundation
internal import JourneyDriving
internal import PushFormats
internal import StrictJSON

/// A device that registers for push messages, and fetches and answers them.
final class PushDevice: Sendable {
  private struct Credential: Sendable {
    let device: SimulatedPushDevice
    let authentication: PushServerURL
  }

  private let credential = Locked<Credential?>(nil)

  /// Registers with a `pushauth` or `mfauth` URI.
  func enrol(_ uri: String, name: String?) async throws {
    let enrolment = try PushEnrolmentURI(parsing: uri)
    let (device, registration) = try await SimulatedPushDevice.enrol(enrolment, name: name)
    try await LocalHTTP.send(
      enrolment.registrationURL.with(action: "register"), body: JSONObject(parsing: registration))
    let new = Credential(device: device, authentication: enrolment.authenticationURL)
    credential.withLock { $0 = new }
  }

  /// Fetches the waiting message and answers it.
  ///
  /// - Parameter shown: the number or code that the page shows, if any.
  func answer(_ answer: ScriptStep.PushUse.Answer, shown: String?, at now: Date) async throws {
    guard let credential = credential.withLock({ $0 }) else {
      throw ScriptFailure("the device has not been enrolled for push messages: use a step `enrol` first")
    }
    let (device, endpoint) = (credential.device, credential.authentication)
    let reply = try await LocalHTTP.send(
      endpoint.with(action: "poll"), body: JSONObject(parsing: try await device.poll(at: now)))
    guard let (id, message) = try device.messages(in: Array(reply.text.utf8)).last else {
      throw ScriptFailure("no push message is waiting for the device")
    }
    let response: String? =
      switch answer {
      case .deny: nil
      case .approve: shown
      case .number(let number): number
      }
    let body = try await device.answer(id, message, shown: response, isDenied: answer == .deny)
    try await LocalHTTP.send(endpoint.with(action: "authenticate"), body: JSONObject(parsing: body))
  }
}
