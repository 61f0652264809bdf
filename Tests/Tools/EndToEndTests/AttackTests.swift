import Foundation
import Testing

/// `scripts/attack` in its short form, with the binary of these tests.
@Suite struct AttackTests {
  // Half a minute: every attack of the short form, one after the other on one server.
  @Test(.timeLimit(.minutes(6)))
  func `what scripts/attack plays against a running server does not get through`() async throws {
    let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Interoperability/attacks.py")
    let command = try RunningCommand(
      path: "/usr/bin/python3",
      arguments: [
        script.path(percentEncoded: false), CommandLineTool.binary.path(percentEncoded: false), "--short",
      ],
      environment: ["PYTHONDONTWRITEBYTECODE": "1", "PATH": "/usr/bin:/bin"], input: "")
    let result = await command.finish()
    let broke = result.output.split(separator: "\n").filter { $0.contains("BROKE") }
    #expect(broke.isEmpty, "\(broke.joined(separator: "\n"))")
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.output.contains("held, 0 broke"))
  }
}
