import CommonFixtures
import Foundation
import StrictJSON
import Testing

/// Power failures: a process is killed at an arbitrary moment, and what was acknowledged is still there.
@Suite struct CrashTests {
  private static let password = "Correct horse battery 1"
  private static let pin = "271828"
  private static let secrets = "\(password)\n\(pin)\n"

  @Test(.timeLimit(.minutes(5)))
  func `a server killed during bindings has every acknowledged device after a restart`() async throws {
    try await withTemporaryFolder { folder in
      let data = folder.appending(path: "server")
      var acknowledged: Set<String> = []
      for round in 1...3 {
        let server = try await ServerProcess.start(data: data)
        let address = server.address
        let first = CommandLineTool(
          home: folder.appending(path: "administrator"),
          environment: ["SEALRING_ADMIN_PASSWORD": ServerProcess.administratorPassword])
        if round == 1 {
          let added = try await first.run(
            ["user", "add", "mira", "--server", address, "--password-stdin"], input: Self.password + "\n")
          #expect(added.status == 0, "\(added.errors)")
        }
        // Several devices bind at once; the server dies as soon as the first of them has its answer.
        acknowledged.formUnion(
          try await withThrowingTaskGroup(of: String?.self) { group in
            for device in 1...4 {
              group.addTask {
                let tool = CommandLineTool(home: folder.appending(path: "device-\(round)-\(device)"))
                let result = try await tool.run(
                  [
                    "bind", "--server", address, "--username", "mira", "--password-stdin", "--pin-stdin",
                    "--json",
                  ],
                  input: Self.secrets)
                return result.status == 0 ? try result.json["kid"]?.stringValue : nil
              }
            }
            var kids: Set<String> = []
            var isAlive = true
            for try await kid in group {
              if let kid { kids.insert(kid) }
              if isAlive {
                isAlive = false
                await server.kill()
              }
            }
            return kids
          })
      }
      #expect(!acknowledged.isEmpty)
      let server = try await ServerProcess.start(data: data)
      let listed = try await CommandLineTool(home: folder).run(
        ["devices", "--server", server.address, "--username", "mira", "--password-stdin", "--json"],
        input: Self.password + "\n")
      let stored = Set(try listed.json.arrayValue?.compactMap { $0["uuid"]?.stringValue } ?? [])
      #expect(acknowledged.isSubset(of: stored))
      _ = await server.stop()
    }
  }

  // Over ten seconds: a client is killed at ten moments, and signs after each.
  @Test(.timeLimit(.minutes(5))) func `a client killed during re-bind still has a key that works`()
    async throws
  {
    try await withTemporaryFolder { folder in
      let server = try await ServerProcess.start(data: folder.appending(path: "server"))
      let tool = CommandLineTool(
        home: folder.appending(path: "device"),
        environment: ["SEALRING_ADMIN_PASSWORD": ServerProcess.administratorPassword])
      let added = try await tool.run(
        ["user", "add", "mira", "--server", server.address, "--password-stdin"], input: Self.password + "\n")
      #expect(added.status == 0, "\(added.errors)")
      let bind = [
        "bind", "--server", server.address, "--username", "mira", "--password-stdin", "--pin-stdin",
      ]
      #expect(try await tool.run(bind, input: Self.secrets).status == 0)

      // Killed when the state folder changes for the n-th time: each n is another moment of the re-bind.
      for change in 1...10 {
        let command = try tool.start(bind, input: Self.secrets)
        try await FolderChanges(tool.home).wait(for: change, orEndOf: command)
        command.send(SIGKILL)
        _ = await command.finish()
        let signed = try await tool.run(
          ["sign", "--server", server.address, "--pin-stdin"], input: Self.pin + "\n")
        #expect(signed.status == 0, "after a kill at change \(change): \(signed.errors)")
      }
      // The next binding that completes leaves one key and no orphan.
      #expect(try await tool.run(bind, input: Self.secrets).status == 0)
      #expect(try await tool.run(["keys", "--json"]).json.arrayValue?.count == 1)
      _ = await server.stop()
    }
  }
}
