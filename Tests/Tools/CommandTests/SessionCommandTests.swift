import CommonFixtures
import DeviceKeys
import DeviceKeysTPM
import Foundation
import PushServiceFixtures
import SoftwareTPM
import StrictJSON
import Testing

/// `sealring session`, `status` and `doctor` against a real server.
@Suite struct SessionCommandTests {
  private static let password = "tulips in march"

  private static func scene(
    _ body: (_ server: LocalServer, _ tool: CommandLineTool, _ folder: URL) async throws -> Void
  ) async throws {
    try await withTemporaryFolder { folder in
      let server = try await LocalServer.start(data: folder.appending(path: "server"))
      let administrator = CommandLineTool(
        home: folder.appending(path: "administrator"),
        environment: ["SEALRING_ADMIN_PASSWORD": LocalServer.administratorPassword])
      for name in ["mira", "yan"] {
        let added = try await administrator.run(
          ["user", "add", name, "--server", server.address, "--password-stdin"], input: password + "\n")
        #expect(added.status == 0, "\(added.errors)")
      }
      let tool = CommandLineTool(
        home: folder.appending(path: "client"),
        environment: [
          "SEALRING_SERVER": server.address, "SEALRING_USER": "mira", "SEALRING_UTC": "yes",
          "SEALRING_ADMIN_PASSWORD": "",
        ])
      try await body(server, tool, folder)
      try await server.stop()
    }
  }

  private static func logIn(_ tool: CommandLineTool, _ arguments: [String] = [], password: String = password)
    async throws
  {
    let result = try await tool.run(
      ["session", "login", "--password-stdin"] + arguments, input: password + "\n")
    #expect(result.status == 0, "\(result.errors)")
  }

  @Test func `a kept session stands in for the password`() async throws {
    try await Self.scene { server, tool, folder in
      let before = try await tool.run(["session", "whoami", "--json"])
      #expect(before.status == 1)
      #expect(try JSONValue(parsing: Array(before.errors.utf8))["error"]?["code"] == "notFound")
      // Nobody can be asked for a password here, and none is given.
      #expect(try await tool.run(["devices"]).status == 1)
      try await Self.logIn(tool)
      let devices = try await tool.run(["devices"])
      #expect(devices.status == 0, "\(devices.errors)")
      let who = try await tool.run(["session", "whoami", "--json"])
      #expect(try who.json["username"] == "mira" && who.json["realm"] == "alpha")
      let text = try await tool.run(["session", "whoami"])
      #expect(text.output == "mira\n" && text.errors.contains(" UTC"), "\(text.errors)")
      // Of another user it says nothing, and to another realm it is not sent.
      #expect(try await tool.run(["devices", "--username", "yan"]).status == 1)
      #expect(try await tool.run(["session", "whoami", "--realm", "root"]).status == 1)
      // The session outlives the command that used it.
      #expect(try await tool.run(["devices"]).status == 0)
      let out = try await tool.run(["session", "logout", "--json"])
      #expect(try out.json["endedAtServer"] == true)
      #expect(try await tool.run(["devices"]).status == 1)
      #expect(try await tool.run(["session", "logout"]).status == 1)
    }
  }

  @Test func `the kept session is sealed and for its owner alone`() async throws {
    try await Self.scene { server, tool, folder in
      try await Self.logIn(tool)
      let files = try #require(FileManager.default.enumerator(at: tool.home, includingPropertiesForKeys: nil))
      var count = 0
      for case let file as URL in files where !file.hasDirectoryPath {
        let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int ?? 0
        #expect(mode & 0o077 == 0, "\(file.path)")
        #expect(
          String(decoding: try Data(contentsOf: file), as: UTF8.self).contains("mira") == false,
          "\(file.path)")
        count += 1
      }
      #expect(count > 0)
    }
  }

  @Test func `a session that has ended at the server is forgotten`() async throws {
    try await Self.scene { server, tool, _ in
      try await Self.logIn(tool)
      var administrator = tool
      administrator.environment["SEALRING_ADMIN_PASSWORD"] = LocalServer.administratorPassword
      #expect(try await administrator.run(["user", "disable", "mira"]).status == 0)
      let who = try await tool.run(["session", "whoami", "--json"])
      #expect(try JSONValue(parsing: Array(who.errors.utf8))["error"]?["code"] == "expired", "\(who.errors)")
      let again = try await tool.run(["session", "whoami", "--json"])
      #expect(try JSONValue(parsing: Array(again.errors.utf8))["error"]?["code"] == "notFound")
    }
  }

  @Test func `one sees own sessions and administrators those of all`() async throws {
    try await Self.scene { server, tool, _ in
      try await Self.logIn(tool)
      let own = try await tool.run(["session", "list", "--json"])
      #expect(try own.json.arrayValue?.count == 1 && own.json[0]?["username"] == "mira", "\(own.errors)")
      let others = try await tool.run(["session", "list", "--username", "yan", "--json"])
      #expect(
        try JSONValue(parsing: Array(others.errors.utf8))["error"]?["code"] == "forbidden", "\(others.errors)"
      )
      // Signing in again ends the session that it replaces.
      try await Self.logIn(tool)
      #expect(try await tool.run(["session", "list", "--json"]).json.arrayValue?.count == 1)
      let root = ["--realm", "root", "--username", "amAdmin"]
      try await Self.logIn(tool, root, password: LocalServer.administratorPassword)
      // The administrator's kept session stands in for the password too, and outlives the command.
      for _ in 1...2 {
        let users = try await tool.run(["user", "list"])
        #expect(users.status == 0 && users.output.contains("yan"), "\(users.errors)")
      }
    }
  }

  @Test func `status says where the device stands`() async throws {
    try await Self.scene { server, tool, _ in
      var status = try await tool.run(["status", "--json"])
      #expect(status.status == 0, "\(status.errors)")
      #expect(try status.json["reachable"] == true && status.json["serverVersion"] == status.json["version"])
      #expect(
        try status.json["username"] == .null
          && status.json["clockDifferenceSeconds"]?.integerValue.map { abs($0) <= 2 } == true)
      let bound = try await tool.run(
        ["bind", "--store", "software", "--password-stdin", "--pin-stdin", "--json"],
        input: "\(Self.password)\n271828\n")
      #expect(bound.status == 0, "\(bound.errors)")
      try await Self.logIn(tool)
      status = try await tool.run(["status", "--json"])
      #expect(
        try status.json["username"] == "mira"
          && status.json["keys"]?["bound"]?[0]?["kid"] == bound.json["kid"])
      let text = try await tool.run(["status"])
      #expect(
        text.output.contains("signed in as mira") && text.output.contains("1 for this server and realm"),
        "\(text.output)")
      let other = try await tool.run(["status", "--realm", "root", "--json"])
      #expect(try other.json["keys"]?["bound"] == [] && other.json["username"] == .null)
      let nowhere = try await tool.run(["status", "--server", "http://127.0.0.1:9/am", "--json"])
      #expect(nowhere.status == 1)
      #expect(try nowhere.json["reachable"] == false)
      #expect(try JSONValue(parsing: Array(nowhere.errors.utf8))["error"]?["code"] == "unreachable")
    }
  }

  private static func states(_ result: CommandResult) throws -> [String: String] {
    var states: [String: String] = [:]
    for check in try result.json.arrayValue ?? [] {
      states[check["check"]?.stringValue ?? ""] = check["state"]?.stringValue
      if check["state"] == "failed" { #expect(check["advice"]?.stringValue?.isEmpty == false, "\(check)") }
    }
    return states
  }

  @Test func `the doctor finds what is wrong with a device`() async throws {
    try await Self.scene { server, tool, _ in
      var tool = tool
      tool.environment["SEALRING_TCTI"] = "device:/nowhere/tpmrm0"
      #expect(try await tool.run(["keys"]).status == 0)
      try await Self.logIn(tool)
      let well = try await tool.run(["doctor", "--json"])
      var states = try Self.states(well)
      #expect(
        states["server"] == "ok" && states["clock"] == "ok" && states["stateFolder"] == "ok"
          && states["settings"] == "ok", "\(well.output)")
      #expect(
        states["tpm"] == "absent" && states["fingerprint"] != nil && states["pam"] != nil
          && states["tls"] == "absent")
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o755], ofItemAtPath: tool.home.path(percentEncoded: false))
      let open = try await tool.run(["doctor", "--json", "--server", "http://127.0.0.1:9/am"])
      states = try Self.states(open)
      #expect(
        open.status == 1 && states["stateFolder"] == "failed" && states["server"] == "failed",
        "\(open.output)")
    }
  }

  @Test(.timeLimit(.minutes(2)))
  func `the doctor says when a chip refuses PINs, is not the keys' own, or is missing`() async throws {
    try await Self.scene { _, tool, _ in
      func checks(_ tcti: String) async throws -> [String: JSONValue] {
        let result = try await tool.run(["doctor", "--json", "--tcti", tcti])
        let all = try #require(try result.json.arrayValue)
        return Dictionary(uniqueKeysWithValues: all.map { ($0["check"]?.stringValue ?? "", $0) })
      }
      try await SoftwareTPM.run(certificates: false) { chip in
        let added = try await tool.run(
          ["ssh", "key", "add", "laptop", "--store", "tpm", "--tcti", chip.tcti, "--pin-stdin"],
          input: "294751\n")
        #expect(added.status == 0, "\(added.errors)")
        let well = try await checks(chip.tcti)
        #expect(well["tpm"]?["state"] == "ok" && well["tpmKeys"] == nil, "\(well)")

        let store = try TPMKeyStore(
          directory: tool.home.appending(path: "ssh"), tcti: chip.tcti,
          pinAttempts: PINAttemptPolicy(delays: []))
        // A new swtpm takes three.
        for _ in 1...9 where try await store.pinTries(tag: "ssh:laptop")?.wait == 0 {
          await #expect(throws: DeviceKeyError.wrongPIN(tag: "ssh:laptop")) {
            try await store.openKey(tag: "ssh:laptop", unlock: .pin(PIN("111111")))
          }
        }
        let locked = try #require(try await checks(chip.tcti)["tpm"])
        #expect(locked["state"] == "failed", "\(locked)")
        #expect(locked["advice"]?.stringValue?.contains("tpm2_dictionarylockout -c") == true, "\(locked)")
      }
      try await SoftwareTPM.run(certificates: false) { other in
        let moved = try await checks(other.tcti)
        #expect(moved["tpm"]?["state"] == "ok" && moved["tpmKeys"]?["state"] == "warning", "\(moved)")
        #expect(moved["tpmKeys"]?["finding"]?.stringValue?.contains("1 in ssh") == true, "\(moved)")
        let missing = try await checks("device:/nowhere/tpmrm0")
        #expect(missing["tpm"]?["state"] == "failed" && missing["tpmKeys"] == nil, "\(missing)")
      }
    }
  }

  @Test func `the doctor finds what is wrong with a server's folder`() async throws {
    try await Self.scene { server, tool, folder in
      let data = folder.appending(path: "server")
      let path = data.path(percentEncoded: false)
      // While the server runs.
      let well = try await tool.run(["doctor", "--data", path, "--json"])
      var states = try Self.states(well)
      #expect(
        well.status == 0 && states["database"] == "ok" && states["key"] == "ok"
          && states["journeys"] == "absent" && states["space"] != nil, "\(well.output)\(well.errors)")
      let journeys = folder.appending(path: "journeys/alpha")
      try FileManager.default.createDirectory(at: journeys, withIntermediateDirectories: true)
      try Data("{}".utf8).write(to: journeys.appending(path: "Bad.journey.json"))
      let key = data.appending(path: "server.key")
      try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: key.path)
      let arguments = [
        "doctor", "--data", path, "--journeys",
        folder.appending(path: "journeys").path(percentEncoded: false), "--json",
      ]
      let ill = try await tool.run(arguments)
      states = try Self.states(ill)
      #expect(
        ill.status == 1 && states["key"] == "failed" && states["journeys"] == "failed"
          && states["database"] == "ok", "\(ill.output)")
      try await server.stop()
      // Another server's key does not open what is stored.
      try Data((0..<32).map { UInt8($0) }).write(to: key)
      states = try Self.states(try await tool.run(arguments))
      #expect(states["database"] == "failed")
      try Data("no database at all, and long enough to be looked at".utf8).write(
        to: data.appending(path: "sealring.sqlite"))
      let broken = try await tool.run(arguments)
      #expect(try Self.states(broken)["database"] == "failed", "\(broken.output)")
      let none = try await tool.run([
        "doctor", "--data", folder.appending(path: "nowhere").path(percentEncoded: false), "--json",
      ])
      #expect(try none.status == 1 && Self.states(none)["data"] == "failed")
    }
  }

  @Test func `the doctor says what the settings leave open of changes of factors`() async throws {
    try await Self.scene { _, tool, folder async throws in
      let data = folder.appending(path: "server").path(percentEncoded: false)
      func found() async throws -> String? {
        try Self.states(try await tool.run(["doctor", "--data", data, "--json"]))["configuration"]
      }
      #expect(try await found() == nil)
      let url = "https://id.example.com/am"
      for (setting, value, state): (String, String, String?) in [
        ("serve.public-url", url, "failed"), ("serve.factor-changes", "alpha=strong", "failed"),
        ("serve.factor-changes", "any", "warning"), ("serve.factor-changes", "strong", nil),
      ] {
        #expect(try await tool.run(["config", "set", setting, value]).status == 0)
        #expect(try await found() == state, "\(setting) \(value)")
      }
    }
  }

  @Test func `the doctor looks at certificate and key`() async throws {
    try await Self.scene { server, tool, folder in
      let data = folder.appending(path: "server").path(percentEncoded: false)
      let certificates = try TestCertificates()
      let (chain, key) = (folder.appending(path: "chain.pem"), folder.appending(path: "key.pem"))
      try Data(certificates.chainPEM.utf8).write(to: chain)
      try Data(certificates.keyPEM.utf8).write(to: key)
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key.path)
      let arguments = [
        "doctor", "--data", data, "--json", "--tls-certificate", chain.path, "--tls-key", key.path,
      ]
      let well = try Self.states(try await tool.run(arguments))
      #expect(well["tls"] == "ok" || well["tls"] == "warning", "\(well)")
      try Data(try TestCertificates().keyPEM.utf8).write(to: key)
      let other = try await tool.run(arguments)
      #expect(try other.status == 1 && Self.states(other)["tls"] == "failed", "\(other.output)")
    }
  }
}
