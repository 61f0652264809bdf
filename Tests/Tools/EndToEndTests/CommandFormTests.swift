import CommonFixtures
import Foundation
import StrictJSON
import Testing

/// What every command of the tree keeps to: `--json`, failures with a code, lists that fit a terminal.
@Suite struct CommandFormTests {
  @Test func `lists were wider than 80 columns off a terminal`() async throws {
    try await withTemporaryFolder { folder in
      let tool = CommandLineTool(home: folder)
      for name in ["ada", "a name of three words"] {
        let address =
          "otpauth://totp/Bank:\(name.replacing(" ", with: "%20"))?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
        #expect(try await tool.run(["oath", "add", "-"], input: address + "\n").status == 0)
      }
      let id = try #require(try await tool.run(["oath", "list", "--json"]).json[0]?["id"]?.stringValue)
      let piped = try await tool.run(["oath", "list"]).output
      let shown = try await TerminalCommand(tool, ["oath", "list"]).finish().shown
      for text in [piped, shown] {
        #expect(text.contains(id) && text.contains("a name of three words"))
        #expect(text.split(separator: "\n").allSatisfy { $0.count <= 80 }, "\(text)")
      }
      let wide = try await TerminalCommand(tool, ["oath", "list"], size: (200, 24)).finish().shown
      #expect(wide.split(separator: "\n").count == 3, "\(wide)")
    }
  }
}
