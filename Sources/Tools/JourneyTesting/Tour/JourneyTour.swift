public import Assembly
internal import Concurrency
internal import Foundation
internal import JourneyDriving
public import JourneyEngine
internal import PingJourney
internal import PingJourneyPlugin
internal import PingOrchestrate
internal import SealringTesting
internal import StrictJSON

/// Plays every journey of a realm as far as possible without a user, on a server in this process whose data are deleted afterwards.
public struct JourneyTour: Sendable {
  public var answers: TourAnswers

  /// Configures the server, besides its journeys.
  public var configure: @Sendable (inout ServerConfiguration) -> Void

  private static let realm = "alpha"
  private static let password = "correct horse battery"

  public init(
    answers: TourAnswers, configure: @escaping @Sendable (inout ServerConfiguration) -> Void = { _ in }
  ) {
    (self.answers, self.configure) = (answers, configure)
  }

  /// - Parameters:
  ///   - files: journeys that belong together.
  ///   - realm: the realm's name in the report.
  public func run(_ files: [JourneyCatalog.File], realm: String) async throws -> TourReport {
    let (catalog, loaded) = try JourneyFileCheck.examine(files, realm: Self.realm)
    var report = TourReport()
    for file in loaded where file.journeys.isEmpty {
      report.journeys.append(
        .init(
          name: file.source, realm: realm, result: .refused, reason: file.faults.first.map { "\($0)" } ?? ""))
    }
    for file in loaded {
      for name in file.refused {
        let fault = file.faults.first { $0.journey == nil || $0.journey == name }
        report.journeys.append(
          .init(name: name, realm: realm, result: .refused, reason: fault.map { "\($0)" } ?? ""))
      }
    }
    let names = loaded.flatMap(\.loaded)
    report.journeys += try await TestFolder.with { folder in
      let place = folder.appending(path: "journeys/\(Self.realm)")
      try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
      for (number, name) in names.enumerated() {
        guard let document = catalog.portableDocument(journey: name, realm: Self.realm) else { continue }
        try Data(document.serialized).write(to: place.appending(path: "\(number).journey.json"))
      }
      return try await play(names, of: catalog, journeys: place.deletingLastPathComponent(), realm: realm)
    }
    report.journeys.sort { ($0.name, $0.reason) < ($1.name, $1.reason) }
    return report
  }

  private func play(
    _ names: [String], of catalog: JourneyCatalog, journeys: URL, realm: String
  ) async throws -> [TourReport.Journey] {
    let (recorder, clock) = (RunRecorder(), TestClock())
    let startable = Set(catalog.summaries(realm: Self.realm).filter(\.canStart).map(\.name))
    // The loader's findings about nodes, to explain where a journey stops.
    let problems = Dictionary(
      catalog.warnings.filter(\.isDeviation).map { ("\($0.journey)/\($0.nodeID ?? "")", $0.problem) },
      uniquingKeysWith: { first, _ in first })
    return try await TestServer.run(
      clock: clock, journeys: journeys,
      configure: { [configure] configuration in
        configuration.journeyObserver = recorder
        configure(&configuration)
      }
    ) { server in
      var played: [TourReport.Journey] = []
      for (number, name) in names.enumerated() {
        try Task.checkCancellation()
        guard startable.contains(name) else {
          played.append(
            .init(
              name: name, realm: realm, result: .loads,
              reason: "it runs only inside others, or is switched off"))
          continue
        }
        let account = "tour-\(number)"
        try await server.addUser(account, password: Self.password, realm: Self.realm)
        let browser = Browser(at: server, realm: Self.realm, target: Locked(server.address))
        var visit = TourVisit(
          journey: name, realm: realm, recorder: recorder, clock: clock, problems: problems,
          answers: TourAnswers.OfJourney(answers, journey: name, account: (account, Self.password)))
        played.append(
          try await visit.play(browser.journey(headers: [], locale: nil)))
      }
      return played
    }
  }
}

/// One journey of a tour.
private struct TourVisit: NodeAnswers {
  let journey: String
  let realm: String
  let recorder: RunRecorder
  let clock: TestClock
  let problems: [String: String]
  var answers: TourAnswers.OfJourney
  var askings: [String: Int] = [:]
  /// The result, if the tour stopped the journey.
  var left: TourReport.Journey?

  /// The most steps of a journey, and the most requests of one node for input.
  private static let maximumSteps = 50
  private static let maximumAskings = 3

  mutating func play(_ client: Journey) async throws -> TourReport.Journey {
    recorder.beginStep()
    let driver = JourneyDriver(mostPages: Self.maximumSteps)
    let last = try await driver.play(from: await client.start(journey), &self)
    if let left { return left }
    switch last {
    case is ContinueNode: return ending(.stopped, "it takes more than \(Self.maximumSteps) steps")
    case is SuccessNode: return ending(.success, "")
    default:
      let observation = Observation(last)
      return observation.ending == .suspended ? ending(.stopped, Self.suspended) : failed(observation)
    }
  }

  private static let suspended = "it waits for somebody who follows a mailed link"

  mutating func answer(_ step: ContinueNode) async throws -> (any Node)? {
    if let reason = reasonToStop(step) {
      left = ending(.stopped, reason)
      return nil
    }
    for case let wait as PollingWaitCallback in step.callbacks {
      clock.advance(by: TimeInterval(max(wait.waitTime, 0)) / 1000)
    }
    recorder.beginStep()
    return await step.next()
  }

  /// Answers the step, or returns the reason why the tour cannot continue.
  private mutating func reasonToStop(_ step: ContinueNode) -> String? {
    if step.callbacks.contains(where: { $0 is SuspendedTextOutputCallback }) { return Self.suspended }
    let place = recorder.visits.last?.nodeID ?? ""
    askings[place, default: 0] += 1
    if askings[place, default: 0] > Self.maximumAskings {
      let waits = step.isWaiting || step.hidden("mfaDeviceRegistration") != nil
      return waits ? "it waits for a device" : "it asks again and again"
    }
    do { return try answers.answer(step).map { "nobody is there to answer \($0)" } } catch {
      return "\(error)"
    }
  }

  /// A node without an outcome stops a journey; any other failure is a regular end.
  private func failed(_ observation: Observation) -> TourReport.Journey {
    guard let last = recorder.visits.last else { return ending(.failure, observation.message ?? "") }
    if case .outcome(let outcome)? = last.result { return ending(.failure, "outcome \(outcome)") }
    let problem = problems["\(last.journey)/\(last.nodeID)"]
    return ending(.stopped, problem ?? "the node could not do its work")
  }

  private func ending(_ result: TourReport.Result, _ reason: String) -> TourReport.Journey {
    let last = result == .success ? nil : recorder.visits.last
    return TourReport.Journey(
      name: journey, realm: realm, result: result, node: last?.label, type: last?.type, reason: reason)
  }
}
