import CommonFixtures
import DeviceKeys
import Foundation
import StrictJSON
import Testing

/// `sealring ssh key`; `sealring agent` is tested with OpenSSH in EndToEndTests.
@Suite struct SSHKeyCommandTests {
  private func add(
    _ tool: CommandLineTool, _ name: String = "laptop", pin: String = "294751", _ options: [String] = []
  ) async throws -> CommandResult {
    try await tool.run(
      ["ssh", "key", "add", name, "--pin-stdin", "--store", "software"] + options, input: pin + "\n")
  }

  @Test func `a key is made, listed with the line for authorized_keys, and removed`() async throws {
    try await withTemporaryFolder { folder in
      let tool = CommandLineTool(home: folder)
      let added = try await add(tool)
      #expect(added.status == 0 && added.output.hasPrefix("ecdsa-sha2-nistp256 AAAA"), "\(added.errors)")
      #expect(added.output.hasSuffix(" laptop\n"))
      let listed = try #require(try await tool.run(["ssh", "key", "--json"]).json.arrayValue?.first)
      #expect(listed["name"] == "laptop" && listed["store"] == "software")
      #expect(listed["authorizedKey"]?.stringValue.map { $0 + "\n" } == added.output)
      #expect(listed["fingerprint"]?.stringValue?.hasPrefix("SHA256:") == true)
      #expect(try await tool.run(["ssh", "key", "remove", "laptop"]).status == 1)
      #expect(try await tool.run(["ssh", "key", "remove", "laptop", "--yes"]).status == 0)
      #expect(try await tool.run(["ssh", "key", "list", "--json"]).json.arrayValue == [])
    }
  }

  // A key that both could use would sign for one what the other takes.
  @Test func `keys for SSH are apart from the keys of accounts`() async throws {
    try await withTemporaryFolder { folder in
      let tool = CommandLineTool(home: folder)
      #expect(try await add(tool).status == 0)
      let bound = try await tool.run(["keys", "list", "--json"])
      #expect(try bound.json.arrayValue == [], "\(bound.errors)")
      #expect(FileManager.default.fileExists(atPath: folder.appending(path: "ssh").path))
      #expect(!FileManager.default.fileExists(atPath: folder.appending(path: "keys").path))
    }
  }

  @Test(arguments: ["123456", "29", ""])
  func `a PIN that breaks the rules makes no key`(pin: String) async throws {
    try await withTemporaryFolder { folder in
      let tool = CommandLineTool(home: folder)
      let added = try await add(tool, pin: pin)
      #expect(added.status == 1, "\(added.errors)")
      #expect(try await tool.run(["ssh", "key", "list", "--json"]).json.arrayValue == [])
    }
  }

  @Test(arguments: ["--pin-stdin", "--no-pin"])
  func `a security key is made, listed and removed like the others`(option: String) async throws {
    try await withTemporaryFolder { folder in
      let tool = CommandLineTool(home: folder)
      let added = try await tool.run(
        ["ssh", "key", "add", "laptop", "--sk", "--store", "software", option], input: "294751\n")
      #expect(added.status == 0 && added.output.hasPrefix("sk-ecdsa-sha2-nistp256@openssh.com AAAA"))
      #expect(try await add(tool).status == 1)
      #expect(try await add(tool, "plain").status == 0)
      let listed = try #require(try await tool.run(["ssh", "key", "--json"]).json.arrayValue)
      #expect(listed.map { $0["name"] } == ["laptop", "plain"])
      #expect(listed.map { $0["type"] } == ["sk-ecdsa-sha2-nistp256@openssh.com", "ecdsa-sha2-nistp256"])
      #expect(listed.first?["authorizedKey"]?.stringValue.map { $0 + "\n" } == added.output)
      #expect(try await tool.run(["ssh", "key", "remove", "laptop", "--yes"]).status == 0)
      #expect(try await tool.run(["ssh", "key", "--json"]).json.arrayValue?.count == 1)
      // It was none of the passkeys that journeys use.
      #expect(try await tool.run(["passkey", "list", "--json"]).json.arrayValue == [])
    }
  }

  @Test func `a damaged record is named, and the other keys are listed and removed`() async throws {
    try await withTemporaryFolder { folder in
      let tool = CommandLineTool(home: folder)
      for name in ["laptop", "desk"] { #expect(try await add(tool, name).status == 0) }
      let file = KeyFolder(folder.appending(path: "ssh"), suffix: "key", limit: 1 << 16).file(of: "ssh:desk")
      try Data("{}".utf8).write(to: file)
      let listed = try await tool.run(["ssh", "key", "list"])
      #expect(listed.status == 1 && listed.output.contains("laptop"), "\(listed)")
      #expect(!listed.output.contains("desk") && listed.errors.contains(file.lastPathComponent), "\(listed)")
      let lost = try await tool.run(["ssh", "key", "remove", "desk", "--yes"])
      #expect(lost.status == 1 && lost.errors.contains(file.lastPathComponent), "\(lost)")
      #expect(try await tool.run(["ssh", "key", "remove", "laptop", "--yes"]).status == 0)
    }
  }

  @Test(arguments: ["a b", "", "ä", "a\nssh-rsa", "../x"])
  func `a name that could not stand in authorized_keys is refused`(name: String) async throws {
    try await withTemporaryFolder { folder in
      let added = try await add(CommandLineTool(home: folder), name)
      #expect(added.status == 64, "\(added.errors)")
    }
  }

  @Test func `a name is taken once, and a key without a PIN says so`() async throws {
    try await withTemporaryFolder { folder in
      let tool = CommandLineTool(home: folder)
      #expect(try await add(tool).status == 0)
      let again = try await add(tool)
      #expect(again.status == 1 && again.errors.contains("already"), "\(again.errors)")
      #expect(
        try await tool.run(["ssh", "key", "add", "kiosk", "--no-pin", "--store", "software"]).status == 0)
      #expect(try await tool.run(["ssh", "key", "list"]).output.contains("your consent"))
    }
  }

  @Test func `an agent without a folder for its socket says what to name`() async throws {
    try await withTemporaryFolder { folder in
      let tool = CommandLineTool(home: folder, environment: ["XDG_RUNTIME_DIR": ""])
      let agent = try await tool.run(["agent"])
      #expect(agent.status == 1 && agent.errors.contains("--socket"), "\(agent.errors)")
      #expect(try await tool.run(["agent", "--remember", "481"]).status == 64)
    }
  }
}
