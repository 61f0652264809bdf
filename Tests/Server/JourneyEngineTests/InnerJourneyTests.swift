import Concurrency
import JourneyEngine
import StrictJSON
import Testing

@Suite("Journeys inside journeys")
struct InnerJourneyTests {
  private static func inner(
    _ tree: String, _ connections: JSONObject, error: Bool = false, id: String = "i"
  ) -> FileNode {
    FileNode(
      id, "InnerTreeEvaluatorNode", connections,
      ["tree": .string(tree), "displayErrorOutcome": .bool(error)])
  }

  private static let ask = FileNode("a", "Ask", ["outcome": .string(success)])

  @Test func `an inner journey asks, its state is shared, and its success is the outcome true`() async throws
  {
    let fixture = try Fixture(
      journeyFile([
        Self.inner("Inner", ["true": "c", "false": .string(failure)]),
        FileNode("c", "Count", ["outcome": .string(success)]),
      ]),
      journeyFile([Self.ask], name: "Inner", tree: ["innerTreeOnly": true]))
    let end = try await fixture.success(fixture.answer(fixture.firstStep(), [posted("IDToken1", "ada")]))
    #expect(end.journey == "J" && end.username == "ada")
    #expect(end.state.shared["a"] == [["": "ada"]] && end.state.shared["count"] == 1)
    #expect(await refusal { try await fixture.start("Inner") } == .unknownJourney("Inner"))
  }

  @Test func `three journeys inside one another each ask, and each end is the outcome of the node outside`()
    async throws
  {
    let fixture = try Fixture(
      journeyFile([
        FileNode("a1", "Ask", ["outcome": "i"]), Self.inner("B", ["true": "z"]),
        FileNode("z", "Ask", ["outcome": .string(success)]),
      ]),
      journeyFile(
        [FileNode("a2", "Ask", ["outcome": "i"]), Self.inner("C", ["false": .string(success)])], name: "B"),
      journeyFile([FileNode("a3", "Ask", ["outcome": .string(failure)])], name: "C"))
    var step = try await fixture.firstStep()
    for text in ["1", "2", "3"] {
      step = try await fixture.step(fixture.answer(step, [posted("IDToken1", .string(text))]))
    }
    let end = try await fixture.success(fixture.answer(step, [posted("IDToken1", "4")]))
    #expect(
      ["a1", "a2", "a3", "z"].map { end.state.shared[$0] } == [
        [["": "1"]], [["": "2"]], [["": "3"]], [["": "4"]],
      ])
  }

  @Test(arguments: [true, false])
  func `an error inside takes the outcome error where it is shown, and else ends the journey`(isShown: Bool)
    async throws
  {
    let fixture = try Fixture(
      journeyFile([
        Self.inner("Inner", ["true": .string(failure), "error": .string(success)], error: isShown)
      ]),
      journeyFile([FileNode("t", "Throw", ["outcome": .string(success)])], name: "Inner"))
    if isShown {
      _ = try await fixture.success(fixture.start())
    } else {
      #expect(
        try await fixture.failure(fixture.start()).reasons == ["The t (Throw t): the directory is away"])
    }
  }

  @Test func `a refusal inside ends the whole journey, whatever is shown`() async throws {
    let fixture = try Fixture(
      journeyFile([Self.inner("Inner", ["error": .string(success)], error: true)]),
      journeyFile([FileNode("r", "RefuseRun", ["outcome": .string(success)])], name: "Inner"))
    #expect(try await fixture.failure(fixture.start()).detail["authLevel"] == 2)
  }

  @Test func `only the journey that the client started decides on its session`() async throws {
    let fixture = try Fixture(
      journeyFile([Self.inner("Inner", ["true": .string(success)])]),
      journeyFile(
        [FileNode("c", "Count", ["outcome": .string(success)])], name: "Inner", tree: ["noSession": true]))
    #expect(try await !fixture.success(fixture.start()).noSession)
  }

  @Test func `a journey that is not there is a warning, and the run fails when it gets there`() async throws {
    let fixture = try Fixture(journeyFile([Self.inner("Gone", ["true": .string(success)])]))
    let end = try await fixture.failure(fixture.start())
    #expect(end.reasons.last?.contains("Gone") == true)
    let warnings = fixture.warnings.filter { $0.kind == .missingInnerJourney }
    #expect(warnings.map(\.nodeID) == ["i", "i"] && warnings.first?.property == "tree")
  }

  @Test func `a circle of journeys is found when they are loaded, in one file or in several`() throws {
    let names = ["A", "B", "C"]
    func file(_ name: String, _ inner: String) -> JSONObject {
      journeyFile([Self.inner(inner, ["true": .string(success)])], name: name)
    }
    var catalog = JourneyCatalog(registry: SampleNodes.registry)
    let loaded = catalog.load(
      zip(names, ["B", "C", "A"]).map { JourneyCatalog.File(file($0, $1).serialized, source: "\($0).json") }
        + [JourneyCatalog.File(file("Caller", "A").serialized, source: "Caller.json")], realm: "alpha")
    #expect(loaded.map(\.faults.count) == [1, 1, 1, 0])
    #expect(loaded[0].faults.first?.problem.contains("A, B, C") == true)
    #expect(loaded.prefix(3).allSatisfy { $0.faults.first?.property == "tree" && $0.loaded.isEmpty })
    // Who runs one of them is not part of the circle.
    #expect(catalog.summaries(realm: "alpha").map(\.name) == ["Caller"])
    #expect(throws: JourneyFileError.self) {
      try catalog.load(file("Self", "Self").serialized, realm: "alpha", source: "self.json")
    }
    #expect(catalog.summaries(realm: "alpha").map(\.name) == ["Caller"])
  }

  @Test func `of several rings each is named by itself, and what lies between two is loaded`() throws {
    func journey(_ name: String, _ inner: [String]) -> (String, JSONValue) {
      (
        name,
        .object(
          journeyFile(
            inner.map { Self.inner($0, ["true": .string(success)], id: "i\($0)") } + [Self.ask], name: name))
      )
    }
    let file: JSONObject = [
      "trees": .object(
        JSONObject([
          journey("A", ["B"]), journey("B", ["A", "Between"]), journey("Between", ["D"]),
          journey("D", ["E"]), journey("E", ["D"]), journey("Self", ["Self"]), journey("Alone", []),
        ]))
    ]
    var catalog = JourneyCatalog(registry: SampleNodes.registry)
    let loaded = catalog.load([JourneyCatalog.File(file.serialized, source: "f")], realm: "alpha")[0]
    #expect(loaded.loaded == ["Between", "Alone"])
    func problem(_ name: String) -> String { loaded.faults.first { $0.journey == name }?.problem ?? "" }
    #expect(problem("A").contains("A, B run") && problem("D").contains("D, E run"))
    #expect(problem("Self").contains("runs itself"))
    #expect(catalog.warnings.filter { $0.kind == .missingInnerJourney }.map(\.journey) == ["Between"])
  }

  @Test func `a new file that closes a ring with journeys that are there is refused, and those stay`() throws
  {
    func file(_ name: String, _ inner: String) -> [UInt8] {
      journeyFile([Self.inner(inner, ["true": .string(success)])], name: name).serialized
    }
    var catalog = JourneyCatalog(registry: SampleNodes.registry)
    try catalog.load(file("Old", "New"), realm: "alpha", source: "old")
    #expect(throws: JourneyFileError.self) {
      try catalog.load(file("New", "Old"), realm: "alpha", source: "new")
    }
    #expect(catalog.summaries(realm: "alpha").map(\.name) == ["Old"])
  }

  @Test func `journeys that run too many others inside one another do not go on without end`() async throws {
    let files = (0..<20).map { number in
      journeyFile(
        number == 19
          ? [FileNode("c", "Count", ["outcome": .string(success)])]
          : [Self.inner("J\(number + 1)", ["true": .string(success)])], name: "J\(number)")
    }
    var catalog = JourneyCatalog(registry: SampleNodes.registry)
    catalog.load(files.map { JourneyCatalog.File($0.serialized, source: "j") }, realm: "alpha")
    let fixture = try Fixture()
    fixture.serve(catalog)
    _ = try await fixture.success(fixture.start("J4"))
    _ = try await fixture.failure(fixture.start("J0"))
  }

  @Test func `levels that inner journeys reach count`() throws {
    var catalog = JourneyCatalog(registry: SampleNodes.registry)
    let outer = journeyFile([
      FileNode("up", "Raise", ["outcome": "i"]),
      Self.inner("Lowers", ["true": .string(success), "false": .string(success)]),
    ])
    let lowers = journeyFile(
      [
        FileNode("d", "Decide", ["true": "down", "false": .string(failure)]),
        FileNode("down", "Lower", ["outcome": .string(success)]),
      ], name: "Lowers")
    for file in [outer, lowers] { try catalog.load(file.serialized, realm: "alpha", source: "f") }
    let summary = catalog.summaries(realm: "alpha").first
    #expect(summary?.guaranteedLevel == 2 && summary?.reachableLevel == 3)
  }

  @Test func `what an inner journey needs may come from the one outside, and what it sets goes there`() throws
  {
    var catalog = JourneyCatalog(registry: SampleNodes.registry)
    let needs = journeyFile(
      [FileNode("n", "Needs", ["outcome": .string(success)])], name: "Needs", tree: ["innerTreeOnly": true])
    let sets = journeyFile(
      [FileNode("s", "Ask", ["outcome": .string(success)], ["writes": ["device"]])], name: "Sets")
    let good = journeyFile(
      [
        Self.inner("Sets", ["true": "j"]),
        Self.inner("Needs", ["true": .string(success), "false": .string(failure)], id: "j"),
      ],
      name: "Good")
    let bad = journeyFile(
      [Self.inner("Needs", ["true": .string(success), "false": .string(failure)])], name: "Bad")
    catalog.load(
      [good, bad, needs, sets].map { JourneyCatalog.File($0.serialized, source: "f") }, realm: "alpha")
    #expect(catalog.warnings.filter { $0.kind == .missingState }.map(\.journey) == ["Bad"])
  }

  @Test func `a position in an inner journey that does not exist there any more is stale`() async throws {
    let fixture = try Fixture(
      journeyFile([Self.inner("Inner", ["true": .string(success)])]), journeyFile([Self.ask], name: "Inner"))
    let step = try await fixture.firstStep()
    fixture.catalog.withLock { $0.withdraw(["Inner"], realm: "alpha") }
    #expect(await refusal { try await fixture.answer(step, [posted("IDToken1", "ada")]) }?.isStale == true)
  }
}
