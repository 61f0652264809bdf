import Concurrency
import JourneyEngine
import JourneyNodes
import Logging
import SecurityEvents
import StrictJSON
import Testing

@Suite("Services of others, simulated") struct SimulatedServiceTests {
  /// The types that work only where their service is simulated (``ServiceSimulation``).
  private static let simulatedTypes: [String: ServiceSimulation.Service] = [
    "product-PingOneProtectInitializeNode": .protect, "product-PingOneProtectEvaluationNode": .protect,
    "product-CaptchaEnterpriseNode": .captcha, "product-CaptchaNode": .captcha,
    "product-ReCaptchaNode": .captcha, "CaptchaNode": .captcha, "ReCaptchaNode": .captcha,
    "product-Saml2Node": .saml, "PingOneVerify*": .verify, "product-PingOneVerify*": .verify,
  ]

  private struct Recorder: SecurityEventSink {
    let events = Locked<[SecurityEvent]>([])
    func record(_ event: SecurityEvent, durably: Bool) { events.withLock { $0.append(event) } }
  }

  private func visit(
    _ type: String, _ properties: JSONObject = [:], simulating choices: [String]
  ) async throws -> (visit: Visit, events: Recorder) {
    let world = try await World()
    let recorder = Recorder()
    var services = world.services
    services.simulation = try ServiceSimulation(choices)
    services.events = SecurityEvents(sink: recorder, clock: services.clock, logger: Logger(label: "test"))
    let maker = try #require(NodeLibrary.registry(services: services).maker(for: type))
    let node = try maker(NodeDefinition(id: "n", type: type, properties: properties))
    return (Visit(node: node, request: world.request, state: JourneyState()), recorder)
  }

  /// As exports have them.
  static let types: [(type: String, service: String)] = [
    ("product-PingOneProtectInitializeNode", "protect"), ("product-PingOneProtectEvaluationNode", "protect"),
    ("product-CaptchaEnterpriseNode", "captcha"), ("product-CaptchaNode", "captcha"),
    ("CaptchaNode", "captcha"),
    ("ReCaptchaNode", "captcha"), ("product-ReCaptchaNode", "captcha"), ("product-Saml2Node", "saml"),
    ("PingOneVerifyEvaluationNode", "verify"), ("product-PingOneVerifyCompletionDecisionNode", "verify"),
  ]

  @Test(arguments: types)
  func `without a choice the type is known, and a journey fails when it gets there`(
    type: String, service: String
  )
    async throws
  {
    var catalog = JourneyCatalog(registry: NodeLibrary.registry(services: try await World().services))
    let file: JSONObject = [
      "nodes": ["n": ["_id": "n", "_type": ["_id": .string(type)]]],
      "tree": [
        "_id": "J", "entryNodeId": "n",
        "nodes": [
          "n": [
            "connections": ["true": "70e691a5-1e33-4ac3-a356-e7b6d60d92e0"], "nodeType": .string(type),
            "displayName": "Risk",
          ]
        ],
      ],
    ]
    try catalog.load(file.serialized, realm: "alpha", source: "t")
    let warning = try #require(catalog.warnings.first)
    #expect(catalog.warnings.map(\.kind) == [.unplayable] && warning.nodeName == "Risk")
    #expect(warning.problem.contains("--simulate \(service)="))
    #expect(
      Self.simulatedTypes.contains {
        type.hasPrefix($0.key.filter { $0 != "*" }) && $0.value.rawValue == service
      })
  }

  // MARK: PingOne Protect

  @Test func `the client is asked to begin, with what the export says`() async throws {
    var (visit, events) = try await visit(
      "product-PingOneProtectInitializeNode",
      [
        "pingOneWorker": "worker", "consoleLogEnabled": true, "deviceAttributesToIgnore": ["Model"],
        "customHost": "h.example", "lazyMetadata": "true", "deviceKeyRsyncIntervals": "7", "disableHub": 5,
      ], simulating: ["protect=low"])
    let asked = try await visit.ask()
    #expect(asked.map(\.type) == ["PingOneProtectInitializeCallback"])
    #expect(
      asked[0].outputs == [
        .init("envId", ""), .init("consoleLogEnabled", true), .init("deviceAttributesToIgnore", ["Model"]),
        .init("customHost", "h.example"), .init("lazyMetadata", true),
        .init("behavioralDataCollection", true),
        .init("deviceKeyRsyncIntervals", 7), .init("enableTrust", false), .init("disableTags", false),
        .init("disableHub", false),
      ])
    #expect(asked[0].inputs == [.init("clientError", "")])
    #expect(try await visit.answer(["clientError": ""]) == .outcome("true"))
    #expect(events.events.withLock { $0.map(\.kind) } == [.serviceSimulated])
    #expect(try await visit.answer(["clientError": "not initialised\nforged"]) == .outcome("false"))
    #expect(visit.reasons == ["the client reports: not initialised forged"])
    #expect(events.events.withLock { $0.count } == 1)
  }

  @Test(arguments: ["high", "medium", "low", "exceed", "failure", "clientError"])
  func `the risk is the configuration's, and each decision leaves an event`(outcome: String) async throws {
    var (visit, events) = try await visit(
      "product-PingOneProtectEvaluationNode", ["pauseBehavioralData": true, "scoreThreshold": "300"],
      simulating: ["protect=\(outcome)"])
    #expect(visit.node.outcomes == ["high", "medium", "low", "exceed", "failure", "clientError"])
    #expect(visit.node.warnings.first?.contains("simulated") == true)
    let asked = try await visit.ask()
    #expect(asked[0].type == "PingOneProtectEvaluationCallback")
    #expect(asked[0].outputs == [.init("pauseBehavioralData", true)])
    #expect(asked[0].inputs == [.init("signals", ""), .init("clientError", "")])
    #expect(try await visit.answer(["signals": "R/o4…", "clientError": ""]) == .outcome(outcome))
    let event = try #require(events.events.withLock { $0.first })
    #expect(event.kind == .serviceSimulated && event.realm == "alpha" && event.account == nil)
    #expect(
      event.detail["service"] == "protect" && event.detail["outcome"] == .string(outcome)
        && event.detail["node"] == "n")
    #expect(visit.reasons.first?.contains("simulated") == true)
    #expect(visit.state == JourneyState())
  }

  @Test(
    arguments: [["clientError": "no SDK", "signals": "s"], ["signals": ""], [:], ["clientError": "x"]]
      as [[String: JSONValue]])
  func `a client without signals, or with an error, is never low`(answer: [String: JSONValue]) async throws {
    var (visit, events) = try await visit("product-PingOneProtectEvaluationNode", simulating: ["protect=low"])
    _ = try await visit.ask()
    #expect(try await visit.answer(answer) == .outcome("clientError"))
    #expect(events.events.withLock { $0.isEmpty })
  }

  // MARK: CAPTCHA

  @Test(arguments: ["true", "false"]) func `a solved captcha is judged by the configuration`(outcome: String)
    async throws
  {
    var (visit, events) = try await visit(
      "product-CaptchaEnterpriseNode", ["siteKey": "6L", "projectId": "p", "scoreThreshold": "1.0"],
      simulating: ["captcha=\(outcome)"])
    let asked = try await visit.ask()
    #expect(asked[0].type == "ReCaptchaEnterpriseCallback" && asked[0].output("recaptchaSiteKey") == "6L")
    #expect(asked[0].inputs.map(\.name) == ["token", "action", "clientError", "payload"])
    #expect(
      try await visit.answer(["token": "t", "action": "login", "clientError": "", "payload": ""])
        == .outcome(outcome))
    #expect(events.events.withLock { $0.count } == 1)
    #expect(try await visit.answer(["token": "t", "clientError": "INVALID"]) == .outcome("false"))
    #expect(try await visit.answer(["token": ""]) == .outcome("false"))
    #expect(events.events.withLock { $0.count } == 1)
  }

  @Test func `older captchas have one input`() async throws {
    var (visit, _) = try await visit(
      "CaptchaNode", ["siteKey": "k", "reCaptchaV3": true], simulating: ["captcha=true"])
    let asked = try await visit.ask()
    #expect(asked[0].type == "ReCaptchaCallback" && asked[0].output("reCaptchaV3") == true)
    #expect(asked[0].inputs == [.init("", "")])
    #expect(try await visit.answer(["": ""]) == .outcome("false"))
    #expect(try await visit.answer(["": "token"]) == .outcome("true"))
  }

  // MARK: SAML and PingOne Verify

  @Test func `others take what was chosen, among the outcomes that the export lists, and identify nobody`()
    async throws
  {
    let listed: JSONObject = [
      "_outcomes": [["id": "ACCOUNT_EXISTS", "displayName": "a"], ["id": "NO_ACCOUNT", "displayName": "b"]]
    ]
    var (visit, events) = try await visit("product-Saml2Node", listed, simulating: ["saml=NO_ACCOUNT"])
    #expect(visit.node.outcomes == ["ACCOUNT_EXISTS", "NO_ACCOUNT"])
    #expect(try await visit.evaluate() == .outcome("NO_ACCOUNT"))
    #expect(visit.state == JourneyState() && events.events.withLock { $0.count } == 1)
    let error = await #expect(throws: JourneyFileError.self) {
      _ = try await self.visit("product-Saml2Node", listed, simulating: ["saml=other"])
    }
    #expect(error?.problem.contains("ACCOUNT_EXISTS, NO_ACCOUNT") == true)
    var (verify, _) = try await self.visit("PingOneVerifyX", simulating: ["verify=success"])
    #expect(try await verify.evaluate() == .outcome("success"))
  }

  // MARK: Choices

  @Test(arguments: [
    "protect", "protect=", "=low", "risk=low", "protect=great", "captcha=yes", "saml=", "verify=a\nb",
    "verify=" + String(repeating: "x", count: 200),
  ])
  func `a choice that makes no sense is refused`(choice: String) {
    #expect(throws: ServiceSimulation.Problem.self) { try ServiceSimulation([choice]) }
  }

  @Test func `one outcome of a service is chosen, and a test's goes before its file's`() throws {
    #expect(throws: ServiceSimulation.Problem.self) {
      try ServiceSimulation(["protect=low", "protect=high"])
    }
    let file = try ServiceSimulation(["protect=low", "captcha=true"])
    let test = try ServiceSimulation(["protect=high"])
    #expect(file.overridden(by: test).summary == "PingOne Protect (high), reCAPTCHA (true)")
    #expect(ServiceSimulation().isEmpty && !test.isEmpty)
  }
}
