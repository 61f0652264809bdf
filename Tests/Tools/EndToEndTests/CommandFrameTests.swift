import CommonFixtures
import Foundation
import Testing

/// What all commands have in common: names, version, failures, deleting, and sessions that end with the command.
@Suite struct CommandFrameTests {
  @Test func `adding an account left a 404 in the server's log`() async throws {
    try await withTemporaryFolder { folder in
      let server = try await ServerProcess.start(data: folder.appending(path: "server"))
      let tool = CommandLineTool(
        home: folder.appending(path: "client"),
        environment: ["SEALRING_ADMIN_PASSWORD": ServerProcess.administratorPassword])
      func add() async throws -> CommandLineTool.Result {
        try await tool.run(
          ["user", "add", "mira", "--server", server.address, "--password-stdin", "--mail", "m@example.com"],
          input: "Correct horse battery 1\n")
      }
      #expect(try await add().status == 0)
      let again = try await add()
      #expect(again.status == 1 && again.errors.contains("has an account mira already"), "\(again.errors)")
      let log = await server.stop().errors
      #expect(!log.contains("404"), "\(log)")
      #expect(log.contains("409"), "the test looks at the right log: \(log)")
    }
  }

  @Test func `a lost administrator's password is set on the server's own data`() async throws {
    try await withTemporaryFolder { folder in
      let data = folder.appending(path: "server")
      let server = try await ServerProcess.start(data: data)
      func list(_ password: String) async throws -> Int32 {
        try await CommandLineTool(
          home: folder.appending(path: "client"), environment: ["SEALRING_ADMIN_PASSWORD": password]
        ).run(["user", "list", "--server", server.address]).status
      }
      let tool = CommandLineTool(home: folder.appending(path: "client"), environment: [:])
      func passwd(_ password: String) async throws -> CommandLineTool.Result {
        try await tool.run(
          [
            "user", "passwd", "amAdmin", "--realm", "root", "--password-stdin", "--data",
            data.path(percentEncoded: false),
          ], input: password + "\n")
      }
      let weak = try await passwd("amAdmin1")
      #expect(weak.status == 1, "\(weak.errors)")
      let changed = try await passwd("a way back 2026")
      #expect(changed.status == 0, "\(changed.errors)")
      #expect(try await list(ServerProcess.administratorPassword) == 1)
      #expect(try await list("a way back 2026") == 0)
      _ = await server.stop()
      let again = try await ServerProcess.start(data: data)
      let end = await again.stop()
      #expect(end.errors.contains("It keeps its own password"), "\(end.errors)")
    }
  }
}
