import CommonFixtures
import Foundation
import StrictJSON
import Testing

/// `sealring ssh-ca`, beside a server that runs; with OpenSSH it is tested in EndToEndTests.
@Suite("sealring ssh-ca") struct SSHAuthorityCommandTests {
  private func run(_ setup: CommandSetup, _ arguments: [String]) async throws -> CommandResult {
    try await setup.tool.run(["ssh-ca"] + arguments + ["--realm", "alpha", "--data", setup.data])
  }

  private func show(_ setup: CommandSetup) async throws -> JSONValue {
    try await run(setup, ["show", "--json"]).json
  }

  @Test func `an authority is made once, and set keeps what is not given`() async throws {
    try await CommandSetup.run { setup in
      let missing = try await run(setup, ["show"])
      #expect(missing.status == 1 && missing.errors.contains("ssh-ca init"), "\(missing.errors)")
      let made = try await run(setup, ["init", "--journey", "Login", "--lifetime", "60"])
      #expect(made.status == 0, "\(made.errors)")
      for part in [
        "TrustedUserCAKeys /etc/ssh/", "RevokedKeys /etc/ssh/", "@cert-authority ", "journey Login",
        "60 seconds",
      ] {
        #expect(made.output.contains(part), "\(part)")
      }
      let again = try await run(setup, ["init"])
      #expect(again.status == 1 && again.errors.contains("ssh-ca set"), "\(again.errors)")

      let set = try await run(
        setup,
        [
          "set", "--level", "2", "--attested", "yes", "--principals", "userName", "--principals", "sshNames",
          "--allow", "none",
        ])
      #expect(set.status == 0, "\(set.errors)")
      let shown = try await show(setup)
      #expect(shown["journey"] == "Login" && shown["lifetime"] == 60 && shown["authLevel"] == 2)
      #expect(shown["attested"] == true && shown["principals"] == ["userName", "sshNames"])
      #expect(shown["extensions"] == [])
      #expect(try await run(setup, ["set", "--journey", "any"]).status == 0)
      #expect(try await show(setup)["journey"] == nil)
      for wrong in [["--lifetime", "9"], ["--level", "-1"], ["--allow", "no-touch-required"]] {
        #expect(try await run(setup, ["set"] + wrong).status == 64, "\(wrong)")
      }
    }
  }

  @Test func `an authority is made for a realm that is there, and principals that give nobody one are said`()
    async throws
  {
    try await CommandSetup.run { setup in
      let missing = try await setup.tool.run(["ssh-ca", "init", "--realm", "alhpa", "--data", setup.data])
      #expect(
        missing.status == 1 && missing.errors.contains("alhpa") && missing.errors.contains("root, alpha"),
        "\(missing.errors)")
      let made = try await run(setup, ["init"])
      #expect(made.status == 0 && !made.errors.contains("Warning"), "\(made.errors)")
      let changeable = try await run(setup, ["set", "--principals", "telephoneNumber"])
      #expect(
        changeable.status == 0 && changeable.errors.contains("accounts can change telephoneNumber"),
        "\(changeable.errors)")
      let good = try await run(setup, ["set", "--principals", "sshNames"])
      #expect(good.status == 0 && !good.errors.contains("Warning"), "\(good.errors)")
    }
  }

  @Test func `a journey that the realm does not have is refused, or said where it cannot be known`()
    async throws
  {
    try await CommandSetup.run { setup in
      let unknown = try await run(setup, ["init", "--journey", "Logni"])
      #expect(unknown.status == 0 && unknown.errors.contains("no bundled journey Logni"), "\(unknown.errors)")
      let bundled = try await run(setup, ["set", "--journey", "Login"])
      #expect(bundled.status == 0 && !bundled.errors.contains("Warning"), "\(bundled.errors)")

      // With the folder that the settings give the server, all journeys are known.
      let login = URL(filePath: #filePath).appending(path: "../../../../journeys/Login.journey.json")
      let strong = try String(contentsOf: login.standardizedFileURL, encoding: .utf8)
        .replacing("\"_id\": \"Login\"", with: "\"_id\": \"Strong\"")
      let folder = URL(filePath: setup.path("journeys/alpha"))
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try strong.write(to: folder.appending(path: "Strong.journey.json"), atomically: true, encoding: .utf8)
      try "[serve]\njourneys = \"\(setup.path("journeys"))\"\n".write(
        toFile: setup.path("settings.toml"), atomically: true, encoding: .utf8)
      var tool = setup.tool
      tool.environment["SEALRING_CONFIG"] = setup.path("settings.toml")
      func configured(_ arguments: [String], in realm: String = "alpha") async throws -> CommandResult {
        try await tool.run(["ssh-ca"] + arguments + ["--realm", realm, "--data", setup.data])
      }
      for journey in ["Strong", "SignIn", "any"] {
        let set = try await configured(["set", "--journey", journey])
        #expect(set.status == 0 && !set.errors.contains("Warning"), "\(set.errors)")
      }
      let refused = try await configured(["set", "--journey", "strong"])
      #expect(refused.status == 1 && refused.errors.contains("Strong"), "\(refused.errors)")
      #expect(try await show(setup)["journey"] == nil, "what was refused changed nothing")
      let none = try await configured(["init", "--journey", "Strong"], in: "root")
      #expect(none.status == 1 && none.errors.contains("no journey Strong"), "\(none.errors)")
      #expect(try await configured(["show"], in: "root").status == 1, "no authority was made")
    }
  }

  @Test func `keys are rotated and retired, hosts certified, and what is taken back is written`() async throws
  {
    try await CommandSetup.run { setup in
      #expect(try await run(setup, ["init"]).status == 0)
      let old = try #require(try await show(setup)["userAuthority"]?[0]?["fingerprint"]?.stringValue)
      #expect(try await run(setup, ["retire", old]).status == 1)
      #expect(try await run(setup, ["rotate", "users"]).status == 0)
      #expect(try await show(setup)["userAuthority"]?.arrayValue?.count == 2)
      #expect(try await run(setup, ["retire", old]).status == 0)
      #expect(try await show(setup)["userAuthority"]?.arrayValue?.count == 1)

      let host = setup.path("host.pub")
      try "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl root@host\n"
        .write(
          toFile: host, atomically: true, encoding: .utf8)
      let signed = try await run(setup, ["sign-host", host, "--name", "host.example", "--json"])
      #expect(signed.status == 0, "\(signed.errors)")
      let written = try String(contentsOfFile: setup.path("host-cert.pub"), encoding: .utf8)
      #expect(try written == (signed.json["certificate"]?.stringValue ?? "") + "\n")
      let twice = try await run(setup, ["sign-host", host, "--name", "host.example"])
      #expect(twice.status == 1 && twice.errors.contains("--force"), "\(twice.errors)")
      #expect(try await run(setup, ["sign-host", host, "--name", "*", "--force"]).status == 1)

      let serial = try signed.json["serial"]?.stringValue ?? ""
      let again = try await run(setup, ["sign-host", host, "--name", "host.example", "--force", "--json"])
      let second = try again.json["serial"]?.stringValue ?? ""
      let clients = try await run(setup, ["revoke", "--serial", serial])
      #expect(
        clients.errors.contains("1 certificate back. Clients learn it") && !clients.errors.contains("osts"),
        "\(clients.errors)")
      #expect(try await run(setup, ["revoke", "--serial", second, "--json"]).json["hosts"] == 1)
      let hosts = try await run(setup, ["revoke", "--user", "mira"])
      #expect(hosts.errors.contains("0 certificates back. Hosts learn it"), "\(hosts.errors)")
      for (wrong, reason) in [
        (["--user", "nobody"], "no such account"), (["--user", ""], "1 to 255 characters"),
        (["--serial", "7"], "serial number 7"),
      ] {
        let refused = try await run(setup, ["revoke"] + wrong)
        #expect(refused.status == 1 && refused.errors.contains(reason), "\(refused.errors)")
      }
      #expect(try await run(setup, ["revoke", "--key", host, "--json"]).json["revoked"] == 0)
      #expect(try await run(setup, ["sign-host", host, "--name", "host.example", "--force"]).status == 1)
      #expect(try await run(setup, ["revoke"]).status == 64)
      let list = setup.path("revoked")
      #expect(try await run(setup, ["revoked", list]).status == 0)
      #expect(
        try Data(contentsOf: URL(filePath: list)).starts(with: Array("SSHKRL\n\0".utf8)))
      let events = try String(contentsOfFile: setup.data + "/events.jsonl", encoding: .utf8)
      for event in ["ssh-authority.changed", "ssh-certificate.issued", "ssh-certificate.revoked"] {
        #expect(events.contains(event), "\(event)")
      }
    }
  }
}
