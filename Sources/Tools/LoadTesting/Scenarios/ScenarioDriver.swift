internal import Bytes
internal import Concurrency
package import Foundation
internal import JourneyDriving
internal import StrictJSON

/// Lets devices play the journey of a scenario, using only the protocol.
package struct ScenarioDriver: LoadDriver {
  /// The devices' settings, besides their keys.
  package struct Settings: Sendable, Redacted {
    package var scenario: LoadScenario
    package var journey: String
    /// The password of all accounts; `nil` when the journey asks for none.
    package var password: String?
    /// The claim `iss` of proofs.
    package var applicationID = "com.sealring.cli"
    /// Creates the transactions to approve.
    package var application: TransactionApplication?
    /// Whether push messages are fetched from the server, which is not part of PingAM's protocol.
    package var pollsForMessages = false

    package init(scenario: LoadScenario, journey: String) {
      self.scenario = scenario
      self.journey = journey
    }
  }

  /// The most pages of one run, so that a looping journey ends.
  private static let mostPages = 40

  let settings: Settings
  let target: LoadTarget
  let fleet: LoadFleet
  let transport: any LoadTransport
  let date: @Sendable () -> Date

  package init(
    _ settings: Settings, target: LoadTarget, fleet: LoadFleet, transport: any LoadTransport,
    date: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.settings = settings
    self.target = target
    self.fleet = fleet
    self.transport = transport
    self.date = date
  }

  package func run(device index: Int, steps: StepTimer) async throws {
    var answers = ScenarioAnswers(device: fleet[index], driver: self, steps: steps)
    var url = target.start(journey: settings.journey)
    if settings.scenario == .transaction {
      let id = try await steps.measure(.create) {
        try await createTransaction(for: answers.device.username)
      }
      answers.transactionID = id
      url = target.start(transaction: id)
    }
    let first = try await send(url, Array("{}".utf8), as: .start, steps)
    let last = try await JourneyDriver(mostPages: Self.mostPages).play(from: first, &answers)
    guard last.isEnd else {
      throw LoadFailure(
        .unanswerable, "journey \(settings.journey) did not end after \(Self.mostPages) pages")
    }
    try end(answers, index)
  }

  /// Sends a request, and returns the answer's page.
  func send(
    _ url: String, _ body: [UInt8], as step: LoadStep, _ steps: StepTimer
  ) async throws -> JourneyPage {
    let request = LoadRequest(url, body: body)
    return try await steps.measure(step) { try JourneyPage(try await transport.json(request)) }
  }

  private func end(_ answers: ScenarioAnswers, _ index: Int) throws {
    if let enrolment = answers.enrolment { try fleet.enrol(enrolment, of: index) }
    // A journey that ends without the measured step would measure something else.
    guard answers.hasDone else {
      throw LoadFailure(
        .unanswerable, "journey \(settings.journey) ended without \(settings.scenario.purpose)")
    }
  }

  private func createTransaction(for username: String) async throws -> String {
    guard let application = settings.application else {
      throw LoadFailure(.local, "there is no application to make transactions")
    }
    var request = LoadRequest(
      target.transactions, body: application.body(for: username, journey: settings.journey))
    request.headers.append(("Authorization", application.authorization))
    guard let id = try await transport.json(request)["_id"]?.stringValue, !id.isEmpty else {
      throw LoadFailure(.malformed, "a new transaction has no id")
    }
    return id
  }
}

/// An application on the server that creates the transactions for devices to approve.
package struct TransactionApplication: Sendable, Redacted {
  private let id: String
  private let secret: String

  package init(id: String, secret: String) { (self.id, self.secret) = (id, secret) }

  /// The header for HTTP Basic authentication (RFC 7617).
  var authorization: String { "Basic " + PaddedBase64.encode(Array("\(id):\(secret)".utf8)) }

  func body(for username: String, journey: String) -> [UInt8] {
    let cents = String(Int.random(in: 0...99) + 100).dropFirst()
    let body: JSONObject = [
      "username": .string(username), "journey": .string(journey),
      "fields": [
        "amount": .string("\(Int.random(in: 1...9999)).\(cents)"), "currency": "EUR", "payee": "Load test",
      ],
    ]
    return body.serialized
  }
}
