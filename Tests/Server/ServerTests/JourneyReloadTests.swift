import CommonFixtures
import Concurrency
import Foundation
import JourneyEngine
import JourneyStore
import StrictJSON
import Testing

@testable import Assembly
@testable import JourneyFiles
@testable import ServerHTTP

@Suite("Journey files that change while the server runs") struct JourneyReloadTests {
  private struct Pass: JourneyNode {
    let outcomes = ["outcome"]
    init(_ definition: NodeDefinition) throws { _ = try definition.integer("limit", default: 1, in: 1...9) }
    func evaluate(_ context: inout NodeContext) -> NodeResult { .outcome("outcome") }
  }

  private struct Designed: JourneyNode {
    let outcomes = ["first", "second"]
    func evaluate(_ context: inout NodeContext) -> NodeResult { .outcome("first") }
  }

  private static func journey(
    _ name: String, _ description: String, limit: JSONValue = 1, entry: String = "n"
  ) -> [UInt8] {
    var file = TestJourneys.file(
      name, entry: entry,
      nodes: [
        "n": TestJourneys.Node(
          type: "Pass", connections: ["outcome": TestJourneys.success], properties: ["limit": limit])
      ])
    var tree = file["tree"]?.objectValue ?? JSONObject()
    tree["description"] = .string(description)
    file["tree"] = .object(tree)
    return file.serialized
  }

  /// A directory of realms over a folder of journeys, as a server has it.
  private struct Watched {
    let directory: RealmDirectory
    let folder: TemporaryFolder
    let log = Locked<[String]>([])

    init(_ files: [String: [UInt8]]) throws {
      folder = try TemporaryFolder.make()
      for (path, bytes) in files { try folder.write(bytes, to: path) }
      var configuration = LocalServer.configuration(log: log)
      configuration.journeysDirectory = folder.url
      configuration.bundledJourneys = try BundledJourneys(options: ["none,root=none"])
      let registry = NodeRegistry(["Pass": { try Pass($0) }, "designer-*": { _ in Designed() }])
      var loading = JourneyLoading(
        registry: registry, realms: ["root", "alpha"], logger: configuration.logger)
      let fingerprint = JourneyFolder.fingerprint(of: folder.url)
      try loading.load(directory: folder.url, isStrict: false)
      directory = RealmDirectory(
        RealmDirectory.Snapshot(version: 0, names: ["root", "alpha"], catalog: loading.catalog),
        from: configuration.realmSources, store: try SQLiteStore.inMemory(), registry: registry,
        fingerprint: fingerprint, clock: configuration.clock, logger: configuration.logger)
    }

    var descriptions: [String] { directory.catalog.summaries(realm: "alpha").map(\.description) }

    /// Two looks: a change is taken when it has come to rest.
    func look() async throws {
      try await directory.reloadIfChanged()
      try await directory.reloadIfChanged()
    }
  }

  @Test func `a changed, a new and a removed file are taken over at once, after they have come to rest`()
    async throws
  {
    let watched = try Watched([
      "alpha/A.journey.json": Self.journey("A", "first"), "alpha/B.journey.json": Self.journey("B", "b"),
    ])
    #expect(watched.descriptions == ["first", "b"])
    try watched.folder.write(Self.journey("A", "second one"), to: "alpha/A.journey.json")
    try watched.folder.write(Self.journey("C", "c"), to: "alpha/C.journey.json")
    try FileManager.default.removeItem(at: watched.folder.file("alpha/B.journey.json"))
    try await watched.directory.reloadIfChanged()
    #expect(watched.descriptions == ["first", "b"], "it may still be changing")
    try await watched.directory.reloadIfChanged()
    #expect(watched.descriptions == ["second one", "c"])
    #expect(watched.log.withLock { $0 }.contains { $0.contains("loaded again") })
  }

  @Test func `an export of all journeys loads, other files are named, and a change says what changed`()
    async throws
  {
    let all = try JSONValue.object([
      "trees": [
        "A": JSONValue(parsing: Self.journey("A", "first")), "B": JSONValue(parsing: Self.journey("B", "b")),
      ]
    ]).serialized
    let watched = try Watched([
      "alpha/all.journeys.json": all, "alpha/export.json": Self.journey("C", "c"), "alpha/notes.md": [],
    ])
    #expect(watched.descriptions == ["first", "b"])
    let line = watched.log.withLock { $0.first { $0.contains("ignored files") } }
    #expect(line?.contains("export.json") == true && line?.contains("notes.md") == false)
    try watched.folder.write(Self.journey("D", "new"), to: "alpha/D.journey.json")
    #expect(try await watched.directory.reloadIfChanged().isEmpty)
    let changes = try await watched.directory.reloadIfChanged()
    #expect(changes.map(\.name) == ["D"] && changes.first?.before == nil)
    let detail = try #require(changes.first).detail
    #expect(detail["before"] == .null && detail["after"]?.stringValue?.count == 64)
  }

  @Test
  func `a file of node types that does not load leaves its types as they were, and takes no journey away`()
    async throws
  {
    func types(_ outcome: String) -> [UInt8] {
      let file: JSONObject = [
        "nodeTypes": [
          "risk-1": ["serviceName": "risk", "outcomes": [.string(outcome)], "script": "action.goTo('x')"]
        ]
      ]
      return file.serialized
    }
    let journey = TestJourneys.file(
      "A", entry: "n",
      nodes: ["n": TestJourneys.Node(type: "designer-risk", connections: ["first": TestJourneys.success])])
    let watched = try Watched([
      "alpha/A.journey.json": journey.serialized, "alpha/risk.nodeTypes.json": types("first"),
    ])
    #expect(watched.directory.catalog.nodeTypes(journey: "A", realm: "alpha").map(\.outcomes) == [["first"]])
    try watched.folder.write(Array("{".utf8), to: "alpha/risk.nodeTypes.json")
    try await watched.look()
    #expect(watched.directory.catalog.nodeTypes(journey: "A", realm: "alpha").map(\.outcomes) == [["first"]])
    #expect(
      watched.log.withLock { $0 }.contains { $0.hasPrefix("error") && $0.contains("risk.nodeTypes.json") })
    try watched.folder.write(types("second"), to: "alpha/risk.nodeTypes.json")
    try await watched.look()
    #expect(watched.directory.catalog.nodeTypes(journey: "A", realm: "alpha").map(\.outcomes) == [["second"]])
    try FileManager.default.removeItem(at: watched.folder.file("alpha/risk.nodeTypes.json"))
    try await watched.look()
    #expect(watched.directory.catalog.nodeTypes(journey: "A", realm: "alpha").isEmpty)
    #expect(watched.descriptions.count == 1)
  }

  @Test(arguments: [
    Array("{".utf8), journey("A", "no entry", entry: "gone"),
  ])
  func `a file that does not load leaves its journey as it was, and says why`(bytes: [UInt8]) async throws {
    let watched = try Watched([
      "alpha/A.journey.json": Self.journey("A", "first"), "alpha/B.journey.json": Self.journey("B", "b"),
    ])
    try watched.folder.write(bytes, to: "alpha/A.journey.json")
    try watched.folder.write(Self.journey("B", "the new b"), to: "alpha/B.journey.json")
    try await watched.look()
    #expect(watched.descriptions == ["first", "the new b"])
    #expect(
      watched.log.withLock { $0 }.contains { $0.hasPrefix("error") && $0.contains("stays as it was") })
    // Corrected, it is taken.
    try watched.folder.write(Self.journey("A", "corrected"), to: "alpha/A.journey.json")
    try await watched.look()
    #expect(watched.descriptions == ["corrected", "the new b"])
  }

  @Test func `a node that cannot be made does not keep a changed file from being taken over`() async throws {
    let watched = try Watched(["alpha/A.journey.json": Self.journey("A", "first")])
    try watched.folder.write(Self.journey("A", "second", limit: "many"), to: "alpha/A.journey.json")
    try await watched.look()
    #expect(watched.descriptions == ["second"])
    #expect(watched.directory.catalog.warnings.map(\.kind) == [.unplayable])
  }

  @Test func `a journey of a file that does not load stays as it was, and the file's others are taken over`()
    async throws
  {
    func file(_ text: String, entry: String) throws -> [UInt8] {
      let journeys = [
        ("A", Self.journey("A", text, entry: entry)), ("B", Self.journey("B", text)),
      ]
      let trees = try journeys.map { ($0, try JSONValue(parsing: $1)) }
      return JSONValue.object(["trees": .object(JSONObject(trees))]).serialized
    }
    let watched = try Watched(["alpha/all.journey.json": try file("first", entry: "n")])
    try watched.folder.write(try file("second one", entry: "gone"), to: "alpha/all.journey.json")
    try await watched.look()
    #expect(watched.descriptions == ["first", "second one"])
  }

  @Test func `a changed node file below a page's folder is taken over`() async throws {
    let tree = try JSONValue(parsing: Self.journey("A", "first"))
    let place = "alpha/journeys/A"
    func node(_ type: String) -> [UInt8] {
      JSONValue.object(["_id": "n", "_type": ["_id": .string(type)]]).serialized
    }
    let watched = try Watched([
      "\(place)/A.json": (tree["tree"] ?? .null).serialized,
      "\(place)/nodes/Page - p/Node - n.json": node("Pass"),
    ])
    #expect(watched.descriptions == ["first"] && watched.directory.catalog.warnings.isEmpty)
    try watched.folder.write(node("Other"), to: "\(place)/nodes/Page - p/Node - n.json")
    try await watched.look()
    #expect(watched.directory.catalog.warnings.map(\.kind).first == .unplayable)
  }

  @Test func `a folder that cannot be read leaves everything as it was`() async throws {
    let watched = try Watched(["alpha/A.journey.json": Self.journey("A", "first")])
    try FileManager.default.removeItem(at: watched.folder.url)
    try await watched.look()
    #expect(watched.descriptions == ["first"])
  }

  @Test func `two files with one journey: both are refused, and the earlier one stays`() async throws {
    let watched = try Watched(["alpha/A.journey.json": Self.journey("A", "first")])
    try watched.folder.write(Self.journey("A", "copy"), to: "alpha/Copy.journey.json")
    try await watched.look()
    #expect(watched.descriptions == ["first"])
    let fresh = try Watched([
      "alpha/A.journey.json": Self.journey("A", "first"),
      "alpha/Copy.journey.json": Self.journey("A", "copy"),
    ])
    #expect(fresh.descriptions.isEmpty)
  }

  // MARK: Files that exports refer to

  @Test func `a script beside the export is read, also in a folder below and with a percent-encoded name`()
    throws
  {
    let folder = try TemporaryFolder.make()
    try folder.write(Array("1;".utf8), to: "alpha/a script.js")
    try folder.write(Array("2;".utf8), to: "alpha/scripts/two.js")
    let references = JourneyFolder.references(beside: folder.file("alpha/J.journey.json"))
    #expect(try references.bytes("a script.js") == Array("1;".utf8))
    #expect(try references.bytes("a%20script.js") == Array("1;".utf8))
    #expect(try references.bytes("./scripts/two.js") == Array("2;".utf8))
  }

  static let outside = [
    "../secret", "scripts/../../secret", "/etc/passwd", "%2e%2e/secret", "..%2Fsecret", "link",
    "folder/secret", "scripts", "",
    "gone.js", "long.js", "nul\0.js",
  ]

  @Test(arguments: outside)
  func `nothing outside the export's folder is read, and nothing that is not a file`(name: String) throws {
    let folder = try TemporaryFolder.make()
    try folder.write(Array("secret".utf8), to: "secret")
    try folder.write(Array("x".utf8), to: "alpha/scripts/x.js")
    try folder.write(
      [UInt8](repeating: 32, count: JourneyFileReferences.maximumBytes + 1), to: "alpha/long.js")
    let files = FileManager.default
    try files.createSymbolicLink(at: folder.file("alpha/link"), withDestinationURL: folder.file("secret"))
    try files.createSymbolicLink(at: folder.file("alpha/folder"), withDestinationURL: folder.url)
    let references = JourneyFolder.references(beside: folder.file("alpha/J.journey.json"))
    #expect(throws: JourneyFileReferences.Refusal.self) { _ = try references.bytes(name) }
  }
}
