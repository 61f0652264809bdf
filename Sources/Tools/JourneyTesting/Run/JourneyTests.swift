public import Assembly
internal import BindingFormats
public import Foundation
internal import JourneyEngine
internal import JourneyNodes
internal import PrivateFiles
internal import SealringTesting
internal import StrictJSON

/// Plays files of journey tests (`docs/testing-journeys.md`) against servers in this process.
///
/// ```swift
/// let report = try await JourneyTests(journeys: folder).run([file])
/// #expect(report.isSuccess, "\(report.text())")
/// ```
public struct JourneyTests: Sendable {
  /// A folder or file of journeys for test files that name none; `nil` for the bundled journeys.
  public var journeys: URL?

  /// Only tests whose names contain this; `nil` for all.
  public var filter: String?

  /// Configures the servers, besides their journeys.
  public var configure: @Sendable (inout ServerConfiguration) -> Void

  public init(
    journeys: URL? = nil, filter: String? = nil,
    configure: @escaping @Sendable (inout ServerConfiguration) -> Void = { _ in }
  ) {
    (self.journeys, self.filter, self.configure) = (journeys, filter, configure)
  }

  private static let maximumFileBytes = 1 << 20

  /// Plays the files one after another, each test with its own servers and data.
  ///
  /// - Throws: `CancellationError`. All other errors are in the report.
  public func run(_ files: [URL]) async throws -> JourneyTestReport {
    var results: [JourneyTestReport.FileResult] = []
    var coverage = CoverageSum()
    for file in files {
      try Task.checkCancellation()
      let path = file.relativePath
      do throws(ScriptError) {
        let script = try JourneyScript(parsing: Self.text(of: file), file: path)
        results.append(await run(script, at: file, &coverage))
      } catch {
        results.append(
          JourneyTestReport.FileResult(file: path, name: path, tests: [], problem: error.description))
      }
    }
    return JourneyTestReport(files: results, coverage: coverage.result)
  }

  private static func text(of file: URL) throws(ScriptError) -> String {
    let path = file.relativePath
    guard let bytes = try? file.bytes(atMost: maximumFileBytes) else {
      throw ScriptError("The file cannot be read. Check its path, size and permissions.", file: path)
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw ScriptError("The file is not UTF-8.", file: path)
    }
    return text
  }

  private func run(
    _ script: JourneyScript, at file: URL, _ coverage: inout CoverageSum
  ) async -> JourneyTestReport.FileResult {
    var result = JourneyTestReport.FileResult(file: script.file, name: script.name, tests: [])
    func place(_ path: String) -> URL {
      URL(filePath: path, relativeTo: file.deletingLastPathComponent()).absoluteURL
    }
    let source = script.journeys.map(place) ?? journeys
    let identities: IdentitySettings?
    do { identities = try script.identities.map { try IdentitySettings(file: place($0)) } } catch {
      result.problem = "\(error)"
      return result
    }
    for test in script.tests where filter.map({ test.name.contains($0) }) ?? true {
      let start = ContinuousClock.now
      do {
        let outcome = try await TestFolder.with { folder in
          try await play(test, of: script, journeys: source, identities: identities, in: folder)
        }
        coverage.add(outcome, of: script)
        result.tests.append(
          JourneyTestReport.TestResult(
            name: test.name, line: test.line, duration: start.duration(to: .now), failure: outcome.failure))
      } catch {
        result.problem = "the servers could not be started: \(error)"
        break
      }
    }
    return result
  }

  /// The results of one test.
  struct Outcome: Sendable {
    var failure: StepFailure?
    var places: Set<JourneyCoverage.Place> = []
    var documents: [String: JSONObject] = [:]
  }

  private func play(
    _ test: JourneyScript.Test, of script: JourneyScript, journeys: URL?, identities: IdentitySettings?,
    in folder: URL
  ) async throws -> Outcome {
    let (recorder, clock) = (RunRecorder(), TestClock())
    let directory = try journeys.map { try JourneyLayout.layOut($0, realm: script.realm, in: folder) }
    return try await Self.withServers(
      script.servers, folder: folder, clock: clock, journeys: directory,
      configure: { [configure] configuration in
        configuration.journeyObserver = recorder
        configuration.requiresAllJourneys = true
        if let identities { configuration.identities = identities }
        configure(&configuration)
        configuration.simulation = configuration.simulation.overridden(by: test.simulation)
      }
    ) { servers in
      guard let server = servers.first else { return Outcome() }
      var outcome = Outcome()
      for user in test.users { try await Self.add(user, to: server, realm: script.realm) }
      var play = ScriptPlay(
        script: script, server: server, servers: servers, recorder: recorder, folder: folder)
      outcome.failure = await play.play(test)
      outcome.places = recorder.places
      for name in Set(script.covers + recorder.places.filter({ $0.realm == script.realm }).map(\.journey)) {
        outcome.documents[name] = server.catalog.document(journey: name, realm: script.realm)
      }
      return outcome
    }
  }

  private static func add(
    _ user: JourneyScript.User, to server: TestServer, realm: String
  ) async throws {
    var body: JSONObject = ["username": .string(user.name), "userpassword": .string(user.password)]
    body.merge(user.attributes)
    try await LocalHTTP.send(
      "\(RealmPath(realm).resources(at: server.address))/users?_action=create",
      headers: try await LocalHTTP.administrator(at: server.address, cookieName: server.cookieName),
      body: body)
  }

  /// Runs servers that share their data while `body` runs.
  private static func withServers(
    _ count: Int, folder: URL, clock: TestClock, journeys: URL?, started: [TestServer] = [],
    configure: @escaping @Sendable (inout ServerConfiguration) -> Void,
    _ body: @escaping @Sendable ([TestServer]) async throws -> Outcome
  ) async throws -> Outcome {
    guard started.count < count else { return try await body(started) }
    return try await TestServer.run(
      storage: .sqlite(folder.appending(path: "data")), clock: clock, journeys: journeys, configure: configure
    ) { server in
      try await withServers(
        count, folder: folder, clock: clock, journeys: journeys, started: started + [server],
        configure: configure, body)
    }
  }
}
