import Accounts
import Assembly
import CommonFixtures
import Foundation
import JourneyNodes
import StrictJSON
import Testing

/// The command line as a contract: options, output and exit codes.
@Suite struct CommandLineTests {
  private static let password = "Correct horse battery 1"
  private static let pin = "271828"

  /// A server with user mira, and a tool that is her device.
  private func withServer(
    factorChanges: FactorChangePolicy = FactorChangePolicy(), journeys: (URL) throws -> URL? = { _ in nil },
    _ body: (LocalServer, CommandLineTool, URL) async throws -> Void
  ) async throws {
    try await withTemporaryFolder { folder in
      let journeys = try journeys(folder)
      let server = try await LocalServer.start(data: folder.appending(path: "server")) {
        $0.factorChanges = factorChanges
        if let journeys { $0.journeysDirectory = journeys }
      }
      let tool = CommandLineTool(
        home: folder.appending(path: "device"),
        environment: ["SEALRING_ADMIN_PASSWORD": LocalServer.administratorPassword])
      let added = try await tool.run(
        ["user", "add", "mira", "--server", server.address, "--password-stdin"], input: Self.password + "\n")
      #expect(added.status == 0, "\(added.errors)")
      try await body(server, tool, folder)
      try await server.stop()
    }
  }

  private func bind(_ tool: CommandLineTool, _ server: LocalServer) async throws -> CommandResult {
    try await tool.run(
      [
        "bind", "--server", server.address, "--username", "mira", "--device-name", "Bench",
        "--password-stdin", "--pin-stdin", "--json",
      ],
      input: "\(Self.password)\n\(Self.pin)\n")
  }

  @Test func `bind, keys, sign and devices tell the same story`() async throws {
    try await withServer { server, tool, _ in
      let bound = try await bind(tool, server)
      #expect(bound.status == 0, "\(bound.errors)")
      let result = try bound.json
      #expect(result.objectValue?.names == ["kid", "userId", "username", "deviceName", "store", "attested"])
      #expect(
        result["username"] == "mira" && result["deviceName"] == "Bench" && result["store"] == "software"
          && result["attested"] == false)
      #expect(result["userId"] == "id=mira,ou=user,o=alpha,ou=services,ou=am-config")

      let keys = try await tool.run(["keys", "--json"])
      let key = try #require(try keys.json[0])
      #expect(
        key.objectValue?.names == [
          "kid", "keyTag", "userId", "username", "authType", "store", "createdAt", "server", "realm", "token",
          "pinTriesLeft",
        ])
      #expect(key["kid"] == result["kid"] && key["authType"] == "APPLICATION_PIN")

      let signedIn = try await tool.run(
        ["sign", "--server", server.address, "--pin-stdin"], input: Self.pin + "\n")
      #expect(signedIn.status == 0, "\(signedIn.errors)")
      let other = try await tool.run(
        ["sign", "--server", server.address, "--username", "noor", "--pin-stdin"], input: Self.pin + "\n")
      #expect(
        other.status == 1 && other.errors.contains("no key of noor"), "mira's key does not sign for noor")
      for command in [["sign"], ["journey", "run", "SignIn"]] {
        let place = ["--server", server.address.replacing("127.0.0.1", with: "localhost"), "--pin-stdin"]
        let elsewhere = try await tool.run(command + place, input: Self.pin + "\n")
        #expect(
          elsewhere.status == 1 && elsewhere.errors.contains("\(server.address), realm alpha"),
          "\(command): \(elsewhere.errors)")
      }
      let paid = try await tool.run(
        [
          "sign", "--server", server.address, "--text", "Pay 10 EUR", "--claim", "amount=10", "--claim",
          "note=a=b", "--pin-stdin", "--json",
        ],
        input: Self.pin + "\n")
      #expect(paid.status == 0, "\(paid.errors)")
      #expect(try paid.json["verified"] == true)

      let devices = try await tool.run(
        ["devices", "list", "--server", server.address, "--username", "mira", "--password-stdin", "--json"],
        input: Self.password + "\n")
      let device = try #require(try devices.json[0])
      #expect(
        device["uuid"] == result["kid"] && device["deviceName"] == "Bench" && device["key"]?["crv"] == "P-256"
      )

      let kid = try #require(result["kid"]?.stringValue)
      let renamed = try await tool.run(
        [
          "devices", "rename", kid, "Desk", "--server", server.address, "--username", "mira",
          "--password-stdin",
        ],
        input: Self.password + "\n")
      #expect(renamed.status == 0, "\(renamed.errors)")
      let deleted = try await tool.run(
        [
          "devices", "delete", kid, "--yes", "--server", server.address, "--username", "mira",
          "--password-stdin",
        ],
        input: Self.password + "\n")
      #expect(deleted.status == 0, "\(deleted.errors)")
      let refused = try await tool.run(
        ["sign", "--server", server.address, "--pin-stdin"], input: Self.pin + "\n")
      #expect(refused.status == 1 && refused.errors.contains("The server refused journey SignIn"))
      #expect(try await tool.run(["keys", "delete", kid, "--yes"]).status == 0)
      #expect(try await tool.run(["keys", "list", "--json"]).json == [])
    }
  }

  @Test func `unbind deletes the record and the key, and says what it left`() async throws {
    try await withServer { server, tool, _ in
      func unbind(_ arguments: [String], at address: String? = nil) async throws -> CommandResult {
        try await tool.run(
          [
            "unbind", "--yes", "--server", address ?? server.address, "--username", "mira",
            "--password-stdin",
            "--json",
          ]
            + arguments, input: Self.password + "\n")
      }
      let devices = [
        "devices", "--server", server.address, "--username", "mira", "--password-stdin", "--json",
      ]
      let nothing = try await unbind([])
      #expect(nothing.status == 1 && nothing.errors.contains("no key of mira"))

      let kid = try #require(try await bind(tool, server).json["kid"]?.stringValue)
      let unreachable = try await unbind([kid], at: "http://127.0.0.1:1/am")
      #expect(unreachable.status == 1 && unreachable.errors.contains("cannot be reached"))
      #expect(try await tool.run(["keys", "--json"]).json.arrayValue?.count == 1)
      let done = try await unbind([])
      #expect(done.status == 0, "\(done.errors)")
      #expect(try done.json.objectValue?.names == ["kid", "userId", "username", "record", "keyDeleted"])
      #expect(try done.json["record"] == "deleted" && done.json["keyDeleted"] == true)
      #expect(try await tool.run(["keys", "--json"]).json == [])
      #expect(try await tool.run(devices, input: Self.password + "\n").json == [])

      #expect(try await bind(tool, server).status == 0)
      let again = try await tool.run(["keys", "--json"]).json.arrayValue?.first?["kid"]?.stringValue
      let forced = try await unbind([try #require(again), "--force"], at: "http://127.0.0.1:1/am")
      #expect(forced.status == 1 && forced.errors.contains("still has its record"), "\(forced.errors)")
      #expect(try forced.json["record"] == "kept" && forced.json["keyDeleted"] == true)
      #expect(try await tool.run(["keys", "--json"]).json == [])
      #expect(try await tool.run(devices, input: Self.password + "\n").json.arrayValue?.count == 1)

      for kind in ["push", "webauthn", "oath", "profile"] {
        let listed = try await tool.run(devices + ["--kind", kind], input: Self.password + "\n")
        #expect(try listed.status == 0 && listed.json == [], "\(listed.errors)")
      }
    }
  }

  @Test func `where factors are protected, a password alone neither unbinds nor binds, and --step-up does`()
    async throws
  {
    let policy = FactorChangePolicy(realms: ["alpha": .strong])
    try await withServer(factorChanges: policy) { server, tool, folder in
      #expect(try await bind(tool, server).status == 0, "the first key needs the password alone")
      let device = ["--server", server.address, "--username", "mira", "--password-stdin"]
      let unbind = try await tool.run(["unbind", "--yes"] + device, input: Self.password + "\n")
      #expect(unbind.status == 1)
      #expect(unbind.errors.contains("--step-up"), "\(unbind.errors)")
      #expect(unbind.errors.contains("authentication level 2"), "\(unbind.errors)")

      // Somebody who knows the password, on a device of their own.
      let thief = CommandLineTool(home: folder.appending(path: "thief"), environment: [:])
      let second = try await bind(thief, server)
      #expect(second.status == 1 && second.errors.contains("--step-up"), "\(second.errors)")
      let kid = try #require(try await tool.run(["keys", "--json"]).json[0]?["kid"]?.stringValue)
      let deleted = try await thief.run(
        ["devices", "delete", kid, "--yes"] + device, input: Self.password + "\n")
      #expect(deleted.status == 1 && deleted.errors.contains("--step-up"), "\(deleted.errors)")
      let stepUp = try await thief.run(
        ["devices", "delete", kid, "--yes"] + device + ["--step-up"], input: Self.password + "\n")
      #expect(stepUp.status == 1)
      #expect(try await tool.run(["keys", "--json"]).json.arrayValue?.count == 1)

      let done = try await tool.run(
        ["unbind", "--yes"] + device + ["--pin-stdin", "--step-up"], input: "\(Self.password)\n\(Self.pin)\n")
      #expect(done.status == 0, "\(done.errors)")
      #expect(try await bind(tool, server).status == 0)
      let again = try await tool.run(
        ["bind"] + device + ["--pin-stdin", "--step-up"], input: "\(Self.password)\n\(Self.pin)\n")
      #expect(again.status == 0, "\(again.errors)")
    }
  }

  @Test func `a wrong PIN is refused with exit code 1 and one sentence`() async throws {
    try await withServer { server, tool, _ in
      #expect(try await bind(tool, server).status == 0)
      let refused = try await tool.run(
        ["sign", "--server", server.address, "--pin-stdin"], input: "999999\n")
      #expect(refused.status == 1 && refused.output.isEmpty)
      #expect(refused.errors.hasPrefix("Error: The PIN is wrong."))
      #expect(refused.errors.split(separator: "\n").count == 1)
    }
  }

  /// A bundled journey, which asks again after a failure. A hostile server does the same.
  private static func repeatingJourney(
    _ name: String = "SignIn", after outcome: String = "Abort",
    from node: String = "0b62aff1-f0a3-417a-aa8f-f4e9e1482dc5", in parent: URL
  ) throws -> URL {
    let bundled = URL(filePath: #filePath).appending(path: "../../../../journeys/\(name).journey.json")
    let text = try String(contentsOf: bundled.standardizedFileURL, encoding: .utf8)
    let (old, end) = ("\"\(outcome)\": \"", "e301438c-0bd0-429c-ab0c-66126501069a")
    try #require(text.contains(old + end))
    let realm = parent.appending(path: "journeys/alpha")
    try FileManager.default.createDirectory(at: realm, withIntermediateDirectories: true)
    try text.replacing(old + end, with: old + node).write(
      to: realm.appending(path: "\(name).journey.json"), atomically: true, encoding: .utf8)
    return realm.deletingLastPathComponent()
  }

  @Test func `a wrong PIN from standard input is tried once, however often the server asks`() async throws {
    try await withServer(journeys: { try Self.repeatingJourney(in: $0) }) { server, tool, _ in
      #expect(try await bind(tool, server).status == 0)
      let refused = try await tool.run(
        ["sign", "--server", server.address, "--journey", "SignIn", "--pin-stdin"], input: "999999\n")
      #expect(refused.status == 1)
      #expect(refused.errors.hasPrefix("Error: The PIN is wrong. 9 tries left"), "\(refused.errors)")
      let keys = try await tool.run(["keys", "list", "--json"]).json
      #expect(keys.arrayValue?.first?["pinTriesLeft"] == 9)
      let signed = try await tool.run(
        ["sign", "--server", server.address, "--journey", "SignIn", "--pin-stdin"], input: Self.pin + "\n")
      #expect(signed.status == 0, "\(signed.errors)")
    }
  }

  /// A journey `StepUp` that goes on after a failure of the device, as a hostile server's.
  private static func forgivingStepUp(in parent: URL) throws -> URL {
    let bundled = URL(filePath: #filePath).appending(path: "../../../../journeys/SignIn.journey.json")
    var file = try JSONObject(parsing: Array(Data(contentsOf: bundled.standardizedFileURL)))
    var (nodes, tree) = (file["nodes"]?.objectValue ?? [:], file["tree"]?.objectValue ?? [:])
    var places = tree["nodes"]?.objectValue ?? [:]
    let name = "e4b0f5b6-3a1f-4d7e-9a39-9a8f6a1f0c11"
    let signing = try #require(tree["entryNodeId"]?.stringValue)
    var place = try #require(places[signing]?.objectValue)
    var connections = try #require(place["connections"]?.objectValue)
    connections["Abort"] = "70e691a5-1e33-4ac3-a356-e7b6d60d92e0"
    place["connections"] = .object(connections)
    places[signing] = .object(place)
    places[name] = [
      "connections": ["outcome": .string(signing)], "displayName": "Name",
      "nodeType": "UsernameCollectorNode",
    ]
    nodes[name] = [
      "_id": .string(name), "_type": ["_id": "UsernameCollectorNode"], "_outcomes": [["id": "outcome"]],
    ]
    (tree["_id"], tree["entryNodeId"], tree["nodes"]) = ("StepUp", .string(name), .object(places))
    (file["nodes"], file["tree"]) = (.object(nodes), .object(tree))
    let realm = parent.appending(path: "journeys/alpha")
    try FileManager.default.createDirectory(at: realm, withIntermediateDirectories: true)
    try Data(file.serialized).write(to: realm.appending(path: "StepUp.journey.json"))
    return realm.deletingLastPathComponent()
  }

  @Test func `a wrong PIN from standard input is tried once by all journeys of a command`() async throws {
    try await withServer(journeys: Self.forgivingStepUp) { server, tool, _ in
      #expect(try await bind(tool, server).status == 0)
      let refused = try await tool.run(
        [
          "bind", "--step-up", "--server", server.address, "--username", "mira", "--password-stdin",
          "--pin-stdin",
        ], input: "\(Self.password)\n999999\n")
      #expect(refused.status == 1 && refused.errors.contains("The PIN is wrong."), "\(refused.errors)")
      let keys = try await tool.run(["keys", "list", "--json"]).json
      #expect(keys.arrayValue?.first?["pinTriesLeft"] == 9)
    }
  }

  @Test func `a wrong password from standard input is tried once, however often the server asks`()
    async throws
  {
    let page = "b7b3ff7b-623d-48df-8cd5-8cc6f137bdc5"
    try await withServer(journeys: { try Self.repeatingJourney("Login", after: "false", from: page, in: $0) })
    {
      server, tool, _ in
      let command = [
        "journey", "run", "Login", "--server", server.address, "--username", "mira", "--password-stdin",
      ]
      let refused = try await tool.run(command, input: "Wrong horse battery 1\n")
      #expect(refused.status == 1)
      #expect(refused.errors.hasPrefix("Error: The server asks for the password again"), "\(refused.errors)")
      // Five wrong tries would have locked the account.
      let right = try await tool.run(command, input: Self.password + "\n")
      #expect(right.status == 0, "\(right.errors)")
    }
  }

  @Test(arguments: [
    ["bind"], ["sign", "--claim", "novalue"], ["serve", "--port", "70000"], ["serve", "--log-level", "loud"],
    ["nonsense"], ["serve", "--factor-changes", "hard"], ["serve", "--factor-changes", "=strong"],
    ["serve", "--factor-changes", "fresh", "--factor-changes", "any"],
    ["serve", "--factor-changes", "alpha=any", "--factor-changes", "ALPHA=strong"],
    ["serve", "--factor-changes-age", "0"],
    ["devices", "list"], ["bind", "--username", "a", "--server", "not a url"],
  ])
  func `wrong usage exits 64`(_ arguments: [String]) async throws {
    try await withTemporaryFolder { folder in
      let result = try await CommandLineTool(home: folder).run(arguments)
      #expect(result.status == 64, "\(result.errors)")
    }
  }

  @Test func `a server that is not there is an error that says what to do`() async throws {
    try await withTemporaryFolder { folder in
      let result = try await CommandLineTool(home: folder).run(
        ["sign", "--server", "http://127.0.0.1:1/am", "--pin-stdin"], input: "1\n")
      #expect(result.status == 1)
      #expect(result.errors.contains("sealring serve"))
    }
  }

  @Test func `an unreadable key store is an error that names the file and changes nothing`() async throws {
    try await withServer { server, tool, folder in
      #expect(try await bind(tool, server).status == 0)
      let home = folder.appending(path: "device")
      let files = try FileManager.default.subpathsOfDirectory(atPath: home.path(percentEncoded: false))
      let name = try #require(files.first { $0.lowercased().contains("userkeys") && !$0.hasSuffix(".lock") })
      let file = home.appending(path: name)
      try Data("damaged".utf8).write(to: file)
      for arguments in [["keys", "list"], ["sign", "--server", server.address, "--pin-stdin"]] {
        let result = try await tool.run(arguments, input: Self.pin + "\n")
        #expect(result.status == 1)
        #expect(result.errors.contains(file.lastPathComponent), "\(result.errors)")
      }
      #expect(try await bind(tool, server).status == 1)
      #expect(try Data(contentsOf: file) == Data("damaged".utf8))
    }
  }

  @Test func `the bundled journeys pass the check`() async throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().appending(path: "journeys")
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false))
    #expect(!files.isEmpty)
    for file in files where file.hasSuffix(".journey.json") {
      let result = try await CommandLineTool(home: folder).run(
        ["journey", "check", folder.appending(path: file).path(percentEncoded: false), "--json"])
      #expect(result.status == 0, "\(result.errors)")
      // Without roots nothing can be attested, which is worth a warning.
      let warnings = file.hasPrefix("BindDeviceAttested") ? 1 : 0
      #expect(try result.json["warnings"]?.arrayValue?.count == warnings)
    }
  }

  @Test func `a new PIN unlocks the key, and the old one does not`() async throws {
    try await withServer { server, tool, _ in
      _ = try await bind(tool, server)
      for (input, said) in [
        ("930274\n602214\n", "The PIN is wrong. 9 tries left"), ("271828\n111111\n", "Nothing was changed"),
        ("271828\n", "No new PIN"),
      ] {
        let refused = try await tool.run(["keys", "change-pin", "--pin-stdin"], input: input)
        #expect(refused.status == 1)
        #expect(refused.errors.contains(said), "\(refused.errors)")
      }
      let changed = try await tool.run(["keys", "change-pin", "--pin-stdin"], input: "271828\n602214\n")
      #expect(changed.status == 0, "\(changed.errors)")
      for (pin, status) in [("271828", Int32(1)), ("602214", 0)] {
        let signed = try await tool.run(
          ["sign", "--server", server.address, "--pin-stdin"], input: pin + "\n")
        #expect(signed.status == status, "\(signed.errors)")
      }
    }
  }

  @Test func `who insists on a TPM gets no key in files`() async throws {
    try await withServer { server, tool, _ in
      let bound = try await tool.run(
        [
          "bind", "--server", server.address, "--username", "mira", "--store", "tpm", "--tcti",
          "device:/nonexistent/tpm", "--password-stdin", "--pin-stdin",
        ],
        input: "\(Self.password)\n\(Self.pin)\n")
      #expect(bound.status == 1)
      #expect(bound.errors.contains("device:/nonexistent/tpm"), "\(bound.errors)")
      let keys = try await tool.run(["keys", "--json"])
      #expect(try keys.json.arrayValue?.isEmpty == true)
    }
  }

  @Test func `a PIN that anybody would guess is refused with the reason`() async throws {
    try await withServer { server, tool, _ in
      for (pin, reason) in [("4711", "6"), ("123456", "pattern"), ("password", "too common")] {
        let bound = try await tool.run(
          ["bind", "--server", server.address, "--username", "mira", "--password-stdin", "--pin-stdin"],
          input: "\(Self.password)\n\(pin)\n")
        #expect(bound.status == 1)
        #expect(bound.errors.contains("PIN") && bound.errors.contains(reason), "\(bound.errors)")
      }
    }
  }

  @Test func `a locked administrator gets in again by the server's own data, while the server runs`()
    async throws
  {
    try await withTemporaryFolder { folder in
      let data = folder.appending(path: "server")
      let server = try await LocalServer.start(data: data)
      func list(_ password: String) async throws -> Int32 {
        try await CommandLineTool(
          home: folder.appending(path: "client"), environment: ["SEALRING_ADMIN_PASSWORD": password]
        ).run(["user", "list", "--server", server.address]).status
      }
      for _ in 1...5 { #expect(try await list("guess") == 1) }
      #expect(try await list(LocalServer.administratorPassword) == 1)
      let tool = CommandLineTool(home: folder.appending(path: "client"))
      let unlock = ["user", "unlock", "amAdmin", "--data", data.path(percentEncoded: false)]
      let elsewhere = try await tool.run(unlock)
      #expect(elsewhere.status == 1 && elsewhere.errors.contains("no account amAdmin"), "\(elsewhere.errors)")
      let unlocked = try await tool.run(unlock + ["--realm", "root"])
      #expect(unlocked.status == 0 && unlocked.errors.contains("Unlocked amAdmin"), "\(unlocked.errors)")
      #expect(try await list(LocalServer.administratorPassword) == 0)
      let told = try await tool.run(
        [
          "events", "--data", data.path(percentEncoded: false), "--event", "lock", "--user", "amadmin",
          "--json",
        ])
      #expect(told.status == 0, "\(told.errors)")
      let events = try told.output.split(separator: "\n").map { try JSONValue(parsing: String($0)) }
      #expect(events.map { $0["event"] } == ["lock.began", "lock.lifted"])
      #expect(events.map { $0["realm"] } == ["root", "root"])
      let shown = try await tool.run(["events", "--data", data.path(percentEncoded: false), "--limit", "2"])
      #expect(shown.output.contains("sign-in.succeeded") && shown.output.contains("amAdmin@root"))
      let nowhere = try await tool.run(["user", "unlock", "amAdmin"])
      #expect(nowhere.status == 1 && nowhere.errors.contains("--data"), "\(nowhere.errors)")
      try await server.stop()
    }
  }
}
