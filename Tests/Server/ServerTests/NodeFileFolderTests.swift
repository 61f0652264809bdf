import CommonFixtures
import Foundation
import JourneyEngine
import StrictJSON
import Testing

@testable import Assembly
@testable import JourneyFiles
@testable import ServerHTTP

@Suite("Journeys in which each node has a file") struct NodeFileFolderTests {
  private static let success = "70e691a5-1e33-4ac3-a356-e7b6d60d92e0"

  private static func tree(_ name: String, connected: String = success) -> JSONValue {
    [
      "_id": .string(name), "entryNodeId": "p",
      "nodes": [
        "p": ["nodeType": "PageNode", "displayName": "Page", "connections": ["outcome": "s"]],
        "s": [
          "nodeType": "ScriptedDecisionNode", "displayName": "Decide",
          "connections": ["true": .string(connected)],
        ],
      ],
    ]
  }

  private static let files: [String: JSONValue] = [
    "nodes/Page - p.json": [
      "_id": "p", "_type": ["_id": "PageNode"],
      "nodes": [["_id": "u", "displayName": "Name", "nodeType": "UsernameCollectorNode"]],
    ],
    "nodes/Page - p/Name - u.json": ["_id": "u", "_type": ["_id": "UsernameCollectorNode"]],
    "nodes/Decide - s.json": [
      "_id": "s", "_type": ["_id": "ScriptedDecisionNode"], "script": "5", "outcomes": ["true"],
    ],
  ]

  private static let script: JSONValue = [
    "_id": "5", "name": "Decide", "context": "AUTHENTICATION_TREE_DECISION_NODE", "language": "JAVASCRIPT",
    "script": ["file": "scripts-content/AUTHENTICATION_TREE_DECISION_NODE/Decide.js"],
  ]

  /// A realm's folder as `fr-config-manager` writes it, with changes.
  private func realm(
    journeys: String = "journeys/Own", _ changes: [String: JSONValue?] = [:]
  ) throws -> TemporaryFolder {
    let folder = try TemporaryFolder.make()
    var all: [String: JSONValue] = ["\(journeys)/Own.json": Self.tree("Own")]
    for (name, value) in Self.files { all["\(journeys)/\(name)"] = value }
    all["scripts/scripts-config/5.json"] = Self.script
    for (name, value) in changes { all[name] = value }
    for (name, value) in all { try folder.write(value.serialized, to: "alpha/\(name)") }
    try folder.write(
      Array("outcome = 'true';".utf8),
      to: "alpha/scripts/scripts-content/AUTHENTICATION_TREE_DECISION_NODE/Decide.js")
    return folder
  }

  private func load(_ folder: TemporaryFolder) throws -> (JourneyCatalog, [JourneyCatalog.LoadedFile]) {
    try JourneyFileCheck.examine(
      JourneyFolder.files(inRealm: folder.file("alpha")).files, realm: "alpha")
  }

  private func warnings(_ catalog: JourneyCatalog) -> [JourneyWarning] {
    catalog.warnings.filter { $0.journey == "Own" && $0.isDeviation }
  }

  @Test(arguments: ["journeys/Own", "Own"])
  func `tree, nodes, pages and scripts are put together`(place: String) throws {
    let (catalog, files) = try load(realm(journeys: place))
    #expect(files.map(\.loaded) == [["Own"]] && files.allSatisfy(\.faults.isEmpty))
    #expect(catalog.warnings.filter { $0.journey == "Own" } == [])
    let document = try #require(catalog.document(journey: "Own", realm: "alpha"))
    #expect(document["nodes"]?.objectValue?.names.sorted() == ["p", "s"])
    #expect(document["innerNodes"]?.objectValue?.names == ["u"])
    #expect(
      catalog.attachments(journey: "Own", realm: "alpha")?.scripts["5"]?.source == "outcome = 'true';")
  }

  /// What is wrong with one file, and what its node's warning says.
  static let damages: [(file: String, value: JSONValue?, node: String, word: String)] = [
    ("journeys/Own/nodes/Decide - s.json", nil, "s", "no details"),
    ("journeys/Own/nodes/Decide - s.json", 5, "s", "Decide - s.json"),
    ("journeys/Own/nodes/Page - p/Name - u.json", nil, "u", "no details"),
    ("journeys/Own/nodes/Again - s.json", ["_id": "s"], "s", "both have this node"),
    ("scripts/scripts-config/5.json", nil, "s", "the script 5"),
    (
      "scripts/scripts-config/5.json", ["_id": "5", "script": ["file": "../../../secret.js"]], "s", "script 5"
    ),
    ("scripts/scripts-config/5.json", ["_id": "5", "script": ["file": "/etc/passwd"]], "s", "script 5"),
  ]

  @Test(arguments: damages)
  func `a file that is missing or damaged costs its node, and the warning names it`(
    file: String, value: JSONValue?, node: String, word: String
  ) throws {
    let folder = try realm([file: value])
    if value == nil { try? FileManager.default.removeItem(at: folder.file("alpha/\(file)")) }
    try folder.write(Array("secret".utf8), to: "secret.js")
    let (catalog, files) = try load(folder)
    #expect(files.map(\.loaded) == [["Own"]])
    let found = warnings(catalog)
    #expect(found.contains { $0.nodeID == node && $0.problem.contains(word) }, "\(found)")
    #expect(catalog.document(journey: "Own", realm: "alpha")?.serialized.isEmpty == false)
  }

  @Test func `a file that is not JSON is named`() throws {
    let folder = try realm()
    try folder.write(Array("{".utf8), to: "alpha/journeys/Own/nodes/Decide - s.json")
    let warning = try #require(try warnings(load(folder).0).first { $0.nodeID == "s" })
    #expect(
      warning.problem.contains("nodes/Decide - s.json")
        && warning.problem.contains("export the journey again"))
  }

  @Test func `links that lead out of the realm's folder are not followed`() throws {
    let folder = try realm()
    try folder.write(Self.files["nodes/Decide - s.json"]?.serialized ?? [], to: "outside/Decide - s.json")
    try FileManager.default.removeItem(at: folder.file("alpha/journeys/Own/nodes/Decide - s.json"))
    let link = folder.file("alpha/journeys/Own/nodes/Decide - s.json")
    try FileManager.default.createSymbolicLink(
      at: link, withDestinationURL: folder.file("outside/Decide - s.json"))
    try FileManager.default.createSymbolicLink(
      at: folder.file("alpha/journeys/Own/nodes/more"), withDestinationURL: folder.file("outside"))
    // One that leads round.
    try FileManager.default.createSymbolicLink(
      at: folder.file("alpha/journeys/Own/nodes/round"), withDestinationURL: folder.file("alpha/journeys/Own")
    )
    let found = try warnings(load(folder).0).filter { $0.nodeID == "s" }
    #expect(found.count == 1 && found[0].problem.contains("leads out of the realm's folder"), "\(found)")
  }

  @Test(arguments: ["{", nil])
  func `without its tree nothing is offered under the journey's name, and the others are`(tree: String?)
    async throws
  {
    let folder = try realm()
    for (name, value) in Self.files { try folder.write(value.serialized, to: "alpha/journeys/Login/\(name)") }
    if let tree { try folder.write(Array(tree.utf8), to: "alpha/journeys/Login/Login.json") }
    var configuration = LocalServer.configuration()
    configuration.journeysDirectory = folder.url
    let server = try await SealringServer.make(configuration)
    let names = server.catalog.summaries(realm: "alpha").map(\.name)
    #expect(names.contains("Own") && !names.contains("Login"))
    #expect(server.report(port: 1).unavailable.map(\.name) == ["Login"])
    #expect(server.report(port: 1).unavailable.first?.reason.contains("Login.json") == true)
    try await server.close()
  }

  @Test func `a journey that is there as an export, too, is loaded from neither`() throws {
    let folder = try realm()
    try folder.write(
      JSONValue.object(["tree": Self.tree("Own"), "nodes": [:]]).serialized, to: "alpha/Own.journey.json")
    let (_, files) = try load(folder)
    #expect(files.count == 2 && files.allSatisfy { $0.refused == ["Own"] })
  }

  // MARK: Any layout

  @Test func `exports are found in a folder of any layout, by realm`() throws {
    let folder = try realm()
    let export = JSONValue.object(["tree": Self.tree("X"), "nodes": [:]]).serialized
    for path in [
      "root/R.journey.json", "realms/customers/nested/C.json", "Plain.json", "deep/er/D.json", "damaged.json",
      "bravo/tooLong.journey.json",
    ] { try folder.write(export, to: path) }
    try folder.write(Array(#"{"tree": {"#.utf8), to: "damaged.json")
    try folder.write(Array(#"{"tree": 5, "other": true}"#.utf8), to: "settings.json")
    try folder.write(Array("{}".utf8), to: "package.json")
    try folder.write(export, to: "p.authz.json")
    try folder.write([UInt8](repeating: 32, count: (64 << 20) + 1), to: "bravo/tooLong.journey.json")
    let outside = try TemporaryFolder.make()
    try outside.write(export, to: "Outside.json")
    try FileManager.default.createSymbolicLink(
      at: folder.file("link.json"), withDestinationURL: outside.file("Outside.json"))
    try FileManager.default.createSymbolicLink(at: folder.file("linked"), withDestinationURL: outside.url)
    let found = try ExportFolder.exports(in: folder.url)
    let places = found.map { export in
      "\(export.realm ?? "-"): \(URL(filePath: export.file.source).lastPathComponent)"
    }
    #expect(
      places.sorted() == [
        "-: D.json", "-: Plain.json", "-: damaged.json", "alpha: Own.json", "bravo: tooLong.journey.json",
        "customers: C.json", "root: R.journey.json",
      ])
    let long = try #require(found.first { $0.realm == "bravo" })
    var catalog = JourneyCatalog(registry: NodeRegistry([:]))
    let fault = catalog.load([long.file], realm: "bravo")[0].faults.first
    #expect(fault?.problem.contains("67108865 bytes, more than the 67108864") == true)
    #expect(fault?.problem.contains("export the journeys one by one") == true)
  }

  @Test func `one journey's folder is enough, and its scripts are where the realm has them`() throws {
    let folder = try realm()
    let found = try ExportFolder.exports(in: folder.file("alpha/journeys/Own"))
    let (catalog, files) = try JourneyFileCheck.examine(found.map(\.file), realm: "alpha")
    #expect(files.map(\.loaded) == [["Own"]] && warnings(catalog).isEmpty)
  }
}
