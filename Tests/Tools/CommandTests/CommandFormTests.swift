import CommonFixtures
import Foundation
import StrictJSON
import Testing

/// What every command of the tree keeps to: `--json`, failures with a code, lists that fit a terminal.
@Suite struct CommandFormTests {
  /// Commands that print no result that a program would read.
  private static let withoutJSON: [String: String] = [
    "serve": "prints the one line `listening on …`; its log has --log-format json",
    "agent run": "prints the one line `SSH_AUTH_SOCK=…` that a shell needs; `agent log` has what it did",
    "demo": "tells a story to a person",
    "completion": "prints a script for a shell",
    "journey draw": "writes a picture",
    "journey export": "writes a journey file",
    "handle-url": "opens a page of the server",
    "pam answer": "talks to the PAM module; its log is on standard error",
    "pam check": "talks to the PAM module, too",
    "passkey serve": "runs until Ctrl-C, and prints the one line that the security key is there",
    "ssh-ca revoked": "writes the file that sshd reads",
    "passkey broker": "is started by systemd, and prints nothing",
    "ssh proxy": "passes on what ssh and the host say",
  ]

  private struct Leaf {
    let words: [String]
    let options: Set<String>

    static func all(_ command: JSONValue, _ parents: [String] = []) -> [Leaf] {
      let subcommands = (command["subcommands"]?.arrayValue ?? []).filter { $0["commandName"] != "help" }
      if subcommands.isEmpty {
        let names = (command["arguments"]?.arrayValue ?? []).flatMap { $0["names"]?.arrayValue ?? [] }
        return [Leaf(words: parents, options: Set(names.compactMap { $0["name"]?.stringValue }))]
      }
      return subcommands.flatMap { all($0, parents + [$0["commandName"]?.stringValue ?? "?"]) }
    }
  }

  private func leaves(_ tool: CommandLineTool) async throws -> [Leaf] {
    Leaf.all(try await tool.description())
  }

  @Test func `a dozen commands had no --json`() async throws {
    try await withTemporaryFolder { folder in
      let leaves = try await leaves(CommandLineTool(home: folder))
      #expect(leaves.count > 50)
      for leaf in leaves {
        let name = leaf.words.joined(separator: " ")
        #expect(leaf.options.contains("json") == (Self.withoutJSON[name] == nil), "sealring \(name)")
      }
    }
  }

  @Test func `a wrong option of any command is one object on standard error`() async throws {
    try await withTemporaryFolder { folder in
      let tool = CommandLineTool(home: folder)
      for leaf in try await leaves(tool) {
        let wrong = try await tool.run(leaf.words + ["--json", "--no-such-option"])
        #expect(wrong.status == 64 && wrong.output.isEmpty, "\(leaf.words): \(wrong.output)")
        let error = try JSONValue(parsing: wrong.errors.trimmingCharacters(in: .newlines))
        #expect(error["error"]?["code"] == "usage", "\(leaf.words): \(wrong.errors)")
      }
    }
  }

  private static let failures: [(arguments: [String], input: String, code: String)] = [
    (["passkey", "delete", "nothing", "--local", "--yes"], "", "notFound"),
    (["push", "credentials", "delete", "nothing", "--yes"], "", "notFound"),
    (["push", "approve", "nothing"], "", "notFound"),
    (["oath", "delete", "nothing", "--yes"], "", "notFound"),
    (["oath", "code"], "", "notFound"),
    (["oath", "add", "-"], "https://example.com\n", "invalid"),
    (["oath", "add", "-"], "otpauth://totp/a?secret=1\n", "invalid"),
    (["push", "enroll", "-"], "pushauth://push/a:b\n", "invalid"),
    (["push", "enroll", "-"], "", "usage"),
    (["push", "enroll", "--scan", "/nowhere.png"], "", "notFound"),
    (["keys", "change-pin"], "", "notFound"),
    (["keys", "delete", "nothing", "--yes"], "", "notFound"),
    (["unbind", "--username", "mira", "--yes"], "", "notFound"),
    (["config", "set", "nonsense", "1"], "", "notFound"),
    (["config", "set", "utc", "perhaps"], "", "invalid"),
    (["config", "set", "admin-password", "x"], "", "invalid"),
    (["profile", "use", "nothing"], "", "notFound"),
    (["profile", "add", "a b", "--server", "https://id.bank.example/am"], "", "invalid"),
    (["status", "--profile", "nothing"], "", "notFound"),
    (["status", "--config", "/nowhere.toml"], "", "notFound"),
    (["journey", "check", "/nowhere.json"], "", "notFound"),
    (["journey", "check", "/"], "", "invalid"),
    (["journey", "check", "/etc/hostname"], "", "invalid"),
    (["audit", "verify", "/nowhere"], "", "notFound"),
    (["audit", "verify", "-"], "nothing of that\n", "damaged"),
    (["audit", "list", "--data", "/nowhere"], "", "notFound"),
    (["events", "--data", "/nowhere"], "", "notFound"),
    (["user", "unlock", "mira", "--data", "/nowhere"], "", "notFound"),
    (["attestation", "root", "--authority", "/nowhere"], "", "notFound"),
    (["attestation", "install", "/nowhere"], "", "notFound"),
  ]

  @Test(arguments: [("ada", "2"), ("ada@example.com", "1"), ("example.com@alpha", "")])
  func `the acts of a person are found by the whole name, which may have an @`(
    name: String, found: String
  ) async throws {
    try await withTemporaryFolder { folder in
      let file = folder.appending(path: "events").path(percentEncoded: false)
      try """
      {"event":"account.changed","account":"1","actor":"ada@example.com@alpha"}
      {"event":"account.changed","account":"2","actor":"ada@alpha"}

      """.write(toFile: file, atomically: true, encoding: .utf8)
      let told = try await CommandLineTool(home: folder).run([
        "events", "--file", file, "--user", name, "--json",
      ])
      let accounts = try told.output.split(separator: "\n").map {
        try JSONValue(parsing: String($0))["account"]?.stringValue ?? ""
      }
      #expect(told.status == 0 && accounts.joined() == found, "\(told.output)\(told.errors)")
    }
  }

  @Test func `failures had no better code than 'failed'`() async throws {
    try await withTemporaryFolder { folder in
      let tool = CommandLineTool(home: folder)
      for (arguments, input, code) in Self.failures {
        let failed = try await tool.run(arguments + ["--json"], input: input)
        let last = failed.errors.split(separator: "\n").last.map(String.init) ?? ""
        let found = (try? JSONValue(parsing: last))?["error"]?["code"]?.stringValue
        #expect(failed.status == 1 && found == code, "\(arguments): \(failed.errors)\(failed.output)")
      }
    }
  }

  @Test func `a file that could not be written had the code 'failed'`() async throws {
    try await withTemporaryFolder { folder in
      let tool = CommandLineTool(home: folder.appending(path: "home"))
      let path = folder.path(percentEncoded: false)
      try Data().write(to: folder.appending(path: "there.svg"))
      let cases: [(file: String, more: [String], code: String)] = [
        ("\(path)/nowhere/code.svg", [], "notFound"), ("\(path)/there.svg/code.svg", [], "notFound"),
        ("\(path)/there.svg", [], "conflict"), (path, ["--force"], "invalid"),
      ]
      for (file, more, code) in cases {
        let address = "otpauth://totp/Bank:ada?secret=GEZDGNBVGY3TQOJQ"
        let failed = try await tool.run(["push", "qr", address, "--svg", file, "--json"] + more)
        let found = try JSONValue(parsing: Array(failed.errors.utf8))["error"]?["code"]?.stringValue
        #expect(failed.status == 1 && found == code, "\(file): \(failed.errors)")
      }
    }
  }

  @Test func `what config, profile and attestation authority do is told as JSON`() async throws {
    try await withTemporaryFolder { folder in
      let tool = CommandLineTool(home: folder)
      func done(_ arguments: String...) async throws -> JSONValue {
        let result = try await tool.run(arguments + ["--json"])
        #expect(result.status == 0, "\(arguments): \(result.errors)")
        return try result.json
      }
      let set = try await done("config", "set", "realm", "beta")
      #expect(set["name"] == "realm" && set["value"] == "beta" && set["file"]?.stringValue != nil)
      #expect(try await done("config", "unset", "realm")["value"] == .null)
      let added = try await done("profile", "add", "bank", "--server", "https://id.bank.example/am")
      #expect(added["profile"] == "bank" && added["inUse"] == true)
      #expect(try await done("profile", "use", "none")["profile"] == .null)
      #expect(try await done("profile", "use", "bank")["profile"] == "bank")
      #expect(try await done("profile", "delete", "bank", "--yes")["deleted"] == true)
      let authority = folder.appending(path: "authority").path(percentEncoded: false)
      let made = try await done("attestation", "authority", "create", "--dir", authority)
      let root = try await done("attestation", "root", "--authority", authority)
      let file = try String(contentsOfFile: made["root"]?.stringValue ?? "", encoding: .utf8)
      #expect(root["pem"]?.stringValue == file.trimmingCharacters(in: .newlines))
    }
  }
}

extension CommandLineTool {
  /// What the command line says about all its commands.
  func description() async throws -> JSONValue {
    let dump = try await run(["--experimental-dump-help"])
    let json = try JSONValue(parsing: dump.output, limits: JSONLimits(maximumBytes: 8 << 20))
    return try #require(json["command"])
  }
}
