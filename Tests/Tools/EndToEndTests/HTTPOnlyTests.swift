import CommonFixtures
import Foundation
import Testing

/// A device that shares no code with Sealring: a script that knows only the HTTP interface.
@Suite struct HTTPOnlyTests {
  @Test(.timeLimit(.minutes(5)))
  func `a script that knows only HTTP binds, signs, lists and deletes, and is refused what it must not do`()
    async throws
  {
    try await run("binding_over_http.py")
  }

  @Test(.timeLimit(.minutes(5)))
  func `an authenticator in Python registers, signs in by its codes, and is refused what it must not do`()
    async throws
  {
    try await run("oath_over_http.py")
  }

  // Over ten seconds: the script waits for as long as the server's steps tell it to.
  @Test(.timeLimit(.minutes(5)))
  func `a script that knows only HTTP registers for push, approves, denies, types codes, polls and listens`()
    async throws
  {
    try await run("push_over_http.py")
  }

  private func run(_ name: String) async throws {
    try await withTemporaryFolder { folder in
      let server = try await ServerProcess.start(data: folder)
      let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Interoperability/\(name)")
      let command = try RunningCommand(
        path: "/usr/bin/python3", arguments: [script.path(percentEncoded: false), server.address],
        environment: [
          "SEALRING_ADMIN_PASSWORD": ServerProcess.administratorPassword, "PYTHONDONTWRITEBYTECODE": "1",
        ], input: "")
      let result = await command.finish()
      let failed = result.output.split(separator: "\n").filter { $0.hasPrefix("FAIL") }
      #expect(failed.isEmpty)
      #expect(result.status == 0, "\(result.errors)")
      #expect(result.output.hasSuffix("all checks passed\n"))
      let end = await server.stop()
      #expect(end.status == 0)
      #expect(end.output.split(separator: "\n").count == 1, "standard output carries the one line only")
    }
  }
}
