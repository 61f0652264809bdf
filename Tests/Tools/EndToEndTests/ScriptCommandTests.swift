import CommonFixtures
import Foundation
import StrictJSON
import Testing

@Suite struct ScriptCommandTests {
  let folder: TemporaryFolder
  let tool: CommandLineTool

  init() throws {
    folder = try TemporaryFolder.make()
    tool = CommandLineTool(home: folder.file("home"))
  }

  private func script(_ text: String, named name: String = "decide.js") throws -> String {
    try folder.write(Array(text.utf8), to: name)
    return folder.file(name).path(percentEncoded: false)
  }

  @Test func `a script is run alone and shows outcome, state and log`() async throws {
    let file = try script(
      """
      logger.info("hello {}", nodeState.get("username"));
      nodeState.putShared("seen", 1).putTransient("t", require("helpers").two);
      action.goTo("fine");
      """)
    let library = try script("exports.two = 2", named: "helpers.js")
    let result = try await tool.run([
      "script", "run", file, "--state", #"{"username": "ada"}"#, "--library", library, "--json",
    ])
    #expect(result.status == 0, "\(result.errors)")
    let json = try result.json
    #expect(json["outcome"] == "fine")
    #expect(json["shared"] == ["username": "ada", "seen": 1])
    #expect(json["transient"] == ["t": 2])
    #expect(json["log"] == [["level": "info", "text": "hello ada"]])
    let text = try await tool.run(["script", "run", file, "--library", library])
    #expect(text.output.contains("outcome: fine\n"))
    #expect(text.errors.contains("info: hello null"))
  }

  @Test func `a legacy script reads its state from a file`() async throws {
    let file = try script("outcome = sharedState.get('a') + transientState.get('b')")
    try folder.write(Array(#"{"shared": {"a": "x"}, "transient": {"b": "y"}}"#.utf8), to: "state.json")
    let result = try await tool.run([
      "script", "run", file, "--legacy", "--state", folder.file("state.json").path(percentEncoded: false),
      "--json",
    ])
    #expect(try result.json["outcome"] == "xy")
  }

  @Test func `what a script asks is shown`() async throws {
    let file = try script("callbacksBuilder.nameCallback('User')")
    let result = try await tool.run(["script", "run", file, "--json"])
    let json = try result.json
    #expect(json["outcome"] == .null)
    #expect(json["callbacks"]?[0]?["type"] == "NameCallback")
  }

  @Test(arguments: [
    ("for (;;) {}", "200 ms"), ("\nnot()", "decide, line 2: ReferenceError"), ("1", "without an outcome"),
    ("openidm.read('managed/user/1')", "no managed identities"),
  ]) func `a script that fails ends the command with the reason`(_ text: String, _ reason: String)
    async throws
  {
    let result = try await tool.run(["script", "run", try script(text)])
    #expect(result.status == 1)
    #expect(result.errors.contains(reason), "\(result.errors)")
    #expect(result.output.isEmpty)
  }
}
