import CommonFixtures
import Foundation
import StrictJSON
import Testing

/// `sealring journey test` and `sealring journey run --journeys`.
@Suite struct JourneyTestCommandTests {
  private static let journeys = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../../journeys").standardizedFileURL

  private static let file = """
    users: {mira: correct horse}
    tests:
      - name: name and password sign in
        steps:
          - start: Login
          - answer: [mira, correct horse]
            expect: {outcome: success, user: mira}
    """

  @Test func `journey test passes, fails, and asks for coverage`() async throws {
    try await withTemporaryFolder { folder in
      let tool = CommandLineTool(home: folder)
      let tests = folder.appending(path: "tests")
      try FileManager.default.createDirectory(at: tests, withIntermediateDirectories: true)
      let file = tests.appending(path: "login.yaml")
      try Self.file.write(to: file, atomically: true, encoding: .utf8)
      let passed = try await tool.run(["journey", "test", file.path])
      #expect(passed.status == 0, "\(passed.errors)")
      #expect(passed.output.contains("Login: 4 of 5 nodes"))
      #expect(passed.output.contains("1 test, all passed."))

      let uncovered = try await tool.run(["journey", "test", file.path, "--require-coverage", "--json"])
      #expect(uncovered.status == 1)
      #expect(try JSONValue(parsing: uncovered.output)["covered"] == false)

      try Self.file.replacingOccurrences(of: "success", with: "failure")
        .write(to: file, atomically: true, encoding: .utf8)
      let junit = folder.appending(path: "results.xml")
      let failed = try await tool.run(["journey", "test", tests.path, "--junit", junit.path])
      #expect(failed.status == 1)
      #expect(failed.output.contains("- outcome: failure"))
      #expect(try String(contentsOf: junit, encoding: .utf8).contains("failures=\"1\""))

      let missing = try await tool.run(["journey", "test", "nothing.yaml"])
      #expect(missing.status == 1 && missing.errors.contains("There is no file or folder"))
    }
  }

  @Test func `journey try plays the repository's journeys as far as they go without a person`() async throws {
    try await withTemporaryFolder { folder in
      let tool = CommandLineTool(home: folder)
      let played = try await tool.run(["journey", "try", Self.journeys.path, "--json"])
      #expect(played.status == 0, "\(played.errors)")
      let results = try played.json.arrayValue ?? []
      let byName = Dictionary(
        uniqueKeysWithValues: results.map {
          ($0["journey"]?.stringValue ?? "", $0["result"]?.stringValue ?? "")
        })
      let files = try FileManager.default.contentsOfDirectory(atPath: Self.journeys.path)
      #expect(byName.count == files.count)
      #expect(byName["Login"] == "success" && byName["BindDevice"] == "stopped")
      #expect(!byName.values.contains("refused"))
      let bind = results.first { $0["journey"] == "BindDevice" }
      #expect(bind?["type"] == "DeviceBindingNode")
      #expect(bind?["reason"]?.stringValue?.contains("DeviceBindingCallback") == true)
    }
  }

  @Test func `journey try says of each export how far it goes, with choices from a file`() async throws {
    let exports = URL(filePath: #filePath).appending(path: "../../Exports").standardizedFileURL
    try await withTemporaryFolder { folder in
      let tool = CommandLineTool(home: folder)
      let choices = folder.appending(path: "choices.json")
      try Data(#"{"Menu": {"ChoiceCallback": ["Stay", "Leave"]}}"#.utf8).write(to: choices)
      let played = try await tool.run(["journey", "try", exports.path, "--choices", choices.path])
      #expect(played.status == 1 && played.errors.contains("Not all journeys load."), "\(played.errors)")
      #expect(
        played.output.split(separator: "\n").map(String.init) == [
          "Draft: does not load: journey Draft, property entryNodeId: the journey starts at gone, which is not one of its nodes; export it again, or name its first node",
          "Hotel: stops at Book (HotelNode): this server does not know the node type HotelNode; replace the node, or update the server",
          "Inner: loads: it runs only inside others, or is switched off",
          "Menu: plays to success",
          "Refuse: ends in failure at Level (AuthLevelDecisionNode): outcome false",
          "5 journeys: 1 to success, 1 to failure, 1 stop, 1 only load, 1 do not load.",
        ])
      try Data(#"{"Menu": 5}"#.utf8).write(to: choices)
      let wrong = try await tool.run(["journey", "try", exports.path, "--choices", choices.path])
      #expect(wrong.status == 1 && wrong.errors.contains("the choices of Menu"), "\(wrong.errors)")
    }
  }

  @Test func `journey run plays a folder, and prints the nodes that it goes through`() async throws {
    try await withTemporaryFolder { folder in
      let tool = CommandLineTool(home: folder)
      let run = [
        "journey", "run", "Login", "--journeys", Self.journeys.path, "--username", "mira", "--password-stdin",
      ]
      let played = try await tool.run(run + ["--trace"], input: "correct horse\n")
      #expect(played.status == 0, "\(played.errors)")
      #expect(played.errors.contains("-> Check Credentials (DataStoreDecisionNode): true"))
      #expect(played.output.contains("Journey Login succeeded for mira."))
      // The server in the process had ended before its session, which was then said to stay valid.
      #expect(!played.errors.contains("session"), "\(played.errors)")
      // The message began "The journey asks for The server asks: First Name".
      let examples = Self.journeys.deletingLastPathComponent().appending(path: "Examples/journeys")
      let asked = try await tool.run(["journey", "run", "Registration", "--journeys", examples.path])
      #expect(
        asked.status == 1
          && asked.errors.contains("The journey asks for First Name, and nobody can be asked"),
        "\(asked.errors)")
      let wrong = try await tool.run(["journey", "run", "Login", "--trace"])
      #expect(wrong.status == 64 && wrong.errors.contains("--trace needs --journeys"))
    }
  }
}
