import JourneyEngine
import StrictJSON
import Testing

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
    Broken("enabled is a text", journeyFile([ask], tree: ["enabled": "yes"]), property: "enabled"),
    Broken(
      "missing node behind a connection", journeyFile([FileNode("a", "Ask", ["outcome": "gone"])]), node: "a",
      type: "Ask", property: "connections"),
    Broken(
      "connection to no node id", journeyFile([FileNode("a", "Ask", ["outcome": 1])]), node: "a", type: "Ask",
      property: "connections"),
    Broken(
      "node without details", journeyFile([ask], extra: ["nodes": [:]]), node: "a", type: "Ask"),
    Broken(
      "types disagree", journeyFile([FileNode("a", "Ask", [:], ["_type": ["_id": "Decide"]])]), node: "a",
      type: "Ask", property: "_type"),
    Broken(
      "property that the node refuses", journeyFile([FileNode("a", "Refuse", [:])]), node: "a",
      type: "Refuse",
      property: "size"),
    Broken(
      "property of the wrong type", journeyFile([FileNode("a", "Ask", [:], ["outcomes": "outcome"])]),
      node: "a",
      type: "Ask", property: "outcomes"),
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
      "page with a decision before its last node",
      journeyFile(
        [
          FileNode(
            "p", "PageNode", [:],
            ["nodes": [["_id": "d", "nodeType": "Decide"], ["_id": "i", "nodeType": "Ask"]]])
        ], inner: [FileNode("d", "Decide", [:]), FileNode("i", "Ask", [:])]), node: "d", type: "Decide"),
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
