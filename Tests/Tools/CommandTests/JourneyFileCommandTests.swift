import CommonFixtures
import Foundation
import StrictJSON
import Testing

@Suite("Journey files on the command line") struct JourneyFileCommandTests {
  private static let success = "70e691a5-1e33-4ac3-a356-e7b6d60d92e0"
  private static let failure = "e301438c-0bd0-429c-ab0c-66126501069a"

  /// A journey whose script stands in a file of its own, and which has members that nobody reads.
  private static func export(_ name: String, type: String = "UsernameCollectorNode", inner: String? = nil)
    -> JSONValue
  {
    var nodes: JSONObject = [
      "n": [
        "connections": ["outcome": .string(inner == nil ? success : "i")], "displayName": "First",
        "nodeType": .string(type),
      ]
    ]
    var details: JSONObject = ["n": ["_id": "n", "_type": ["_id": .string(type)]]]
    if let inner {
      nodes["i"] = [
        "connections": ["true": .string(success), "false": .string(failure)], "displayName": "Inside",
        "nodeType": "InnerTreeEvaluatorNode",
      ]
      details["i"] = ["_id": "i", "_type": ["_id": "InnerTreeEvaluatorNode"], "tree": .string(inner)]
    }
    return [
      "meta": ["origin": "here"], "themes": [["_id": "t", "size": 1.5]],
      "scripts": ["s": ["_id": "s", "name": "S", "script": "file://s.js", "language": "JAVASCRIPT"]],
      "nodes": .object(details), "innerNodes": [:],
      "tree": ["_id": .string(name), "entryNodeId": "n", "nodes": .object(nodes), "uiConfig": ["a": "b"]],
    ]
  }

  /// A folder with exports, and the command line.
  private func run(_ body: (CommandLineTool, URL) async throws -> Void) async throws {
    try await withTemporaryFolder { folder in
      try Data("outcome = \"true\";".utf8).write(to: folder.appending(path: "s.js"))
      for (name, value) in [
        ("One", Self.export("One", inner: "Two")), ("Two", Self.export("Two")),
        ("Hotel", Self.export("Hotel", type: "HotelNode")), ("Alone", Self.export("Alone", inner: "Nowhere")),
      ] {
        try Data(value.serialized).write(to: folder.appending(path: "\(name).json"))
      }
      try await body(CommandLineTool(home: folder), folder)
    }
  }

  private func path(_ folder: URL, _ name: String) -> String {
    folder.appending(path: name).path(percentEncoded: false)
  }

  @Test func `check says everything at once, knows files that belong together, and is stricter when told so`()
    async throws
  {
    try await run { tool, folder in
      let pair = try await tool.run(["journey", "check", path(folder, "One.json"), path(folder, "Two.json")])
      #expect(pair.status == 0 && pair.output.contains("One will load"), "\(pair.errors)")
      let alone = try await tool.run(["journey", "check", path(folder, "Alone.json"), "--json"])
      #expect(alone.status == 0)
      let finding = try alone.json["findings"]?[0]
      #expect(
        finding?["kind"] == "missingInnerJourney" && finding?["node"] == "i"
          && finding?["nodeName"] == "Inside")
      #expect(finding?["property"] == "tree" && finding?["remedy"]?.stringValue?.isEmpty == false)
      for (file, kind) in [("Hotel.json", "HotelNode"), ("Alone.json", "Nowhere")] {
        #expect(try await tool.run(["journey", "check", path(folder, file)]).status == 0)
        let strict = try await tool.run(["journey", "check", "--strict", path(folder, file)])
        #expect(strict.status == 1 && strict.errors.contains(kind), "\(strict.errors)")
      }
    }
  }

  @Test func `check of a folder ends with a summary, and fails only when a journey does`() async throws {
    try await run { tool, folder in
      let clean = try await tool.run(["journey", "check", folder.path(percentEncoded: false)])
      #expect(clean.status == 0, "\(clean.errors)")
      #expect(clean.output.contains("4 journeys: 2 load, 2 load with warnings, 0 fail."), "\(clean.output)")
      #expect(clean.output.contains("Unknown node types: HotelNode (1)."), "\(clean.output)")

      var entry = Self.export("Entry").objectValue ?? JSONObject()
      var tree = entry["tree"]?.objectValue ?? JSONObject()
      tree["entryNodeId"] = "gone"
      entry["tree"] = .object(tree)
      let several: JSONObject = ["trees": ["Entry": .object(entry), "Good": Self.export("Good")]]
      try Data(several.serialized).write(to: folder.appending(path: "several.json"))
      try Data(#"{"tree": "#.utf8).write(to: folder.appending(path: "broken.json"))
      let failing = try await tool.run(["journey", "check", folder.path(percentEncoded: false), "--json"])
      #expect(failing.status == 1)
      let summary = try failing.json["summary"]
      #expect(summary?["journeys"] == 6 && summary?["load"] == 3 && summary?["loadWithWarnings"] == 2)
      #expect(summary?["fail"] == 1 && summary?["unknownTypes"] == ["HotelNode": 1])
      #expect(summary?["unreadableFiles"]?.arrayValue?.count == 1)
      // The other journey of the file loads.
      let text = try await tool.run(["journey", "check", path(folder, "several.json")])
      #expect(text.output.contains("Good will load") && !text.output.contains("Entry will load"))
      #expect(text.errors.contains("entryNodeId"))
    }
  }

  @Test func `what this server answers for by its own means is a note, also when warnings are errors`()
    async throws
  {
    try await run { tool, folder in
      let nodes: [(id: String, type: String, properties: JSONObject)] = [
        ("a", "AgentDataStoreDecisionNode", [:]), ("g", "OneTimePasswordGeneratorNode", [:]),
        ("m", "OneTimePasswordSmtpSenderNode", ["hostName": "smtp.example.com"]),
        ("e", "EmailSuspendNode", ["emailTemplateName": "welcome"]),
      ]
      let order = ["n", "p"] + nodes.map(\.id)
      var placed: JSONObject = [:]
      var details: JSONObject = [:]
      let all =
        [("n", "UsernameCollectorNode", JSONObject()), ("p", "PasswordCollectorNode", JSONObject())]
        + nodes.map { ($0.id, $0.type, $0.properties) }
      for (index, node) in all.enumerated() {
        let next = index + 1 < order.count ? order[index + 1] : Self.success
        let outcomes = node.1.hasSuffix("DecisionNode") ? ["true", "false"] : ["outcome"]
        placed[node.0] = [
          "nodeType": .string(node.1), "displayName": .string(node.0),
          "connections": .object(JSONObject(outcomes.map { ($0, .string(next)) })),
        ]
        var properties = node.2
        properties["_type"] = ["_id": .string(node.1)]
        details[node.0] = .object(properties)
      }
      let file: JSONObject = [
        "tree": ["_id": "Notes", "entryNodeId": "n", "nodes": .object(placed)], "nodes": .object(details),
      ]
      try Data(file.serialized).write(to: folder.appending(path: "Notes.json"))
      let strict = try await tool.run(["journey", "check", "--strict", path(folder, "Notes.json"), "--json"])
      #expect(strict.status == 0, "\(strict.output) \(strict.errors)")
      let findings = try strict.json["findings"]?.arrayValue ?? []
      #expect(Set(findings.map { $0["severity"] }) == ["note"])
      #expect(Set(findings.compactMap { $0["node"]?.stringValue }) == ["a", "m", "e"])
      let imported = try await tool.run([
        "journey", "import", "--strict", path(folder, "Notes.json"), "--journeys", path(folder, "journeys"),
      ])
      #expect(imported.status == 0, "\(imported.errors)")
    }
  }

  @Test func `a folder with a file for each node is checked, and imported as one export`() async throws {
    try await run { tool, folder in
      let export = Self.export("Own")
      let place = folder.appending(path: "config/alpha/journeys/Own")
      let nodes = place.appending(path: "nodes")
      try FileManager.default.createDirectory(at: nodes, withIntermediateDirectories: true)
      try Data((export["tree"] ?? .null).serialized).write(to: place.appending(path: "Own.json"))
      try Data((export["nodes"]?["n"] ?? .null).serialized).write(to: nodes.appending(path: "First - n.json"))
      let source = path(folder, "config")
      let checked = try await tool.run(["journey", "check", source, "--strict"])
      #expect(checked.status == 0 && checked.output.contains("Own will load"), "\(checked.errors)")
      let journeys = path(folder, "journeys")
      let imported = try await tool.run(["journey", "import", source, "--journeys", journeys])
      #expect(imported.status == 0, "\(imported.errors)")
      let file = try JSONValue(
        parsing: Array(Data(contentsOf: URL(filePath: "\(journeys)/alpha/Own.journey.json"))))
      #expect(file["nodes"]?["n"] == export["nodes"]?["n"] && file["tree"] == export["tree"])
    }
  }

  @Test func `check reads policies too, and names file, policy and property`() async throws {
    try await run { tool, folder in
      func policies(_ allowed: String, _ condition: String) throws -> String {
        let text = """
          {"policy": {"read": {"name": "read", "applicationName": "shop", "resources": ["*"],
            "actionValues": {"GET": \(allowed)}, "subject": {"type": "AuthenticatedUsers"},
            "condition": {"type": "\(condition)", "authLevel": 1}}}}
          """
        let file = folder.appending(path: "\(condition).policy.authz.json")
        try Data(text.utf8).write(to: file)
        return file.path(percentEncoded: false)
      }
      let good = try await tool.run(["journey", "check", policies("true", "AuthLevel"), "--json"])
      #expect(try good.status == 0 && good.json["policies"]?["errors"] == [], "\(good.errors)")
      let unknown = try policies("true", "Script")
      let loose = try await tool.run(["journey", "check", unknown, path(folder, "Two.json")])
      #expect(loose.status == 0 && loose.output.contains("Two will load"), "\(loose.errors)")
      #expect(loose.errors.contains(#"condition.type: this version has no conditions of type "Script""#))
      #expect(try await tool.run(["journey", "check", "--strict", unknown]).status == 1)
      let wrong = try await tool.run(["journey", "check", policies("7", "LEAuthLevel")])
      #expect(wrong.status == 1)
      #expect(
        wrong.errors.contains(#"LEAuthLevel.policy.authz.json: policy "read": actionValues.GET: must be"#))
    }
  }

  @Test func `types of the node designer are known, and come along when journeys are copied`() async throws {
    try await run { tool, folder in
      let types: JSONObject = [
        "nodeTypes": [
          "risk-1": [
            "_id": "risk-1", "serviceName": "risk", "outcomes": ["outcome"],
            "script": "file://risk.nodeTypes.js",
          ]
        ]
      ]
      try Data(types.serialized).write(to: folder.appending(path: "all.nodeTypes.json"))
      try Data("action.goTo('outcome');".utf8).write(to: folder.appending(path: "risk.nodeTypes.js"))
      try Data(Self.export("Mine", type: "designer-risk").serialized).write(
        to: folder.appending(path: "Mine.json"))
      let alone = try await tool.run(["journey", "check", path(folder, "Mine.json"), "--json"])
      #expect(alone.status == 0)
      #expect(try alone.json["findings"]?[0]?["kind"] == "unknownType")
      let files = [path(folder, "Mine.json"), path(folder, "all.nodeTypes.json")]
      let both = try await tool.run(["journey", "check", "--strict"] + files)
      #expect(both.status == 0 && both.output.contains("designer-risk will load"), "\(both.errors)")

      let journeys = path(folder, "journeys")
      let imported = try await tool.run(["journey", "import"] + files + ["--journeys", journeys])
      #expect(imported.status == 0, "\(imported.errors)")
      let copy = try JSONValue(
        parsing: Array(try Data(contentsOf: folder.appending(path: "journeys/alpha/Mine.journey.json"))))
      #expect(copy["nodeTypes"]?["risk-1"]?["script"] == "action.goTo('outcome');")
      let exported = try await tool.run(["journey", "export", "Mine", "--journeys", journeys])
      #expect(try exported.json["nodeTypes"]?["risk-1"]?["serviceName"] == "risk", "\(exported.errors)")
      let nothing = try await tool.run(["journey", "import", files[1], "--journeys", journeys])
      #expect(nothing.status == 1 && nothing.errors.contains("no journey to import"), "\(nothing.errors)")
    }
  }

  @Test func `a command without the module of a service says so to the journey, which decides`() async throws
  {
    try await run { tool, folder in
      var journey = Self.export("Risky", type: "product-PingOneProtectEvaluationNode").objectValue ?? [:]
      journey["scripts"] = nil
      var tree = journey["tree"]?.objectValue ?? [:]
      let connections: [String: String] = ["low": Self.failure, "clientError": "name"]
      tree["nodes"] = [
        "n": [
          "connections": .object(JSONObject(connections.map { ($0, .string($1)) })),
          "nodeType": "product-PingOneProtectEvaluationNode",
        ],
        "name": ["connections": ["outcome": .string(Self.success)], "nodeType": "UsernameCollectorNode"],
      ]
      var nodes = journey["nodes"]?.objectValue ?? [:]
      nodes["name"] = ["_id": "name", "_type": ["_id": "UsernameCollectorNode"]]
      journey["nodes"] = .object(nodes)
      journey["tree"] = .object(tree)
      try Data(journey.serialized).write(to: folder.appending(path: "Risky.json"))
      let command = [
        "journey", "run", "Risky", "--journeys", path(folder, "Risky.json"), "--username", "mira",
      ]
      let done = try await tool.run(command + ["--simulate", "protect=low", "--trace"])
      #expect(done.status == 0, "\(done.errors)")
      for part in [
        "Simulated: PingOne Protect (low).", "PingOneProtectEvaluationCallback, which this command",
        ": clientError",
      ] {
        #expect(done.errors.contains(part), "\(done.errors)")
      }
      #expect(try await tool.run(command).status != 0)
    }
  }

  @Test func `import checks first, replaces only when told, and what comes out again is what went in`()
    async throws
  {
    try await run { tool, folder in
      let journeys = path(folder, "journeys")
      try Data("{".utf8).write(to: folder.appending(path: "Bad.json"))
      let strict = try await tool.run([
        "journey", "import", path(folder, "Two.json"), path(folder, "Bad.json"), "--journeys", journeys,
        "--strict",
      ])
      #expect(strict.status == 1 && !FileManager.default.fileExists(atPath: journeys), "\(strict.errors)")
      // One bad file does not stop the others.
      let bad = try await tool.run([
        "journey", "import", path(folder, "Two.json"), path(folder, "Bad.json"), "--journeys", journeys,
      ])
      #expect(bad.status == 1 && bad.errors.contains("Bad.json"), "\(bad.errors)")
      #expect(FileManager.default.fileExists(atPath: "\(journeys)/alpha/Two.journey.json"))
      try FileManager.default.removeItem(atPath: journeys)
      let files = ["One.json", "Two.json"].map { path(folder, $0) }
      let done = try await tool.run(["journey", "import"] + files + ["--journeys", journeys])
      #expect(done.status == 0, "\(done.errors)")
      let again = try await tool.run(["journey", "import"] + files + ["--journeys", journeys])
      #expect(again.status == 1 && again.errors.contains("--replace"), "\(again.errors)")
      let replaced = try await tool.run(
        ["journey", "import"] + files + ["--journeys", journeys, "--replace"])
      #expect(replaced.status == 0, "\(replaced.errors)")

      let listed = try await tool.run([
        "journey", "list", "--journeys", journeys, "--realm", "alpha", "--json",
      ])
      #expect(try listed.json.arrayValue?.map { $0["_id"] } == ["One", "Two"], "\(listed.errors)")
      let misplaced = try await tool.run(["journey", "list", "--journeys", "\(journeys)/alpha"])
      #expect(
        misplaced.status == 0 && misplaced.errors.contains("Its exports belong in \(journeys)/alpha/alpha."),
        "\(misplaced.errors)")
      let exported = try await tool.run(["journey", "export", "One", "--journeys", journeys])
      var expected = Self.export("One", inner: "Two").objectValue ?? JSONObject()
      expected["scripts"] = [
        "s": [
          "_id": "s", "name": "S", "script": .string(Data("outcome = \"true\";".utf8).base64EncodedString()),
          "language": "JAVASCRIPT",
        ]
      ]
      #expect(try exported.json == .object(expected))
      let both = try await tool.run(["journey", "export", "One", "Two", "--journeys", journeys])
      #expect(try both.json["trees"]?.objectValue?.names == ["One", "Two"])
      let difference = try await tool.run([
        "journey", "diff", files[0], "One", "--journeys", journeys, "--json",
      ])
      #expect(try difference.json == [], "\(difference.errors)")
    }
  }

  @Test(arguments: [
    "Login", "Registration", "ForgottenUsername", "ResetPassword", "UpdatePassword", "ProgressiveProfile",
  ])
  func `a platform journey comes out as it went in, also a second time`(name: String) async throws {
    let platform = URL(filePath: #filePath).appending(path: "../../../../Examples/journeys/platform")
      .standardizedFileURL
    let original = try JSONValue(
      parsing: Array(Data(contentsOf: platform.appending(path: "\(name).journey.json"))))
    try await run { tool, folder in
      let journeys = path(folder, "journeys")
      // All six, because they name each other.
      let imported = try await tool.run(
        ["journey", "import"]
          + (try FileManager.default.contentsOfDirectory(atPath: platform.path).sorted()
            .map { platform.appending(path: $0).path(percentEncoded: false) })
          + ["--journeys", journeys])
      #expect(imported.status == 0, "\(imported.errors)")
      let exported = try await tool.run(["journey", "export", name, "--journeys", journeys])
      #expect(try exported.json == original, "\(exported.errors)")
      let file = path(folder, "\(name).json")
      try Data(exported.output.utf8).write(to: URL(filePath: file))
      let replaced = try await tool.run(["journey", "import", file, "--journeys", journeys, "--replace"])
      #expect(replaced.status == 0, "\(replaced.errors)")
      let second = try await tool.run(["journey", "export", name, "--journeys", journeys])
      #expect(try second.json == original, "\(second.errors)")
      let difference = try await tool.run(["journey", "diff", file, name, "--journeys", journeys, "--json"])
      #expect(try difference.json == [], "\(difference.errors)")
    }
  }

  @Test func `a changed script is seen by diff, and a folder and its copy have the same hashes`() async throws
  {
    try await run { tool, folder in
      let other = folder.appending(path: "other")
      try FileManager.default.createDirectory(at: other, withIntermediateDirectories: true)
      try Data(Self.export("Two").serialized).write(to: other.appending(path: "Two.json"))
      try Data("outcome = \"low\";".utf8).write(to: other.appending(path: "s.js"))
      let pair = [path(folder, "Two.json"), path(other, "Two.json")]
      let changes = try await tool.run(["journey", "diff"] + pair)
      #expect(changes.status == 1 && changes.output.contains("~ script S: 1 lines added, 1 removed"))
      #expect(changes.output.contains("outcome = \"low\";"), "\(changes.output) \(changes.errors)")
      let record = try await tool.run(["journey", "diff", "--json"] + pair)
      #expect(try record.json[0]?["part"] == "script" && record.json[0]?["lines"]?.arrayValue?.count == 2)

      func hashes(_ journeys: String) async throws -> [JSONValue] {
        let list = try await tool.run(["journey", "list", "--journeys", journeys, "--json"])
        return try list.json.arrayValue?.compactMap { $0["hash"] } ?? []
      }
      for journeys in ["one", "two"] {
        let imported = try await tool.run([
          "journey", "import", pair[0], "--journeys", path(folder, journeys),
        ])
        #expect(imported.status == 0, "\(imported.errors)")
      }
      let first = try await hashes(path(folder, "one"))
      let second = try await hashes(path(folder, "two"))
      #expect(first.count == 1 && first == second)
      let table = try await tool.run(["journey", "list", "--hashes", "--journeys", path(folder, "one")])
      #expect(table.output.contains(first[0].stringValue ?? "-"), "\(table.output)")
    }
  }

  @Test func `an export is the same byte for byte, and split it is imported and has the same hash`()
    async throws
  {
    try await run { tool, folder in
      let journeys = path(folder, "journeys")
      #expect(
        try await tool.run(["journey", "import", path(folder, "Two.json"), "--journeys", journeys]).status
          == 0)
      let whole = try await tool.run(["journey", "export", "Two", "--journeys", journeys])
      let split = path(folder, "split")
      let written = try await tool.run(["journey", "export", "Two", "--journeys", journeys, "--split", split])
      #expect(written.status == 0, "\(written.errors)")
      let script = try String(contentsOfFile: "\(split)/Two.scripts/S.js", encoding: .utf8)
      #expect(script == "outcome = \"true\";")
      let again = path(folder, "again")
      let imported = try await tool.run(["journey", "import", split, "--journeys", again])
      #expect(imported.status == 0, "\(imported.errors)")
      #expect(try await tool.run(["journey", "export", "Two", "--journeys", again]).output == whole.output)
      let difference = try await tool.run([
        "journey", "diff", "\(split)/Two.journey.json", path(folder, "Two.json"),
      ])
      #expect(difference.status == 0, "\(difference.output)")
    }
  }

  @Test func `check says how a misspelt node type becomes an error`() async throws {
    try await run { tool, folder in
      let check = try await tool.run(["journey", "check", path(folder, "Hotel.json")])
      #expect(check.status == 0 && check.errors.contains("--strict"), "\(check.errors)")
    }
  }

  @Test func `draw writes a picture, diff names what differs, and bundled journeys have names`() async throws
  {
    try await run { tool, folder in
      let drawn = try await tool.run(["journey", "draw", "Login"])
      #expect(drawn.status == 0 && drawn.output.hasPrefix("<svg") && drawn.output.contains("Success"))
      let file = path(folder, "login.svg")
      #expect(try await tool.run(["journey", "draw", "Login", "--file", file]).status == 0)
      #expect(try await tool.run(["journey", "draw", "Login", "--file", file]).status == 1)
      #expect(try String(contentsOfFile: file, encoding: .utf8) == drawn.output)
      let changes = try await tool.run([
        "journey", "diff", path(folder, "Two.json"), path(folder, "One.json"),
      ])
      #expect(changes.output.contains("+ Inside"), "\(changes.output)")
      #expect(changes.status == 1)
      let same = try await tool.run(["journey", "diff", path(folder, "Two.json"), path(folder, "Two.json")])
      #expect(same.status == 0 && same.errors.contains("There is no difference"))
      let unknown = try await tool.run(["journey", "draw", "NoSuchJourney"])
      #expect(unknown.status == 1 && unknown.errors.contains("Login"))
    }
  }
}
