import CommonFixtures
import Foundation
import StrictJSON
import Testing

/// Settings, profiles and completion on the command line.
@Suite struct SettingsCommandTests {
  private static let password = "tulips in march"

  @Test func `the server takes its options from settings`() async throws {
    try await withTemporaryFolder { folder in
      let file = folder.appending(path: "config.toml")
      let password = folder.appending(path: "admin-password")
      try Data("a password of a file 2026\n".utf8).write(to: password)
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: password.path)
      func write(_ text: String) throws {
        try Data(("admin-password-file = \"\(password.path(percentEncoded: false))\"\n[serve]\n" + text).utf8)
          .write(to: file)
      }
      let data = folder.appending(path: "server").path(percentEncoded: false)
      let ofTheFile = folder.appending(path: "file.jsonl")
      let ofTheEnvironment = folder.appending(path: "environment.jsonl")
      try write(
        "port = 0\ndata = \"\(data)\"\nevents = \"\(ofTheFile.path(percentEncoded: false))\"\nbundled-journeys = [\"login\"]\nlog-level = \"error\"\n"
      )
      let tool = CommandLineTool(
        home: folder.appending(path: "home"),
        environment: [
          "SEALRING_CONFIG": file.path(percentEncoded: false),
          "SEALRING_SERVE_EVENTS": ofTheEnvironment.path(percentEncoded: false),
        ])
      let command = try tool.start(["serve", "--bundled-journeys", "all"])
      let line = try #require(await command.line(startingWith: "listening on "), "the server did not start")
      let address = String(line.dropFirst("listening on ".count))
      let info = try await tool.run(["user", "list", "--server", address])
      #expect(info.status == 0, "the password is the file's: \(info.errors)")
      // The commands that read the server's folder find it as well.
      #expect(try await tool.run(["events", "--json"]).output.contains("sign-in.succeeded"))
      #expect(try await tool.run(["audit", "list", "--json"]).output == "[]\n")
      #expect(FileManager.default.fileExists(atPath: ofTheEnvironment.path), "a variable wins over the file")
      #expect(!FileManager.default.fileExists(atPath: ofTheFile.path))
      command.send(SIGTERM)
      let end = await command.finish()
      #expect(end.errors.contains("bundled journeys"), "an option wins over a list of one: \(end.errors)")
      try write("port = 70000\n")
      let refused = try await tool.run(["serve"])
      #expect(
        refused.status == 64
          && refused.errors.contains("--port is from \(file.path(percentEncoded: false)), line 3."),
        "\(refused.errors)")
      try write("prot = 1\n")
      let unknown = try await tool.run(["serve"])
      #expect(
        unknown.status == 1
          && unknown.errors.contains("line 3: there is no setting 'serve.prot'. Did you mean 'serve.port'?"),
        "\(unknown.errors)")
      try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: password.path)
      try write("port = 0\ndata = \"\(data)\"\n")
      let open = try await tool.run(["serve"])
      #expect(open.status == 1 && open.errors.contains("can be read by other users"), "\(open.errors)")
    }
  }

  @Test(arguments: ["bash", "zsh", "fish"])
  func `completion scripts know the commands`(shell: String) async throws {
    try await withTemporaryFolder { folder in
      let tool = CommandLineTool(home: folder, environment: [:])
      let script = try await tool.run(["completion", shell])
      #expect(script.status == 0 && script.output.contains("passkey") && script.output.contains("change-pin"))
      if shell == "bash" {
        let checked = try RunningCommand(
          path: "/bin/bash", arguments: ["-n", "/dev/stdin"], environment: [:], input: script.output)
        #expect(await checked.finish().status == 0)
      }
    }
  }
}
