import CommonFixtures
import Concurrency
import Foundation
import HTTPTypes
import HummingbirdTesting
import JourneyNodes
import PushTransports
import SecurityEvents
import StrictJSON
import Testing

@testable import Assembly
@testable import JourneyFiles
@testable import Operations
@testable import ServerHTTP

@Suite("Journeys that ask others") struct OtherServicesTests {
  private struct Recorder: SecurityEventSink {
    let events = Locked<[SecurityEvent]>([])
    func record(_ event: SecurityEvent, durably: Bool) { events.withLock { $0.append(event) } }
  }

  // MARK: Simulated services

  private static let risky = TestJourneys.file(
    "Risky", entry: "name",
    nodes: [
      "name": .init(type: "UsernameCollectorNode", connections: ["outcome": "risk"]),
      "risk": .init(
        type: "product-PingOneProtectEvaluationNode",
        connections: [
          "low": TestJourneys.success, "high": TestJourneys.failure, "clientError": TestJourneys.failure,
        ]),
    ])

  private func play(_ server: LocalServer, signals: String) async throws -> Answer {
    let path = "\(LocalServer.alpha)/authenticate?authIndexType=service&authIndexValue=Risky"
    var step = try await server.call(.post, path, body: [:])
    for value in ["ada", signals] {
      var body = step.json.objectValue ?? [:]
      guard case .array(var callbacks)? = body["callbacks"], var first = callbacks.first?.objectValue,
        case .array(var inputs)? = first["input"], var input = inputs.first?.objectValue
      else { return step }
      input["value"] = .string(value)
      inputs[0] = .object(input)
      first["input"] = .array(inputs)
      callbacks[0] = .object(first)
      body["callbacks"] = .array(callbacks)
      step = try await server.call(.post, "\(LocalServer.alpha)/authenticate", body: .object(body))
    }
    return step
  }

  private func run(
    _ choices: [String], _ events: Recorder = Recorder(), _ body: @Sendable (LocalServer) async throws -> Void
  ) async throws {
    let folder = try TemporaryFolder.make()
    try folder.write(Self.risky.serialized, to: "alpha/Risky.journey.json")
    let simulation = try ServiceSimulation(choices)
    try await LocalServer.run(
      .router,
      {
        $0.journeysDirectory = folder.url
        $0.simulation = simulation
        $0.eventSink = events
      }, body: body)
  }

  @Test func `a risk that nobody judges ends the journey, and loading says what to do`() async throws {
    try await run([]) { server async throws in
      #expect(
        server.log.withLock { $0 }.contains { $0.contains("--simulate protect=") && $0.contains("risk") })
      #expect(server.server.advice.isEmpty)
      let answer = try await play(server, signals: "s")
      #expect(answer.status == 401 && answer.message == "Login failure")
    }
  }

  @Test func `a simulated risk is said at start, when it loads, and for each decision`() async throws {
    let events = Recorder()
    try await run(["protect=low"], events) { server async throws in
      #expect(server.server.advice.count == 1)
      #expect(server.server.advice.first?.contains("PingOne Protect (low)") == true)
      #expect(server.log.withLock { $0 }.contains { $0.hasPrefix("warning") && $0.contains("simulated") })
      #expect(try await play(server, signals: "signals")["tokenId"] != nil)
      let told = events.events.withLock { $0.filter { $0.kind == .serviceSimulated } }
      #expect(told.count == 1 && told[0].journey == "Risky" && told[0].detail["outcome"] == "low")
      #expect(try await play(server, signals: "").status == 401)
    }
  }

  static let reachable: [@Sendable (inout ServerConfiguration) throws -> Void] = [
    { ($0.host, $0.allowsInsecureHTTP) = ("0.0.0.0", true) },
    { $0.publicURL = "https://id.example.com/am" },
    { $0.realmURLs = ["alpha": "https://alpha.example.com/am"] },
    { $0.trustedProxies = [try AddressBlock("127.0.0.1/32")] },
  ]

  @Test(arguments: reachable.indices)
  func `a server that others can reach starts with it only when told twice`(index: Int) async throws {
    var configuration = LocalServer.configuration()
    try Self.reachable[index](&configuration)
    configuration.simulation = try ServiceSimulation(["captcha=true"])
    let error = await #expect(throws: ServerSetupError.self) { try await SealringServer.make(configuration) }
    #expect(
      error.map { "\($0)".contains("reCAPTCHA (true)") && "\($0)".contains("--insecure-simulation") } == true)
    configuration.allowsInsecureSimulation = true
    #expect(throws: Never.self) { try configuration.requireSafeSimulation() }
    configuration.allowsInsecureSimulation = false
    configuration.simulation = ServiceSimulation()
    #expect(throws: Never.self) { try configuration.requireSafeSimulation() }
  }

  @Test(arguments: ["127.0.0.1", "localhost", "::1"]) func `on this machine it starts`(host: String) throws {
    var configuration = LocalServer.configuration()
    configuration.host = host
    configuration.simulation = try ServiceSimulation(["captcha=true"])
    #expect(throws: Never.self) { try configuration.requireSafeSimulation() }
  }

  // MARK: REST nodes

  private static func asking(_ url: String) -> JSONObject {
    TestJourneys.file(
      "Asking", entry: "rest",
      nodes: [
        "rest": .init(
          type: "RESTNode",
          connections: [
            "200": TestJourneys.success, "NOMATCHRESPONSE": TestJourneys.failure, "ERROR": "more",
          ],
          properties: [
            "restURL": .string(url), "responseCodes": ["200"], "jpToSSMapper": ["username": "$.name"],
          ]),
        "more": .init(type: "UsernameCollectorNode", connections: ["outcome": TestJourneys.failure]),
      ])
  }

  /// What the journey comes to: asks, because its node had an error, or signs in.
  private func ask(_ url: String, _ configure: (inout ServerConfiguration) throws -> Void = { _ in })
    async throws -> Answer
  {
    let folder = try TemporaryFolder.make()
    try folder.write(Self.asking(url).serialized, to: "alpha/Asking.journey.json")
    let result = Locked<Answer?>(nil)
    var scripts = ScriptConfiguration()
    var configuration = ServerConfiguration()
    try configure(&configuration)
    scripts = configuration.scripts
    try await LocalServer.run(
      .router,
      {
        $0.journeysDirectory = folder.url
        $0.scripts = scripts
      }
    ) { server async throws in
      let answer = try await server.call(
        .post, "\(LocalServer.alpha)/authenticate?authIndexType=service&authIndexValue=Asking", body: [:])
      result.withLock { $0 = answer }
    }
    return try #require(result.withLock { $0 })
  }

  @Test func `a REST node reaches this machine only where the operator lists it as private`() async throws {
    try await LocalServer.run(.live) { other async throws in
      let port = try #require(other.client.port)
      let origin = "http://127.0.0.1:\(port)"
      // Of the answer `{"name": …}` there is none: that it was answered is enough.
      let url = "\(origin)/am/json/serverinfo/version"
      #expect(try await ask(url)["authId"] != nil)
      #expect(
        try await ask(url) { try $0.scripts.hosts.allow("https://127.0.0.1:\(port)", isPrivate: false) }[
          "authId"] != nil)
      let reached = try await ask(url) { try $0.scripts.hosts.allow(origin, isPrivate: true) }
      #expect(reached["authId"] == nil)
    }
  }

  @Test(arguments: [
    "https://127.0.0.1", "https://[::1]", "https://10.0.0.1", "https://169.254.169.254", "https://localhost",
    "https://[::ffff:127.0.0.1]",
  ]) func `a listed public name that leads into this network is refused`(origin: String) async throws {
    let answer = try await ask("\(origin)/x") { try $0.scripts.hosts.allow(origin, isPrivate: false) }
    #expect(answer["authId"] != nil)
  }

  @Test func `too many requests at once are refused, and those that ended make room`() async throws {
    var hosts = ScriptHosts()
    // Documentation addresses lead nowhere (RFC 5737): each request is refused at once.
    try hosts.allow("https://192.0.2.1", isPrivate: false)
    let client = ScriptHTTPClient(hosts: hosts)
    for _ in 0...ScriptHTTPClient.mostAtOnce {
      let error = await #expect(throws: (any Error).self) {
        try await client.send(
          "GET", "https://192.0.2.1/", headers: [:], body: nil, realm: "alpha", within: .seconds(1))
      }
      #expect(error.map { "\($0)".contains("under way") } == false)
    }
  }
}
