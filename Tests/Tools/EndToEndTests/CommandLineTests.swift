import CommonFixtures
import Foundation
import StrictJSON
import Testing

/// The command line as a contract: options, output and exit codes, in processes of their own.
@Suite struct CommandLineTests {
  private static let password = "Correct horse battery 1"
  private static let pin = "271828"

  @Test func `journey check names node, type and property, and a server reports the file and goes on`()
    async throws
  {
    try await withTemporaryFolder { folder in
      let journeys = folder.appending(path: "journeys/alpha")
      try FileManager.default.createDirectory(at: journeys, withIntermediateDirectories: true)
      let file = journeys.appending(path: "Broken.journey.json")
      try Data(
        """
        {"nodes": {}, "tree": {"_id": "Broken", "entryNodeId": "n1", "nodes": {"n1": {"connections": {"outcome": \
        "70e691a5-1e33-4ac3-a356-e7b6d60d92e0"}, "displayName": "Name", "nodeType": "UsernameCollectorNode"}}}}
        """.utf8
      ).write(to: file)
      let tool = CommandLineTool(home: folder)
      let checked = try await tool.run(["journey", "check", "--strict", file.path(percentEncoded: false)])
      #expect(checked.status == 1)
      #expect(
        checked.errors.contains("journey Broken") && checked.errors.contains("node n1"), "\(checked.errors)")

      let server = try await ServerProcess.start(
        data: folder.appending(path: "server"),
        arguments: ["--journeys", folder.appending(path: "journeys").path(percentEncoded: false)])
      let end = await server.stop()
      #expect(end.status == 0)
      #expect(end.errors.contains("Broken") && end.errors.contains("n1"), "\(end.errors)")
    }
  }

  @Test(arguments: ["software", "tpm"])
  func `the demo tells its story and keeps its data where it is told`(store: String) async throws {
    try await withTemporaryFolder { folder in
      let data = folder.appending(path: "demo")
      for _ in 1...2 {
        let result = try await CommandLineTool(home: folder).run([
          "demo", "--store", store, "--data", data.path(percentEncoded: false),
        ])
        let record = "attested: tpm, by root CN=Attestation authority of the demo"
        #expect(result.output.contains(record) == (store == "tpm"))
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.output.contains("accepted:") && result.output.contains("refused:"))
        #expect(!result.output.contains("\u{1B}["), "no colours outside a terminal")
      }
      for part in ["server", "device"] {
        #expect(
          FileManager.default.fileExists(atPath: data.appending(path: part).path(percentEncoded: false)))
      }
    }
  }

  @Test func `the administrator's password is random and shown once when none is given`() async throws {
    try await withTemporaryFolder { folder in
      let tool = CommandLineTool(home: folder, environment: ["SEALRING_ADMIN_PASSWORD": ""])
      for expected in [1, 0] {
        let command = try tool.start(["serve", "--port", "0", "--data", folder.path(percentEncoded: false)])
        #expect(await command.line(startingWith: "listening on http://127.0.0.1:") != nil)
        command.send(SIGINT)
        let end = await command.finish()
        #expect(end.status == 0, "Ctrl-C ends the server gracefully")
        #expect(end.errors.components(separatedBy: "Created the administrator amAdmin").count - 1 == expected)
      }
    }
  }

  @Test func `a fresh start on loopback warns of nothing`() async throws {
    try await withTemporaryFolder { folder in
      let server = try await ServerProcess.start(data: folder)
      let end = await server.stop()
      #expect(end.status == 0)
      #expect(
        end.errors.hasPrefix("Sealring ") && end.errors.contains("\n  address        http://127.0.0.1:"),
        "\(end.errors)")
      #expect(end.errors.split(separator: "\n").count < 12)
      for word in ["Advice", "error", "warning"] { #expect(!end.errors.contains(word), "\(end.errors)") }
    }
  }
}
