import CommonFixtures
import Foundation
import StrictJSON
import Testing

/// Settings, profiles and completion on the command line.
@Suite struct SettingsCommandTests {
  private static let password = "tulips in march"

  /// A server with the account mira, and a device with settings of its own.
  private static func scene(
    _ body: (_ server: LocalServer, _ tool: CommandLineTool, _ folder: URL) async throws -> Void
  ) async throws {
    try await withTemporaryFolder { folder in
      let server = try await LocalServer.start(data: folder.appending(path: "server"))
      let tool = CommandLineTool(
        home: folder.appending(path: "client"),
        environment: [
          "SEALRING_ADMIN_PASSWORD": LocalServer.administratorPassword,
          "XDG_CONFIG_HOME": folder.appending(path: "settings").path(percentEncoded: false),
          "TZ": "Europe/Berlin",
        ])
      let added = try await tool.run(
        ["user", "add", "mira", "--server", server.address, "--password-stdin"], input: password + "\n")
      #expect(added.status == 0, "\(added.errors)")
      try await body(server, tool, folder)
      try await server.stop()
    }
  }

  /// Finding 15: server, realm and user with every command.
  @Test func `server and user need to be said only once`() async throws {
    try await Self.scene { server, tool, folder in
      let added = try await tool.run([
        "profile", "add", "bank", "--server", server.address, "--username", "mira",
      ])
      #expect(added.status == 0 && added.errors.contains("It is in use."), "\(added.errors)")
      let bound = try await tool.run(
        ["bind", "--store", "software", "--password-stdin", "--pin-stdin", "--json"],
        input: "\(Self.password)\n271828\n")
      #expect(bound.status == 0, "\(bound.errors)")
      let signed = try await tool.run(["sign", "--pin-stdin"], input: "271828\n")
      #expect(signed.status == 0, "\(signed.errors)")
      // Every key says where it belongs, in the local time zone or in UTC.
      let keys = try await tool.run(["keys"])
      #expect(keys.output.contains(server.address) && keys.output.contains("alpha"), "\(keys.output)")
      #expect(keys.output.contains(" +01:00") || keys.output.contains(" +02:00"), "\(keys.output)")
      #expect(try await tool.run(["keys", "--utc"]).output.contains(" UTC\n"))
      // An option wins; what it names is not there.
      let elsewhere = try await tool.run(
        ["sign", "--pin-stdin", "--server", "http://127.0.0.1:9/am"], input: "271828\n")
      #expect(elsewhere.status == 1 && elsewhere.errors.contains("other servers"), "\(elsewhere.errors)")
      #expect(try await tool.run(["user", "show", "mira"]).status == 0)
      #expect(
        try await tool.run(["--profile", "nope", "keys"]).errors.contains("There is no profile 'nope'"))
      let file = folder.appending(path: "settings/sealring/config.toml").path(percentEncoded: false)
      let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
      #expect(mode == 0o600)
    }
  }

  @Test func `a missing user is asked for with what to do`() async throws {
    try await withTemporaryFolder { folder in
      let tool = CommandLineTool(home: folder, environment: [:])
      for command in [
        ["bind"], ["unbind"], ["devices", "--kind", "push"], ["passkey", "register"], ["session", "login"],
      ] {
        let result = try await tool.run(command)
        #expect(
          result.status == 64 && result.errors.contains("sealring config set user"),
          "\(command): \(result.errors)")
      }
    }
  }

  /// Finding 32.
  @Test func `an address without its path is recognised`() async throws {
    try await Self.scene { server, tool, _ in
      let address = String(server.address.dropLast("/am".count))
      for command in [
        ["user", "list"], ["journey", "run", "Login", "--username", "mira", "--password-stdin"], ["status"],
      ] {
        let result = try await tool.run(command + ["--server", address], input: "x\n")
        #expect(
          result.status == 1
            && result.errors.contains("Is /am missing in the server's address? Try \(address)/am."),
          "\(command): \(result.errors)")
      }
      let added = try await tool.run(["profile", "add", "p", "--server", address])
      #expect(added.errors.contains("Is /am missing"))
    }
  }

  @Test func `profiles are listed shown used and deleted`() async throws {
    try await withTemporaryFolder { folder in
      let tool = CommandLineTool(
        home: folder, environment: ["XDG_CONFIG_HOME": folder.path(percentEncoded: false)])
      func run(_ arguments: [String]) async throws -> CommandResult {
        let result = try await tool.run(["profile"] + arguments)
        #expect(result.status == 0, "\(arguments): \(result.errors)")
        return result
      }
      #expect(try await run(["list"]).errors.contains("There are no profiles yet"))
      _ = try await run([
        "add", "bank", "--server", "https://bank.example/am", "--username", "mira", "--realm", "bravo",
      ])
      _ = try await run(["add", "shop", "--server", "https://shop.example/am", "--app-id", "com.shop"])
      var listed = try await run(["list", "--json"]).json
      #expect(
        listed[0]?["profile"] == "bank" && listed[0]?["inUse"] == true && listed[0]?["realm"] == "bravo")
      #expect(
        listed[1]?["application"] == "com.shop" && listed[1]?["inUse"] == false && listed[1]?["user"] == .null
      )
      _ = try await run(["use", "shop"])
      #expect(try await run(["show"]).output.contains("https://shop.example/am"))
      _ = try await run(["delete", "shop", "--yes"])
      listed = try await run(["list", "--json"]).json
      #expect(listed.arrayValue?.count == 1 && listed[0]?["inUse"] == false)
      let unknown = try await tool.run(["profile", "use", "shop"])
      #expect(
        unknown.status == 1 && unknown.errors.contains("There is no profile 'shop'"), "\(unknown.errors)")
      let odd = try await tool.run(["profile", "add", "a.b", "--server", "https://bank.example/am"])
      #expect(odd.status == 1, "\(odd.errors)")
    }
  }

  @Test func `config says where each value comes from and hides secrets`() async throws {
    try await withTemporaryFolder { folder in
      let tool = CommandLineTool(
        home: folder,
        environment: [
          "XDG_CONFIG_HOME": folder.path(percentEncoded: false), "SEALRING_REALM": "bravo",
          "SEALRING_ADMIN_PASSWORD": "never to be seen", "SEALRING_SERVE_PORT": "9001",
        ])
      let file = folder.appending(path: "sealring/config.toml").path(percentEncoded: false)
      #expect(try await tool.run(["config", "path"]).output == file + "\n")
      #expect(try await tool.run(["config", "set", "server", "https://bank.example/am"]).status == 0)
      #expect(try await tool.run(["config", "set", "serve.trusted-proxy", "10.0.0.0/8", "::1"]).status == 0)
      let shown = try await tool.run(["config", "show", "--json"])
      func row(_ name: String) throws -> JSONValue? {
        try shown.json.arrayValue?.first { $0["name"]?.stringValue == name }
      }
      #expect(
        try row("server")?["from"] == "file" && row("server")?["line"] == 1
          && row("server")?["file"]?.stringValue == file)
      #expect(try row("realm")?["variable"] == "SEALRING_REALM" && row("realm")?["value"] == "bravo")
      #expect(
        try row("serve.port")?["value"] == "9001" && row("serve.trusted-proxy")?["value"] == "10.0.0.0/8, ::1"
      )
      #expect(try row("application")?["from"] == "builtIn")
      #expect(try row("admin-password")?["value"] == "********")
      let text = try await tool.run(["config", "show"])
      #expect(
        !(shown.output + text.output).contains("never to be seen") && text.output.contains("SEALRING_REALM"))
      #expect(try await tool.run(["config", "show", "realm"]).output == "bravo\n")
      let secret = try await tool.run(["config", "set", "admin-password", "x"])
      #expect(
        secret.status == 1 && secret.errors.contains("settings must not hold secrets")
          && secret.errors.contains("admin-password-file"), "\(secret.errors)")
      #expect(try await tool.run(["config", "unset", "server"]).status == 0)
      #expect(try await tool.run(["config", "unset", "server"]).status == 1)
    }
  }

  @Test func `config knows the server's settings wherever options of every command stand`() async throws {
    try await withTemporaryFolder { folder in
      let tool = CommandLineTool(
        home: folder, environment: ["XDG_CONFIG_HOME": folder.path(percentEncoded: false)])
      let shown = try await tool.run(["config", "show", "serve.port"])
      #expect(shown.status == 0 && shown.output == "8080\n", "\(shown.output)\(shown.errors)")
      let after = try await tool.run(["--ca-file", "roots.pem", "config", "show", "serve.port"])
      #expect(after.status == 0 && after.output == shown.output, "\(after.output)\(after.errors)")
    }
  }

  @Test func `settings that are wrong stop commands and can be corrected`() async throws {
    try await withTemporaryFolder { folder in
      let tool = CommandLineTool(
        home: folder, environment: ["XDG_CONFIG_HOME": folder.path(percentEncoded: false)])
      try FileManager.default.createDirectory(
        at: folder.appending(path: "sealring"), withIntermediateDirectories: true)
      let file = folder.appending(path: "sealring/config.toml")
      try Data("# mine\nsever = \"x\"\n".utf8).write(to: file)
      let keys = try await tool.run(["keys", "--json"])
      let error = try JSONValue(parsing: Array(keys.errors.utf8))["error"]?["message"]?.stringValue
      #expect(
        keys.status == 1
          && error?.contains("line 2: there is no setting 'sever'. Did you mean 'server'?") == true,
        "\(keys.errors)")
      #expect(try await tool.run(["config", "path"]).status == 0)
      #expect(try await tool.run(["keys", "--help"]).status == 0)
      let doctor = try await tool.run(["doctor", "--server", "http://127.0.0.1:9/am"])
      #expect(doctor.status == 1 && doctor.output.contains("FAIL  settings"), "\(doctor.output)")
      let other = folder.appending(path: "other.toml")
      try Data("realm = \"x\"\n".utf8).write(to: other)
      #expect(try await tool.run(["keys", "--config", other.path(percentEncoded: false)]).status == 0)
    }
  }

  /// docs/settings.md has one row for each setting, with what the code says of it.
  @Test func `the table of settings is that of the code`() async throws {
    try await withTemporaryFolder { folder in
      let tool = CommandLineTool(home: folder, environment: [:])
      let all = try #require(try await tool.run(["config", "show", "--all", "--json"]).json.arrayValue)
      let page = try String(
        contentsOf: URL(filePath: #filePath).appending(path: "../../../../docs/settings.md")
          .standardizedFileURL,
        encoding: .utf8)
      let rows = page.split(separator: "\n").map(String.init).filter {
        $0.hasPrefix("| `") && $0.contains("` | ")
      }
      let expected = all.map { setting -> String in
        func text(_ name: String) -> String {
          (setting[name]?.stringValue ?? "").replacing("|", with: "\\|").replacing("\n", with: " ")
        }
        let standard = text("default")
        return
          "| `\(text("name"))` | \(text("kind")) | \(text("about")) | \(standard.isEmpty ? "" : "`\(standard)`") |"
      }
      #expect(expected.count > 30)
      for row in expected { #expect(rows.contains(row), "missing in docs/settings.md: \(row)") }
      let names = Set(all.compactMap { $0["name"]?.stringValue })
      for row in rows where row.split(separator: "|").count == 4 {
        let name = String(row.dropFirst(3).prefix { $0 != "`" })
        #expect(names.contains(name), "docs/settings.md has a setting that there is not: \(name)")
      }
    }
  }
}
