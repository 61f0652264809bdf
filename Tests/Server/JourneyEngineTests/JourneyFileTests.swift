import JourneyEngine
import StrictJSON
import Testing

extension JSONObject {
  /// A journey with a node that has no type.
  fileprivate static let untyped: JSONObject = [
    "tree": ["_id": "J", "entryNodeId": "a", "nodes": ["a": ["connections": [:]]]], "nodes": ["a": [:]],
  ]
}

@Suite("Journey files")
struct JourneyFileTests {
  private static let ask = FileNode("a", "Ask", ["outcome": .string(success)])

  private func load(_ file: JSONObject) throws -> JourneyCatalog {
    var catalog = JourneyCatalog(registry: SampleNodes.registry)
    try catalog.load(file.serialized, realm: "alpha", source: "test.json")
    return catalog
  }

  /// A file that must not load, and what the error must name.
  struct Broken: CustomTestStringConvertible {
    let testDescription: String
    let text: String
    var journey: String?
    var node: String?
    var type: String?
    var property: String?

    init(
      _ title: String, _ text: String, journey: String? = nil, node: String? = nil, type: String? = nil,
      property: String? = nil
    ) {
      testDescription = title
      self.text = text
      self.journey = journey
      self.node = node
      self.type = type
      self.property = property
    }

    init(
      _ title: String, _ file: JSONObject, journey: String? = "J", node: String? = nil, type: String? = nil,
      property: String? = nil
    ) {
      self.init(
        title, JSONValue.object(file).text, journey: journey, node: node, type: type, property: property)
    }
  }

  static let broken: [Broken] = [
    Broken("not JSON", "{"),
    Broken("not an object", "[]"),
    Broken("duplicate members", #"{"tree":{},"tree":{}}"#),
    Broken("no tree", "{}", property: "tree"),
    Broken("no trees", #"{"trees":{}}"#, property: "trees"),
    Broken("no name", #"{"tree":{"entryNodeId":"a","nodes":{}}}"#, property: "_id"),
    Broken("no entry", #"{"tree":{"_id":"J","nodes":{}}}"#, journey: "J", property: "entryNodeId"),
    Broken("unreachable entry", journeyFile([ask], tree: ["entryNodeId": "x"]), property: "entryNodeId"),
    Broken("nodes are no object", journeyFile([ask], tree: ["nodes": []]), property: "nodes"),
  ]

  @Test(arguments: broken)
  func `a file that cannot run says which journey, node, type and property`(_ broken: Broken) throws {
    var catalog = JourneyCatalog(registry: SampleNodes.registry)
    let error = try #require(throws: JourneyFileError.self) {
      try catalog.load(Array(broken.text.utf8), realm: "alpha", source: "test.json")
    }
    #expect(error.journey == broken.journey)
    #expect(error.nodeID == broken.node)
    #expect(error.nodeType == broken.type)
    #expect(error.property == broken.property)
    #expect(!error.problem.isEmpty)
    #expect(catalog.summaries(realm: "alpha").isEmpty)
  }

  /// What does not keep a journey from loading: the node that the warning names fails when it is reached.
  static let unplayable: [Broken] = [
    Broken("node without details", journeyFile([ask], extra: ["nodes": [:]]), node: "a", type: "Ask"),
    Broken(
      "types disagree", journeyFile([FileNode("a", "Ask", [:], ["_type": ["_id": "Decide"]])]), node: "a",
      type: "Ask", property: "_type"),
    Broken(
      "no type", JSONObject.untyped, node: "a", property: "nodeType"),
    Broken(
      "property that the node refuses", journeyFile([FileNode("a", "Refuse", [:])]), node: "a",
      type: "Refuse", property: "size"),
    Broken(
      "property of the wrong type", journeyFile([FileNode("a", "Ask", [:], ["outcomes": ["x": 1]])]),
      node: "a", type: "Ask", property: "outcomes"),
    Broken(
      "page without nodes", journeyFile([FileNode("p", "PageNode", [:], ["nodes": []])]), node: "p",
      type: "PageNode", property: "nodes"),
    Broken(
      "page with a missing inner node",
      journeyFile([FileNode("p", "PageNode", [:], ["nodes": [["_id": "x", "nodeType": "Ask"]]])]), node: "x",
      type: "Ask"),
    Broken(
      "page within a page",
      journeyFile([FileNode("p", "PageNode", [:], ["nodes": [["_id": "x", "nodeType": "PageNode"]]])]),
      node: "p",
      type: "PageNode", property: "nodes"),
    Broken(
      "page within a page, by the details alone",
      journeyFile(
        [FileNode("p", "PageNode", [:], ["nodes": [["_id": "x"]]])],
        inner: [FileNode("x", "PageNode", [:], ["nodes": [["_id": "y", "nodeType": "Ask"]]])]),
      node: "p", type: "PageNode", property: "nodes"),
    Broken(
      "page within itself", journeyFile([FileNode("p", "PageNode", [:], ["nodes": [["_id": "p"]]])]),
      node: "p", type: "PageNode", property: "nodes"),
    Broken(
      "page with an inner journey",
      journeyFile(
        [FileNode("p", "PageNode", [:], ["nodes": [["_id": "i", "nodeType": "InnerTreeEvaluatorNode"]]])],
        inner: [FileNode("i", "InnerTreeEvaluatorNode", [:], ["tree": "J"])]), node: "i",
      type: "InnerTreeEvaluatorNode", property: "nodes"),
    Broken(
      "page with a decision before its last node",
      journeyFile(
        [
          FileNode(
            "p", "PageNode", [:],
            ["nodes": [["_id": "d", "nodeType": "Decide"], ["_id": "i", "nodeType": "Ask"]]])
        ], inner: [FileNode("d", "Decide", [:]), FileNode("i", "Ask", [:])]), node: "d", type: "Decide"),
  ]

  @Test(arguments: unplayable)
  func `a node that cannot be made fails when it is reached, and a warning names it`(_ broken: Broken)
    async throws
  {
    let fixture = try Fixture()
    var catalog = JourneyCatalog(registry: SampleNodes.registry)
    #expect(try catalog.load(Array(broken.text.utf8), realm: "alpha", source: "test.json") == ["J"])
    let warning = try #require(catalog.warnings.first { $0.kind == .unplayable })
    #expect(warning.nodeID == broken.node && warning.nodeType == broken.type)
    #expect(warning.property == broken.property && warning.isDeviation)
    #expect(!warning.problem.isEmpty && !warning.remedy.isEmpty)
    fixture.serve(catalog)
    let end = try await fixture.failure(fixture.start())
    #expect(end.message == "Login failure" && end.reasons.last?.contains(warning.problem) == true)
  }

  @Test(arguments: [
    (FileNode("a", "Decide", ["true": "gone"]), "gone"),
    (FileNode("a", "Decide", ["true": 1]), "outcome true"),
  ])
  func `a connection that leads nowhere is a warning, and a run that takes it fails`(
    node: FileNode, word: String
  ) async throws {
    let fixture = try Fixture(journeyFile([node]))
    let warning = try #require(fixture.warnings.first { $0.problem.contains(word) })
    #expect(warning.kind == .unconnectedOutcome && warning.nodeID == "a" && warning.property == "connections")
    #expect(try await fixture.failure(fixture.start()).message == "Login failure")
  }

  @Test func `connections of another type than an object connect nothing`() throws {
    var file = journeyFile([FileNode("a", "Ask", [:])])
    var tree = file["tree"]?.objectValue ?? [:]
    tree["nodes"] = ["a": ["connections": "b", "nodeType": "Ask"]]
    file["tree"] = .object(tree)
    let kinds = try load(file).warnings.map(\.kind)
    #expect(kinds == [.unconnectedOutcome, .unconnectedOutcome])
  }

  /// What stands in for a value that cannot be read never lets anybody start more than was written.
  @Test(arguments: [("enabled", false), ("innerTreeOnly", false), ("noSession", true)])
  func `a journey's own member of the wrong type is replaced by the strict value`(
    property: String, canStart: Bool
  ) async throws {
    let fixture = try Fixture(
      journeyFile([FileNode("c", "Count", ["outcome": .string(success)])], tree: [property: "yes"]))
    let warning = try #require(fixture.warnings.first)
    #expect(warning.kind == .replacedValue && warning.property == property && warning.realm == "alpha")
    #expect(fixture.engine.catalog.summaries(realm: "alpha").map(\.canStart) == [canStart])
    if canStart { #expect(try await fixture.success(fixture.start()).noSession) }
    #expect(try load(journeyFile([Self.ask], tree: [property: "false"])).warnings.isEmpty)
  }

  // MARK: One bad journey of several

  private static func file(_ journeys: JSONObject) -> JSONObject { ["trees": .object(journeys)] }

  static let bad: [(JSONValue, property: String)] = [
    (.object(journeyFile([ask], name: "Bad", tree: ["entryNodeId": "x"])), "entryNodeId"), (3, "tree"),
    (.object(journeyFile([ask], name: "Bad", tree: ["nodes": 1])), "nodes"),
    (
      .object(
        journeyFile(
          [FileNode("i", "InnerTreeEvaluatorNode", ["true": .string(success)], ["tree": "Bad"])], name: "Bad")
      ),
      "tree"
    ),
  ]

  @Test(arguments: bad)
  func `a journey that is refused does not keep the others of its file from loading`(
    bad: JSONValue, property: String
  ) throws {
    var catalog = JourneyCatalog(registry: SampleNodes.registry)
    try catalog.load(journeyFile([Self.ask], name: "Bad").serialized, realm: "alpha", source: "bundled")
    let file = Self.file(["Good": .object(journeyFile([Self.ask], name: "Good")), "Bad": bad])
    let loaded = catalog.load([JourneyCatalog.File(file.serialized, source: "two.json")], realm: "alpha")[0]
    #expect(loaded.loaded == ["Good"] && loaded.refused == ["Bad"])
    #expect(loaded.faults.map(\.journey) == ["Bad"] && loaded.faults.map(\.property) == [property])
    // Nothing takes the name of the refused one: what was there may ask for less.
    #expect(catalog.summaries(realm: "alpha").map(\.name) == ["Good"])
  }

  @Test func `two journeys of one name in a file are both refused, and the third is there`() throws {
    var catalog = JourneyCatalog(registry: SampleNodes.registry)
    let file = Self.file([
      "One": .object(journeyFile([Self.ask], name: "Same")),
      "Two": .object(journeyFile([Self.ask], name: "Same")),
      "Three": .object(journeyFile([Self.ask], name: "Three")),
    ])
    let loaded = catalog.load([JourneyCatalog.File(file.serialized, source: "f.json")], realm: "alpha")[0]
    #expect(loaded.faults.count == 1 && loaded.faults.first?.problem.contains("f.json has 2") == true)
    #expect(catalog.summaries(realm: "alpha").map(\.name) == ["Three"])
  }

  @Test func `a file may hold several trees, each by its name`() throws {
    let file: JSONObject = [
      "meta": ["origin": "test"],
      "trees": [
        "One": .object(journeyFile([Self.ask], name: "One")),
        "Two": .object(journeyFile([Self.ask], name: "Two")),
      ],
    ]
    var catalog = JourneyCatalog(registry: SampleNodes.registry)
    #expect(try catalog.load(file.serialized, realm: "alpha", source: "two.json") == ["One", "Two"])
    #expect(catalog.summaries(realm: "alpha").map(\.name) == ["One", "Two"])
    #expect(catalog.summaries(realm: "beta").isEmpty)
  }

  @Test func `a later file replaces the journey of the same name`() throws {
    var catalog = try load(journeyFile([Self.ask], tree: ["description": "bundled"]))
    try catalog.load(
      journeyFile([Self.ask], tree: ["description": "own"]).serialized, realm: "alpha", source: "own.json")
    #expect(catalog.summaries(realm: "alpha").map(\.description) == ["own"])
    #expect(catalog.summaries(realm: "alpha").map(\.source) == ["own.json"])
  }

  @Test func `members that nobody here reads are kept`() throws {
    let file = journeyFile([Self.ask], extra: ["themes": [["_id": "t", "logo": "x"]], "future": ["a": 1]])
    #expect(try load(file).document(journey: "J", realm: "alpha") == file)
  }

  @Test(arguments: ["enabled", "innerTreeOnly"])
  func `journeys that are disabled or inner only cannot be started`(flag: String) async throws {
    let fixture = try Fixture(journeyFile([Self.ask], tree: [flag: .bool(flag == "innerTreeOnly")]))
    #expect(await refusal { try await fixture.start() } == .unknownJourney("J"))
    #expect(fixture.engine.catalog.summaries(realm: "alpha").map(\.canStart) == [false])
  }

  /// Ways in which exports of different versions write a connection of the outcome `noDeviceRegistered`.
  static let spellings: [(key: String, names: JSONValue)] = [
    ("noDeviceRegistered", []),
    ("NoDeviceRegistered", []),
    ("No Device Registered", []),
    ("noDeviceRegistered (Client)", []),
    ("0c5f", [["id": "0c5f", "displayName": "No Device Registered"]]),
  ]

  @Test(arguments: spellings)
  func `outcomes are matched by id, by spelling, and by the name shown`(key: String, names: JSONValue)
    async throws
  {
    let node = FileNode(
      "a", "Decide", [key: .string(success)],
      ["outcomes": ["noDeviceRegistered"], "takes": "noDeviceRegistered", "_outcomes": names])
    let fixture = try Fixture(journeyFile([node]))
    #expect(try await fixture.success(fixture.start()).journey == "J")
    #expect(fixture.engine.catalog.warnings.isEmpty)
  }

  @Test func `an outcome's own spelling wins over a similar one`() async throws {
    let node = FileNode(
      "a", "Decide", ["Abort": .string(failure), "abort": .string(success)],
      ["outcomes": ["abort", "Abort"], "takes": "abort"])
    let fixture = try Fixture(journeyFile([node]))
    _ = try await fixture.success(fixture.start())
  }

  @Test func `likely mistakes are warnings`() throws {
    let catalog = try load(
      journeyFile([
        FileNode("d", "Decide", ["true": "n", "old": .string(failure)]),
        FileNode("n", "Needs", ["outcome": .string(success)]),
        FileNode("u", "Ask", ["outcome": .string(success)], ["writes": ["device"]]),
      ]))
    let found = catalog.warnings.map { [$0.nodeID, $0.problem] }
    #expect(
      found == [
        ["d", "outcome false is not connected; a journey that takes it fails"],
        ["d", "the node never takes the connected outcome old"],
        ["n", "needs device in the journey's state, but no node before it puts it there"],
        ["u", "no connection leads to this node"],
      ])
  }

  @Test func `a state variable set on some way before the node is not a mistake`() throws {
    let catalog = try load(
      journeyFile([
        FileNode("a", "Ask", ["outcome": "c"], ["writes": ["device"]]),
        FileNode("c", "Count", ["outcome": "n"]),
        FileNode("n", "Needs", ["outcome": .string(success)]),
      ]))
    #expect(catalog.warnings.isEmpty)
  }
}
