import Concurrency
import Foundation
import JourneyEngine
import StrictJSON
import Testing

@Suite("Node types made in the designer") struct DesignedNodeTypeTests {
  /// Keeps what its definition says of the type.
  private struct Designed: JourneyNode {
    let outcomes: [String]
    let source: String

    init(_ definition: NodeDefinition) throws {
      guard let type = definition.designedType else { throw definition.wrong("nodeType", "is not there") }
      if let problem = type.problem { throw definition.wrong("nodeType", problem) }
      outcomes = type.outcomes
      source = type.script.source
    }

    func evaluate(_ context: inout NodeContext) async throws -> NodeResult {
      context.state.shared["source"] = .string(source)
      return .outcome("Next")
    }
  }

  private static let registry = SampleNodes.registry.adding(["designer-*": { try Designed($0) }])

  private static let use = FileNode("n", "designer-risk", ["Next": .string(success)])

  private static func type(_ script: JSONValue, name: String = "risk") -> JSONObject {
    [
      "\(name)-1": [
        "_id": .string("\(name)-1"), "serviceName": .string(name), "displayName": "Risk",
        "outcomes": ["Next"],
        "errorOutcome": false, "inputs": [], "outputs": ["*"], "script": script,
        "properties": [
          "limit": ["type": "NUMBER", "required": true, "defaultValue": 3, "options": ["3": "three"]]
        ],
      ]
    ]
  }

  private static func journey(_ types: JSONObject? = nil, name: String = "J", source: String = "j.json")
    -> JourneyCatalog.File
  {
    file(journeyFile([use], name: name, extra: types.map { ["nodeTypes": .object($0)] } ?? [:]), source)
  }

  private static func types(_ types: JSONObject, source: String = "risk.nodeTypes.json")
    -> JourneyCatalog.File
  {
    file(["meta": [:], "nodeTypes": .object(types)], source)
  }

  private static func file(_ content: JSONObject, _ source: String) -> JourneyCatalog.File {
    JourneyCatalog.File(
      content.serialized, source: source,
      references: JourneyFileReferences { name throws(JourneyFileReferences.Refusal) in
        guard name == "risk.nodeTypes.js" else { throw .init("is not there") }
        return Array("from the file".utf8)
      })
  }

  private func load(_ files: JourneyCatalog.File...) -> (
    catalog: JourneyCatalog, files: [JourneyCatalog.LoadedFile]
  ) {
    var catalog = JourneyCatalog(registry: Self.registry)
    let loaded = catalog.load(files, realm: "alpha")
    return (catalog, loaded)
  }

  private func source(_ catalog: JourneyCatalog) async throws -> JSONValue? {
    let fixture = try Fixture()
    fixture.serve(catalog)
    return try await fixture.success(fixture.start()).state.shared["source"]
  }

  static let forms: [(script: JSONValue, text: String)] = [
    ("one text", "one text"), (["two", "lines"], "two\nlines"), ("file://risk.nodeTypes.js", "from the file"),
  ]

  @Test(arguments: forms) func `a type's script is read in every form`(script: JSONValue, text: String)
    async throws
  {
    let (catalog, files) = load(Self.journey(Self.type(script)))
    #expect(files[0].faults.isEmpty && catalog.warnings == [])
    #expect(try await source(catalog) == .string(text))
    let type = try #require(catalog.nodeTypes(journey: "J", realm: "alpha").first)
    #expect(type.displayName == "Risk" && type.outcomes == ["Next"] && type.script.evaluatorVersion == "2.0")
    let property = try #require(type.properties.first)
    #expect(property.name == "limit" && property.kind == .number && property.isRequired)
    #expect(property.defaultValue == 3 && property.options == ["3"])
    // A copy is whole.
    let copy = try #require(catalog.document(journey: "J", realm: "alpha")).withNodeTypes([type])
    let (again, _) = load(JourneyCatalog.File(copy.serialized, source: "copy"))
    #expect(try await self.source(again) == .string(text))
  }

  @Test func `a type of a file of its own is found, in whatever order, and the journey's own goes before it`()
    async throws
  {
    let other = Self.types(Self.type("other"))
    for files in [[Self.journey(), other], [other, Self.journey()]] {
      let (catalog, loaded) = load(files[0], files[1])
      #expect(catalog.warnings == [] && loaded.flatMap(\.faults).isEmpty)
      #expect(loaded.flatMap(\.nodeTypes) == ["designer-risk"])
      #expect(try await source(catalog) == "other")
      #expect(catalog.document(journey: "J", realm: "alpha")?["nodeTypes"] == nil)
    }
    let (own, _) = load(Self.journey(Self.type("own")), other)
    #expect(own.warnings == [])
    #expect(try await source(own) == "own")
  }

  @Test func `types stand above several journeys, too`() async throws {
    let (catalog, _) = load(
      Self.file(
        ["trees": ["J": .object(journeyFile([Self.use]))], "nodeTypes": .object(Self.type("above"))],
        "all.json"))
    #expect(catalog.warnings == [])
    #expect(try await source(catalog) == "above")
  }

  @Test func `of two different types of one name the first counts, and a warning says which`() async throws {
    let (catalog, _) = load(
      Self.types(Self.type("first"), source: "a.nodeTypes.json"),
      Self.types(Self.type("second"), source: "b.nodeTypes.json"),
      Self.journey())
    let warning = try #require(catalog.warnings.first)
    #expect(
      warning.kind == .ambiguousType && warning.nodeID == "n" && warning.remedy.contains("a.nodeTypes.json"))
    #expect(try await source(catalog) == "first")
    let (same, _) = load(
      Self.types(Self.type("x"), source: "a.nodeTypes.json"),
      Self.types(Self.type("x"), source: "b.nodeTypes.json"),
      Self.journey())
    #expect(same.warnings == [])
  }

  @Test func `a type that no file has is unknown, and what to do is said`() async throws {
    let (catalog, files) = load(Self.journey(Self.type("x", name: "other")))
    #expect(files[0].faults.isEmpty)
    let warning = try #require(catalog.warnings.first)
    #expect(warning.kind == .unknownType && warning.problem.contains("*.nodeTypes.json"))
    let fixture = try Fixture()
    fixture.serve(catalog)
    #expect(try await fixture.failure(fixture.start()).reasons.last?.contains("designer-risk") == true)
  }

  @Test(arguments: [.null, 7, "file://missing.js", ["a", 1]] as [JSONValue])
  func `a type whose script cannot be read stops its nodes alone`(script: JSONValue) async throws {
    let (catalog, files) = load(
      Self.journey(Self.type(script)), Self.journey(Self.type("good"), name: "K", source: "k.json"))
    #expect(files.flatMap(\.faults).isEmpty)
    #expect(catalog.warnings.map(\.kind) == [.unplayable])
    #expect(catalog.warnings.first?.problem.contains("j.json") == true)
    let fixture = try Fixture()
    fixture.serve(catalog)
    _ = try await fixture.failure(fixture.start())
    #expect(try await fixture.success(fixture.start("K")).state.shared["source"] == "good")
  }

  @Test func `a run under way finishes on the type that it began with`() async throws {
    func catalog(_ script: JSONValue) -> JourneyCatalog {
      load(
        Self.file(journeyFile([FileNode("a", "Ask", ["outcome": "n"]), Self.use]), "j.json"),
        Self.types(Self.type(script))
      ).catalog
    }
    let (fixture, old) = (try Fixture(), catalog("old"))
    fixture.serve(old)
    let step = try await fixture.firstStep()
    let now = fixture.time.withLock { $0 }
    fixture.serve(catalog("new").succeeding(old, now: now, until: now.addingTimeInterval(600)))
    let end = try await fixture.success(fixture.answer(step, [posted("IDToken1", "ada")]))
    #expect(end.state.shared["source"] == "old")
    let next = try await fixture.success(fixture.answer(fixture.firstStep(), [posted("IDToken1", "ada")]))
    #expect(next.state.shared["source"] == "new")
  }

  @Test func `types of a file that cannot be read any more stay as they were`() async throws {
    let (old, _) = load(Self.types(Self.type("old")), Self.journey())
    var next = JourneyCatalog(registry: Self.registry)
    next.keepNodeTypes(of: ["risk.nodeTypes.json", "gone.nodeTypes.json"], from: old, realm: "alpha")
    let files = next.load(
      [JourneyCatalog.File(Array("{".utf8), source: "risk.nodeTypes.json"), Self.journey()], realm: "alpha")
    #expect(files[0].faults.count == 1 && files[1].faults.isEmpty && next.warnings == [])
    #expect(try await source(next) == "old")
  }

  @Test func `properties called script and emailTemplateName are the type's own`() throws {
    let node = FileNode(
      "n", "designer-risk", ["Next": .string(success)],
      ["script": "no id", "emailTemplateName": "no template"])
    let (catalog, _) = load(
      Self.file(journeyFile([node], extra: ["nodeTypes": .object(Self.type("x"))]), "j"))
    #expect(catalog.warnings == [])
  }

  @Test func `a family of types has the maker of its longest name`() throws {
    let registry = NodeRegistry([
      "designer-*": { _ in SampleNodes.Throw() }, "designer-a*": { _ in SampleNodes.Count() },
      "designer-abc": { _ in SampleNodes.Away() },
    ])
    func made(_ type: String) throws -> String {
      try "\(registry.maker(for: type)?(NodeDefinition(id: "n", type: type)) as Any)"
    }
    #expect(try made("designer-x").contains("Throw"))
    #expect(try made("designer-ab").contains("Count"))
    #expect(try made("designer-abc").contains("Away"))
    #expect(try made("designer") == "nil")
  }
}
