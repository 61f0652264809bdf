internal import Bytes
internal import Foundation
internal import JourneyDriving
internal import PushFormats
internal import StrictJSON
internal import WebAddresses

/// Push, for a device that fetches its messages.
extension ScenarioAnswers {
  private static let api = "resource=1.0, protocol=1.0"
  /// The longest time that the server may delay the answer to a poll, in seconds.
  private static let wait = 10

  mutating func registerForPush(_ text: String) async throws {
    guard settings.scenario == .pushRegister else { throw refuse("a push registration") }
    guard enrolment == nil else { return }
    let uri: PushEnrolmentURI
    do { uri = try PushEnrolmentURI(parsing: text) } catch {
      throw LoadFailure(.malformed, "the enrolment address cannot be read: \(error.reason)")
    }
    // A server must not direct thousands of devices to another server.
    let place = WebOrigin(address: uri.registrationURL.endpoint)
    guard place?.namingLoopback == driver.target.origin.namingLoopback else {
      throw LoadFailure(
        .unanswerable,
        "devices are to register at \(place?.description ?? "an unknown place"), and that is not the server that is loaded"
      )
    }
    let (device, registration) = try await SimulatedPushDevice.enrol(uri, name: "load test")
    try await post("register", registration, as: .register)
    enrolment = .push(device)
    hasDone = true
  }

  /// Fetches the run's message, and approves it once.
  mutating func approve(_ page: JourneyPage) async throws {
    guard settings.scenario == .push, !hasDone, let credential = device.push else { return }
    guard settings.pollsForMessages else {
      throw LoadFailure(
        .unanswerable,
        "journey \(settings.journey) waits for a push message. Only --poll, which is Sealring's own, brings it here"
      )
    }
    let delivered = try await fetch(credential)
    let message = delivered.message
    let needsNumber = !message.numbers.isEmpty || message.codeLength != nil || message.type == .challenge
    let shown = needsNumber ? page.hidden("pushChallengeNumber")?.value : nil
    try await post(
      "authenticate", try await credential.answer(delivered.id, message, shown: shown), as: .approve)
    hasDone = true
  }

  /// Fetches the newest message: older ones belong to failed runs.
  private func fetch(_ device: SimulatedPushDevice) async throws -> (id: String, message: PushMessage) {
    let body = try await device.poll(at: driver.date(), wait: Self.wait)
    let request = LoadRequest(driver.target.pushMessages("poll"), api: Self.api, body: body)
    let answer = try await steps.measure(.message) { try await driver.transport.json(request) }
    let found: [(id: String, message: PushMessage)]
    do { found = try device.messages(in: answer.serialized) } catch {
      throw LoadFailure(.malformed, "a push message cannot be read: \(error)")
    }
    let newest = found.max { ($0.message.sentAtMilliseconds ?? 0) < ($1.message.sentAtMilliseconds ?? 0) }
    guard let newest else { throw LoadFailure(.timeout, "no push message within \(Self.wait) s") }
    return newest
  }

  private func post(_ action: String, _ body: [UInt8], as step: LoadStep) async throws {
    let request = LoadRequest(driver.target.pushMessages(action), api: Self.api, body: body)
    _ = try await steps.measure(step) { try await driver.transport.send(request).accepted() }
  }
}
