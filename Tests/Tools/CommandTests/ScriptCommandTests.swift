import CommonFixtures
import Foundation
import Testing

/// `sealring script`, as far as it starts no process for the script.
@Suite struct ScriptCommandTests {
  @Test func `a state that is no object is said so`() async throws {
    try await withTemporaryFolder { folder in
      let script = folder.appending(path: "decide.js")
      try Data("1".utf8).write(to: script)
      let result = try await CommandLineTool(home: folder.appending(path: "home")).run(
        ["script", "run", script.path(percentEncoded: false), "--state", "{"])
      #expect(result.status == 1)
      #expect(result.errors.contains("--state is not a JSON object"))
    }
  }
}
