import Bytes
import JourneyEngine
import StrictJSON
import Testing

extension JSONObject {
  /// A file of several journeys.
  fileprivate static func trees(_ journeys: [String: JSONObject]) -> JSONObject {
    ["trees": .object(JSONObject(journeys.sorted { $0.key < $1.key }.map { ($0.key, .object($0.value)) }))]
  }
}

@Suite("What exports hold beside nodes, and exports that are damaged")
struct ExportedFileTests {
  private static let scripted = FileNode("n", "Attached", ["outcome": .string(success)], ["script": "s"])
  private static let text = "if (a) {\n  outcome = \"true\"; // grün\n}"

  /// Says the attachments that its definition has.
  private struct Attached: JourneyNode {
    let outcomes = ["outcome"]
    let definition: NodeDefinition
    func evaluate(_ context: inout NodeContext) async throws -> NodeResult {
      context.state.shared["source"] = definition.attachments.scripts["s"].map { .string($0.source) }
      context.state.shared["template"] = definition.attachments.emailTemplates["welcome"].map { .object($0) }
      return .outcome("outcome")
    }
  }

  private static let registry = SampleNodes.registry.adding(["Attached": { Attached(definition: $0) }])

  private func run(_ files: JourneyCatalog.File...) async throws -> JourneyState {
    var catalog = JourneyCatalog(registry: Self.registry)
    for loaded in catalog.load(files, realm: "alpha") { if let fault = loaded.faults.first { throw fault } }
    let fixture = try Fixture()
    fixture.serve(catalog)
    return try await fixture.success(fixture.start()).state
  }

  private func file(_ script: JSONValue, extra: JSONObject = [:]) -> JourneyCatalog.File {
    var all: JSONObject = [
      "scripts": ["s": ["_id": "s", "name": "S", "script": script, "language": "JAVASCRIPT"]]
    ]
    all.merge(extra)
    return JourneyCatalog.File(
      journeyFile([Self.scripted], extra: all).serialized, source: "t.json",
      references: JourneyFileReferences { name throws(JourneyFileReferences.Refusal) in
        guard name == "s.js" else { throw .init("no") }
        return Array(Self.text.utf8)
      })
  }

  static let forms: [JSONValue] = [
    .string(PaddedBase64.encode(Array(text.utf8))), .string(JSONValue.string(text).text), .string(text),
    .array(text.split(separator: "\n", omittingEmptySubsequences: false).map { .string(String($0)) }),
    "file://s.js",
  ]

  @Test(arguments: forms)
  func `a script is read in every form that exports have`(form: JSONValue) async throws {
    #expect(try await run(file(form)).shared["source"] == .string(Self.text))
  }

  @Test func `nodes inside pages have scripts and templates, too`() async throws {
    var catalog = JourneyCatalog(registry: Self.registry)
    let page = journeyFile(
      [
        FileNode(
          "p", "PageNode", ["outcome": .string(success)], ["nodes": [["_id": "n", "nodeType": "Attached"]]])
      ],
      inner: [Self.scripted],
      extra: [
        "scripts": ["s": ["script": "x;"]], "emailTemplates": ["emailTemplate/welcome": ["enabled": true]],
      ])
    try catalog.load(page.serialized, realm: "alpha", source: "t")
    let fixture = try Fixture()
    fixture.serve(catalog)
    let state = try await fixture.success(fixture.start()).state
    #expect(state.shared["source"] == "x;" && state.shared["template"] == ["enabled": true])
  }

  @Test func `a script of another file of the realm is found, and the journey's own goes before it`()
    async throws
  {
    let without = JourneyCatalog.File(journeyFile([Self.scripted]).serialized, source: "a")
    let other = JourneyCatalog.File(
      journeyFile(
        [FileNode("c", "Count", ["outcome": .string(success)])], name: "K",
        extra: ["scripts": ["s": ["script": "other;"]]]
      )
      .serialized, source: "b")
    #expect(try await run(without, other).shared["source"] == "other;")
    #expect(try await run(file("own;"), other).shared["source"] == "own;")
  }

  @Test(arguments: ["missing.js", "../s.js", ""])
  func `a script whose file is not beside the export is left out, and no other file's stands in for it`(
    name: String
  ) async throws {
    let other = JourneyCatalog.File(
      journeyFile(
        [FileNode("a", "Ask", ["outcome": .string(success)])], name: "Other",
        extra: ["scripts": ["s": ["script": "weaker;"]]]
      ).serialized, source: "other.json")
    var catalog = JourneyCatalog(registry: Self.registry)
    let loaded = catalog.load([file(.string("file://\(name)")), other], realm: "alpha")
    #expect(loaded.flatMap(\.faults).isEmpty)
    let warnings = catalog.warnings.filter { $0.kind == .missingScript }
    #expect(warnings.map(\.property) == ["scripts", "script"] && warnings.map(\.nodeID) == [nil, "n"])
    #expect(warnings.allSatisfy { $0.problem.contains("script s") && $0.isDeviation })
    let fixture = try Fixture()
    fixture.serve(catalog)
    #expect(try await fixture.success(fixture.start()).state.shared["source"] == nil)
  }

  static let unreadable: [(extra: JSONObject, kind: JourneyWarning.Kind, property: String)] = [
    (["scripts": []], .replacedValue, "scripts"), (["scripts": ["s": 1]], .missingScript, "scripts"),
    (["scripts": ["s": ["script": [1]]]], .missingScript, "scripts"),
    (["scripts": ["s": [:]]], .missingScript, "scripts"),
    (["emailTemplates": "none"], .replacedValue, "emailTemplates"),
    (["emailTemplates": ["welcome": 3]], .missingTemplate, "emailTemplates"),
  ]

  @Test(arguments: unreadable)
  func `scripts and templates of another type are left out with a warning`(
    extra: JSONObject, kind: JourneyWarning.Kind, property: String
  ) throws {
    var catalog = JourneyCatalog(registry: Self.registry)
    try catalog.load(journeyFile([Self.scripted], extra: extra).serialized, realm: "alpha", source: "t")
    let warning = try #require(catalog.warnings.first)
    #expect(warning.kind == kind && warning.property == property && !warning.remedy.isEmpty)
  }

  @Test func `a script that is not in the file is a warning`() throws {
    var catalog = JourneyCatalog(registry: Self.registry)
    try catalog.load(journeyFile([Self.scripted]).serialized, realm: "alpha", source: "t")
    #expect(catalog.warnings.map(\.kind) == [.missingScript])
  }

  @Test func `members that nobody reads survive`() throws {
    let file = journeyFile(
      [Self.scripted], tree: ["uiConfig": ["x": 1.5]],
      extra: ["themes": [["_id": "t"]], "saml2Entities": [:]])
    var catalog = JourneyCatalog(registry: Self.registry)
    try catalog.load(file.serialized, realm: "alpha", source: "t")
    #expect(catalog.document(journey: "J", realm: "alpha") == file)
  }

  // MARK: Types that are unknown

  @Test
  func `a journey with a node of an unknown type runs until it gets there, and then fails with its name`()
    async throws
  {
    let fixture = try Fixture(
      journeyFile([
        FileNode("a", "Ask", ["outcome": "h"]), FileNode("h", "HotelNode", ["booked": .string(success)]),
      ]))
    let end = try await fixture.failure(fixture.answer(fixture.firstStep(), [posted("IDToken1", "ada")]))
    #expect(end.message == "Login failure")
    let reason = try #require(end.reasons.last)
    for part in ["The h", "HotelNode", " h)"] { #expect(reason.contains(part)) }
    let warnings = fixture.warnings
    #expect(warnings.map(\.kind) == [.unknownType, .unknownType])
  }

  @Test func `a way through an unknown node reaches no level`() throws {
    var catalog = JourneyCatalog(registry: SampleNodes.registry)
    try catalog.load(
      journeyFile([
        FileNode("d", "Decide", ["true": "up", "false": "h"]),
        FileNode("up", "Raise", ["outcome": .string(success)]),
        FileNode("h", "HotelNode", ["x": .string(success)]),
      ]).serialized, realm: "alpha", source: "t")
    #expect(catalog.summaries(realm: "alpha").first?.guaranteedLevel == 3)
  }

  @Test func `an unknown node inside a page fails with its own name`() async throws {
    let fixture = try Fixture(
      journeyFile(
        [
          FileNode(
            "p", "PageNode", ["outcome": .string(success)],
            ["nodes": [["_id": "x", "nodeType": "HotelNode"], ["_id": "a", "nodeType": "Ask"]]])
        ],
        inner: [FileNode("x", "HotelNode", [:]), FileNode("a", "Ask", [:])]))
    let end = try await fixture.failure(fixture.start())
    #expect(end.reasons.last?.contains("HotelNode") == true && end.reasons.last?.contains("(x)") == true)
  }

  // MARK: Damage

  struct Damage: CustomTestStringConvertible {
    let testDescription: String
    let bytes: [UInt8]
    let word: String
  }

  static let damages = [
    Damage(testDescription: "a ZIP", bytes: [0x50, 0x4B, 3, 4, 0, 0], word: "unpack"),
    Damage(testDescription: "gzip", bytes: [0x1F, 0x8B, 8], word: "unpack"),
    Damage(
      testDescription: "truncated", bytes: Array(journeyFile([scripted]).serialized.dropLast(40)),
      word: "not whole"),
    Damage(
      testDescription: "over 64 MiB", bytes: [UInt8](repeating: UInt8(ascii: " "), count: (64 << 20) + 1),
      word:
        "has 67108865 bytes, more than the 67108864 that a journey file may have; export the journeys one by one"
    ),
    Damage(
      testDescription: "nested deeply", bytes: Array(String(repeating: "[", count: 1000).utf8), word: "deeper"
    ),
  ]

  @Test(arguments: damages)
  func `a damaged export says what to do, and changes nothing`(damage: Damage) throws {
    var catalog = JourneyCatalog(registry: SampleNodes.registry)
    try catalog.load(
      journeyFile([FileNode("a", "Ask", ["outcome": .string(success)])]).serialized, realm: "alpha",
      source: "good")
    let error = try #require(throws: JourneyFileError.self) {
      try catalog.load(damage.bytes, realm: "alpha", source: "bad.json")
    }
    #expect(error.problem.contains(damage.word) && error.problem.contains("bad.json"))
    #expect(catalog.summaries(realm: "alpha").map(\.name) == ["J"])
  }

  @Test func `a journey of ten thousand nodes loads, and runs up to the limit of one request`() async throws {
    let count = 10_000
    let nodes = (0..<count).map {
      FileNode(
        "n\($0)", $0 % 2 == 0 ? "Needs" : "Count",
        ["outcome": .string($0 == count - 1 ? success : "n\($0 + 1)")])
    }
    var catalog = JourneyCatalog(registry: SampleNodes.registry)
    try catalog.load(journeyFile(nodes).serialized, realm: "alpha", source: "t")
    #expect(catalog.warnings.filter { $0.kind == .missingState }.count == count / 2)
    let fixture = try Fixture()
    fixture.serve(catalog)
    #expect(try await fixture.failure(fixture.start()).reasons.last?.contains("more than 100 nodes") == true)
  }

  @Test func `ten thousand nodes with scripts, libraries and variables of their own take a sensible time`()
    throws
  {
    let count = 10_000
    let nodes = (0..<count).map {
      FileNode(
        "n\($0)", "Attached", ["outcome": .string($0 == count - 1 ? success : "n\($0 + 1)")],
        ["script": .string("s\($0)")])
    }
    let scripts = JSONObject(
      (0..<count).map { number -> (String, JSONValue) in
        ("s\(number)", ["script": "x;", "name": .string("l\(number)"), "context": "LIBRARY"])
      })
    var catalog = JourneyCatalog(registry: Self.registry)
    let file = journeyFile(nodes, extra: ["scripts": .object(scripts)]).serialized
    // A step that is quadratic takes minutes.
    try catalog.load(file, realm: "alpha", source: "t")
    #expect(catalog.warnings.isEmpty)
  }

  @Test func `of two files with the same journey neither is loaded, and both are named`() throws {
    var catalog = JourneyCatalog(registry: SampleNodes.registry)
    let file = journeyFile([FileNode("a", "Ask", ["outcome": .string(success)])]).serialized
    let two = JSONObject.trees([
      "J": journeyFile([FileNode("a", "Ask", ["outcome": .string(success)])]),
      "K": journeyFile([FileNode("a", "Ask", ["outcome": .string(success)])], name: "K"),
    ])
    let loaded = catalog.load(
      [
        JourneyCatalog.File(file, source: "one.json"),
        JourneyCatalog.File(two.serialized, source: "two.json"),
      ],
      realm: "alpha")
    for result in loaded {
      #expect(result.faults.count == 1)
      #expect(result.faults.first?.problem.contains("one.json and two.json") == true)
      #expect(result.refused == ["J"])
    }
    // The other journey of the second file is there.
    #expect(catalog.summaries(realm: "alpha").map(\.name) == ["K"])
  }

  @Test func `a check says everything that is wrong at once`() {
    var catalog = JourneyCatalog(registry: SampleNodes.registry)
    let file = journeyFile([
      FileNode("d", "Decide", ["true": "r", "false": "l1"]), FileNode("r", "Refuse", ["outcome": "gone"]),
      FileNode("l1", "Count", ["outcome": "l2"]), FileNode("l2", "Count", ["outcome": "l1"]),
      FileNode("w", "Ask", [:], ["outcomes": [:]]), FileNode("h", "HotelNode", [:]),
      FileNode("st", "Needs", ["outcome": .string(success)]),
    ])
    let loaded = catalog.load(
      [JourneyCatalog.File(file.serialized, source: "t")], realm: "alpha", isCheck: true)
    #expect(loaded[0].faults.isEmpty)
    let unplayable = catalog.warnings.filter { $0.kind == .unplayable }
    #expect(unplayable.map(\.nodeID) == ["r", "w"])
    #expect(unplayable.map(\.nodeName) == ["The r", "The w"])
    let kinds = Set(catalog.warnings.map(\.kind))
    #expect(kinds.isSuperset(of: [.deadEnd, .unreachable, .unknownType, .unconnectedOutcome]))
  }

  @Test func `a storage node behind one that stores by itself is told which property to change`() throws {
    var catalog = JourneyCatalog(registry: SampleNodes.registry)
    try catalog.load(
      journeyFile([
        FileNode("a", "Ask", ["outcome": "n"], ["postponeDeviceProfileStorage": false]),
        FileNode("n", "Needs", ["outcome": .string(success)]),
      ]).serialized, realm: "alpha", source: "t")
    let warning = try #require(catalog.warnings.first)
    #expect(warning.kind == .notPostponed && warning.remedy.contains("The a"))
  }
}
