import CommonFixtures
import Concurrency
import JourneyEngine
import JourneyScripts
import StrictJSON
import Testing

@testable import JourneyNodes

/// Nodes of types that were made in the designer, with real workers.
@Suite struct DesignedNodeTests {
  private struct Setting {
    var services: NodeServices
    let log = Locked<[ScriptLogLine]>([])

    init() async throws {
      services = try await World().services
      let log = log
      services.scripts = ScriptServices(workers: ScriptWorkers(program: BuiltProgram.path("ScriptHost")))
      services.scripts?.log = { line, _, _ in log.withLock { $0.append(line) } }
    }

    func visit(
      _ script: String, _ properties: JSONObject = [:], type further: JSONObject = [:],
      state: JourneyState = JourneyState(), libraries: [JourneyScript] = []
    ) throws -> Visit {
      var type: JSONObject = [
        "serviceName": "risk", "displayName": "Risk", "outcomes": ["low", "high"], "script": .string(script),
      ]
      type.merge(further)
      var definition = NodeDefinition(id: "n", type: "designer-risk", properties: properties)
      definition.attachments = JourneyAttachments(
        scripts: Dictionary(uniqueKeysWithValues: libraries.map { ($0.id, $0) }),
        nodeTypes: ["risk": DesignedNodeType(type)])
      let maker = try #require(NodeLibrary.registry(services: services).maker(for: "designer-risk"))
      return Visit(node: try maker(definition), request: RequestFacts(realm: "alpha"), state: state)
    }
  }

  /// One property of each kind.
  private static let kinds: JSONObject = [
    "properties": [
      "text": ["type": "STRING", "defaultValue": "standard"], "number": ["type": "NUMBER"],
      "flag": ["type": "BOOLEAN"], "object": ["type": "OBJECT"],
      "several": ["type": "STRING", "multivalued": true], "later": ["type": "SECRET"],
      "absent": ["type": "STRING"],
    ]
  ]

  @Test func `the script reads the node's properties, with the type's defaults, and the usual bindings`()
    async throws
  {
    let setting = try await Setting()
    var visit = try setting.visit(
      """
      nodeState.putShared("r", [properties.text, properties.number + 1, properties.flag === true, properties.object.a,
        properties.get("several").join("+"), properties.later, typeof properties.absent, nodeState.get("username"),
        require("Lib").name, realm].join());
      action.goTo("low");
      """,
      [
        "number": "41", "flag": "true", "object": #"{"a": 1}"#, "several": ["x", "y"], "later": "as it is",
        "unknown": "not the type's",
      ], type: Self.kinds, state: JourneyState(shared: ["username": "mira"]),
      libraries: [JourneyScript(id: "l", name: "Lib", source: "exports.name = 'lib'", context: "LIBRARY")])
    #expect(try await visit.evaluate() == .outcome("low"))
    #expect(visit.state.shared["r"] == "standard,42,true,1,x+y,as it is,undefined,mira,lib,/alpha")
  }

  @Test func `scripted decisions have no properties`() async throws {
    let setting = try await Setting()
    var definition = NodeDefinition(
      id: "n", type: "ScriptedDecisionNode", properties: ["script": "s", "outcomes": ["undefined"]])
    definition.attachments.scripts["s"] = JourneyScript(
      id: "s", name: "S", source: "action.goTo(typeof properties)", evaluatorVersion: "2.0")
    let maker = try #require(
      NodeLibrary.registry(services: setting.services).maker(for: "ScriptedDecisionNode"))
    var visit = Visit(
      node: try maker(definition), request: RequestFacts(realm: "alpha"), state: JourneyState())
    #expect(try await visit.evaluate() == .outcome("undefined"))
  }

  @Test(
    arguments: [
      ("number", "many"), ("flag", "perhaps"), ("object", 7), ("text", 5), ("several", ["x", 1]),
    ] as [(String, JSONValue)])
  func `a property of another kind makes the node fail, and is named`(name: String, value: JSONValue)
    async throws
  {
    let setting = try await Setting()
    let error = #expect(throws: JourneyFileError.self) {
      try setting.visit("1", [name: value], type: Self.kinds)
    }
    #expect(error?.property == name && error?.problem.contains("of the kind") == true)
  }

  @Test func `a required property needs a value, or the type a default`() async throws {
    let setting = try await Setting()
    let type: JSONObject = ["properties": ["limit": ["type": "NUMBER", "required": true]]]
    let error = #expect(throws: JourneyFileError.self) { try setting.visit("1", type: type) }
    #expect(error?.property == "limit")
    let standard: JSONObject = [
      "properties": ["limit": ["type": "NUMBER", "required": true, "defaultValue": 3]]
    ]
    var visit = try setting.visit("action.goTo(properties.limit === 3 ? 'low' : 'high')", type: standard)
    #expect(try await visit.evaluate() == .outcome("low"))
  }

  @Test func `a script asks, and reads the answer`() async throws {
    let setting = try await Setting()
    var visit = try setting.visit(
      "if (callbacks.isEmpty()) { callbacksBuilder.textInputCallback(properties.prompt); action.withHeader('Head') }"
        + " else action.goTo(callbacks.getTextInputCallbacks().get(0))",
      ["prompt": "How risky?"], type: ["properties": ["prompt": ["type": "STRING"]]])
    #expect(try await visit.ask().first?.output("prompt") == "How risky?")
    #expect((visit.node as? any TitledNode)?.texts(notes: visit.notes).header == "Head")
    #expect(try await visit.answer(["": "high"]) == .outcome("high"))
  }

  // MARK: Scripts that fail

  static let failing = [
    "nodeState.putShared('x', 1); throw new Error('no')", "this is not JavaScript (", "for (;;) {}",
    "action.goTo('neither')", "1 + 1",
  ]

  @Test(arguments: failing)
  func `a script that fails takes its own outcome where the type has one, and leaves nothing in state`(
    script: String
  )
    async throws
  {
    let setting = try await Setting()
    let before = JourneyState(shared: ["username": "mira"])
    var visit = try setting.visit(script, type: ["errorOutcome": true], state: before)
    #expect(visit.node.outcomes == ["low", "high", "Script Error"])
    #expect(try await visit.evaluate() == .outcome("Script Error"))
    #expect(visit.state == before)
    let told = try #require(setting.log.withLock { $0.last })
    #expect(told.level == "error" && told.text.contains("designer-risk"))
  }

  @Test(arguments: failing) func `without that outcome the journey fails, with the type in the message`(
    script: String
  )
    async throws
  {
    let setting = try await Setting()
    var visit = try setting.visit(script)
    #expect(visit.node.outcomes == ["low", "high"])
    let error = await #expect(throws: (any Error).self) { try await visit.evaluate() }
    #expect(error.map { "\($0)".contains("node type designer-risk") } == true)
  }

  @Test func `a script that does not parse is named with its line and file`() async throws {
    let setting = try await Setting()
    var type = DesignedNodeType([
      "serviceName": "risk", "displayName": "Risk", "outcomes": ["low"], "script": "let a = 1;\nlet a = 2;",
    ])
    type.file = "risk.nodeTypes.js"
    var definition = NodeDefinition(id: "n", type: "designer-risk")
    definition.attachments.nodeTypes["risk"] = type
    let maker = try #require(NodeLibrary.registry(services: setting.services).maker(for: "designer-risk"))
    var visit = Visit(
      node: try maker(definition), request: RequestFacts(realm: "alpha"), state: JourneyState())
    let error = await #expect(throws: ScriptError.self) { try await visit.evaluate() }
    for part in ["Risk, line 2", "SyntaxError", "risk.nodeTypes.js"] {
      #expect(error?.description.contains(part) == true, "\(error?.description ?? "")")
    }
  }

  @Test func `that no script can run is no failure of the script`() async throws {
    var setting = try await Setting()
    setting.services.scripts = ScriptServices(workers: ScriptWorkers(program: nil))
    var visit = try setting.visit("action.goTo('low')", type: ["errorOutcome": true])
    let error = await #expect(throws: ScriptError.self) { try await visit.evaluate() }
    #expect(error?.reason == .unavailable)
    setting.services.scripts = nil
    var other = try setting.visit("action.goTo('low')", type: ["errorOutcome": true])
    await #expect(throws: NodeError.self) { try await other.evaluate() }
  }

  @Test func `declared variables bound the script, and what other nodes answer for is out of reach`()
    async throws
  {
    let setting = try await Setting()
    var visit = try setting.visit(
      "nodeState.putShared('b', String(nodeState.get('other'))).putShared('c', 1).putTransient('DeviceBinding.TERMS', 1);"
        + "action.goTo(nodeState.get('a'))",
      type: ["inputs": ["a"], "outputs": ["b"]], state: JourneyState(shared: ["a": "low", "other": 1]))
    #expect(try await visit.evaluate() == .outcome("low"))
    #expect(visit.state.shared == ["a": "low", "other": 1, "b": "null"] && visit.state.transient.isEmpty)
    var free = try setting.visit(
      "nodeState.putTransient('DeviceBinding.TERMS', 1); action.goTo(nodeState.get('a'))",
      type: ["inputs": [], "outputs": []], state: JourneyState(shared: ["a": "low"]))
    #expect(try await free.evaluate() == .outcome("low"))
    #expect(free.state.transient.isEmpty)
  }

  @Test(arguments: [["language": "GROOVY"], ["outcomes": []], ["script": 7]] as [JSONObject])
  func `a type of which no node can be made says why`(type: JSONObject) async throws {
    let setting = try await Setting()
    let error = #expect(throws: JourneyFileError.self) { try setting.visit("1", type: type) }
    #expect(error?.property == "nodeType" && error?.problem.contains("\"Risk\"") == true)
  }
}
