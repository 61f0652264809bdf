import Foundation
import StrictJSON
import Testing

extension CommandSetup {
  fileprivate func run(_ arguments: String..., input: String = "") async throws -> CommandResult {
    try await run(arguments, input: input)
  }

  /// As an account of realm alpha.
  fileprivate func run(as name: String, _ arguments: String...) async throws -> CommandResult {
    var tool = tool
    tool.environment["SEALRING_ADMIN_PASSWORD"] = Self.password
    return try await tool.run(arguments + at + ["--admin", name, "--admin-realm", "alpha"])
  }

  fileprivate func add(_ name: String) async throws {
    try await done(["user", "add", name, "--password-stdin"], input: Self.password + "\n")
  }
}

/// Administrators' commands: roles, realms, journeys, others' devices, locks, audit over HTTP, and import.
@Suite struct AdministrationTests {
  @Test func `there was one administrator and no role: help desk and auditor do their work and no more`()
    async throws
  {
    try await CommandSetup.run { setup in
      for name in ["desk", "auditor"] { try await setup.add(name) }
      let granted = try await setup.run("admin", "grant", "desk", "helpdesk", "--json")
      #expect(try granted.json == ["username": "desk", "realm": "alpha", "roles": ["helpdesk"]])
      #expect(try await setup.run("admin", "grant", "auditor", "auditor").status == 0)
      let list = try await setup.run("admin", "list")
      #expect(
        list.output.contains("desk") && list.output.contains("helpdesk") && !list.output.contains("mira"))
      let root = try await setup.run("admin", "list", "--realm", "root", "--json")
      #expect(try root.json[0]?["username"] == "amAdmin" && root.json[0]?["adminRoles"] == ["administrator"])

      let kid = try #require(try await setup.bind().json["kid"]?.stringValue)
      #expect(
        try await setup.run(as: "auditor", "audit", "list", "--json").json[0]?["device"] == .string(kid))
      #expect(try await setup.run(as: "desk", "audit", "list").status == 1)
      // Somebody else's devices, of every kind.
      for name in ["auditor", "desk"] {
        let devices = try await setup.run(
          as: name, "devices", "list", "--username", "mira", "--all-kinds", "--json")
        #expect(
          try devices.json[0]?["uuid"] == .string(kid) && devices.json[0]?["kind"] == "bound",
          "\(devices.errors)")
      }
      let refused = try await setup.run(
        as: "auditor", "devices", "delete", kid, "--username", "mira", "--yes")
      #expect(refused.status == 1 && refused.errors.contains("403"), "\(refused.errors)")
      let deleted = try await setup.run(as: "desk", "devices", "delete", kid, "--username", "mira", "--yes")
      #expect(deleted.status == 0, "\(deleted.errors)")

      let escalation = try await setup.run(as: "desk", "admin", "grant", "mira", "administrator", "--json")
      #expect(
        escalation.status == 1 && escalation.errors.contains(#""code":"forbidden""#), "\(escalation.errors)")
      let last = try await setup.run("admin", "revoke", "amAdmin", "administrator", "--realm", "root")
      #expect(last.status == 1 && last.errors.contains("at least one active administrator"))
      #expect(try await setup.run("admin", "revoke", "auditor", "auditor").status == 0)
      #expect(try await setup.run(as: "auditor", "audit", "list").status == 1)

      let events = try await setup.tool.run([
        "events", "--data", setup.data, "--event",
        "role.",
        "--json",
      ])
      #expect(events.output.split(separator: "\n").count == 3)
      #expect(events.output.contains("role.granted") && events.output.contains("role.revoked"))
    }
  }

  @Test func `a locked account says until when, and is unlocked over HTTP`() async throws {
    try await CommandSetup.run { setup in
      for _ in 1...5 {
        let wrong = try await setup.run(
          "journey", "run", "Login", "--username", "mira", "--password-stdin", input: "wrong\n")
        #expect(wrong.status == 1)
      }
      for arguments in [["user", "list"], ["user", "show", "mira"]] {
        let shown = try await setup.tool.run(arguments + setup.at)
        #expect(shown.output.contains("locked until 20"), "\(shown.output)")
      }
      let unlocked = try await setup.run("user", "unlock", "mira")
      #expect(unlocked.status == 0 && unlocked.errors.contains("Unlocked"), "\(unlocked.errors)")
      #expect(try await !setup.run("user", "list").output.contains("locked"))
      let again = try await setup.run("user", "unlock", "mira")
      #expect(again.errors.contains("no lock"))
    }
  }

  @Test func `audit asks a server, with filters, and verifies what it sends`() async throws {
    try await CommandSetup.run { setup in
      let kid = try #require(try await setup.bind().json["kid"]?.stringValue)
      let signed = try await setup.run(
        "sign", "--text", "Pay 10 EUR", "--pin-stdin", input: CommandSetup.pin + "\n")
      #expect(signed.status == 0, "\(signed.errors)")
      let data = setup.data
      let device = setup.tool
      func list(_ source: [String], _ filter: [String]) async throws -> CommandResult {
        try await device.run(["audit", "list", "--json"] + source + filter)
      }
      let remote = try await setup.run("audit", "list", "--json")
      let local = try await setup.tool.run(["audit", "list", "--data", data, "--json"])
      #expect(try remote.json == local.json && remote.json.arrayValue?.count == 2, "\(remote.errors)")
      for (filter, expected) in [
        (["--kind", "bind"], 1), (["--kind", "certify"], 0), (["--limit", "1", "--offset", "1"], 1),
        (["--offset", "2"], 0),
        (["--since", "1h"], 2), (["--until", "1h"], 0), (["--user", "MIRA", "--since", "2026-01-01"], 2),
      ] {
        for source in [setup.at, ["--data", data]] {
          let result = try await list(source, filter)
          #expect(try result.json.arrayValue?.count == expected, "\(filter): \(result.errors)")
        }
      }
      // An unknown name or realm was an empty success.
      for unknown in [["--user", "noor"], ["--realm", "nowhere"]] {
        for source in [setup.at, ["--data", data]] {
          let result = try await list(source, unknown)
          #expect(result.status == 1 && result.errors.contains(#""code":"notFound""#), "\(result.errors)")
        }
      }
      let shown = try await setup.run("audit", "show", "2")
      #expect(shown.status == 0 && shown.output.contains(kid) && shown.output.contains("Pay 10 EUR"))
      let issued = try #require(shown.output.split(separator: "\n").first { $0.contains("  exp") })
      #expect(issued.contains("20") && issued.contains(":") && issued.hasSuffix(")"), "\(issued)")
      let verified = try await setup.run("audit", "verify", "--json")
      #expect(
        try verified.json["valid"] == true && verified.json["entries"] == 2 && verified.json["linked"] == 1)
      #expect(try await setup.run("audit", "verify", "--hashes-only").status == 0)
      #expect(try await setup.run("audit", "push", "--json").json == [])
      #expect(try await setup.tool.run(["audit", "verify"]).status == 64)
      #expect(try await setup.run("audit", "list", "--data", data).status == 64)
      let keys = try await setup.tool.run(["keys"])
      #expect(keys.output.contains("PIN") && !keys.output.contains("APPLICATION_PIN"))
    }
  }

  @Test func `journeys are listed, and a realm is created and deleted while the server runs`() async throws {
    try await CommandSetup.run { setup in
      let journeys = try await setup.run("journey", "list")
      #expect(journeys.output.contains("SignTransaction"))
      let json = try await setup.run("journey", "list", "--json")
      #expect(json.output.contains(#""source":"bundled Login"#))
      #expect(try await setup.run("realm", "create", "beta").status == 0)
      #expect(try await setup.run("realm", "list").output == "root\nalpha\nbeta\n")
      let twice = try await setup.run("realm", "create", "BETA", "--json")
      #expect(twice.status == 1 && twice.errors.contains(#""code":"conflict""#))
      let added = try await setup.run(
        "user", "add", "noor", "--realm", "beta", "--password-stdin", input: CommandSetup.password + "\n")
      #expect(added.status == 0, "\(added.errors)")
      let signedIn = try await setup.run(
        "journey", "run", "Login", "--realm", "beta", "--username", "noor", "--password-stdin",
        input: CommandSetup.password + "\n")
      #expect(signedIn.status == 0, "\(signedIn.errors)")
      let unasked = try await setup.run("realm", "delete", "beta")
      #expect(unasked.status == 1 && unasked.errors.contains("--yes"))
      let full = try await setup.run("realm", "delete", "beta", "--yes")
      #expect(full.status == 1 && full.errors.contains("1 accounts"), "\(full.errors)")
      #expect(try await setup.run("realm", "delete", "beta", "--yes", "--force").status == 0)
      #expect(try await setup.run("realm", "list").output == "root\nalpha\n")
      #expect(try await setup.run("realm", "delete", "root", "--yes", "--force").status == 1)
    }
  }

  @Test func `accounts come from a file: bad lines are told by number and leave nothing`() async throws {
    try await CommandSetup.run { setup in
      func file(_ name: String, _ text: String) throws -> String {
        let file = setup.folder.appending(path: name)
        try Data(text.utf8).write(to: file)
        return file.path(percentEncoded: false)
      }
      let hash = "$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHRzb21lc2FsdA$" + String(repeating: "A", count: 43)
      let csv = try file(
        "people.csv",
        """
        username,mail,password,passwordhash,sn\r
        anna,anna@example.com; a@example.org,quiet meadow 1,,"Lovelace, ""A""
        second line"\r
        bo,,short,,x
        mira,,quiet meadow 1,,taken
        cy,,,"\(hash)",
        "d,e",,quiet meadow 1,,bad name
        ANNA,,quiet meadow 1,,twice
        eve,,,md5,x
        flo,,quiet meadow 1
        """)
      let trial = try await setup.run("user", "import", csv, "--dry-run", "--json")
      #expect(trial.status == 1)
      #expect(try trial.json["accounts"] == 2, "\(trial.output)")
      #expect(try trial.json["faults"]?.arrayValue?.map { $0["line"] } == [4, 5, 7, 8, 9, 10])
      #expect(try await setup.run("user", "list", "--json").json.arrayValue?.count == 1, "nothing was stored")

      let stored = try await setup.run("user", "import", csv)
      #expect(stored.status == 1 && stored.errors.contains("line 4: "), "\(stored.errors)")
      #expect(stored.errors.contains("Added 2 accounts") && stored.errors.contains("6 lines were not stored"))
      let users = try await setup.run("user", "list", "--json").json
      #expect(users.arrayValue?.map { $0["username"] } == ["anna", "cy", "mira"])
      #expect(users[0]?["mail"] == ["anna@example.com", "a@example.org"])
      #expect(users[0]?["sn"] == "Lovelace, \"A\"\nsecond line")
      let signedIn = try await setup.run(
        "journey", "run", "Login", "--username", "anna", "--password-stdin", input: "quiet meadow 1\n")
      #expect(signedIn.status == 0, "\(signedIn.errors)")

      let lines = try file(
        "people.jsonl",
        #"{"username":"gil","mail":["g@example.com"],"userpassword":"quiet meadow 1","level":3}"# + "\n[]\n\n"
          + #"{"username":"hal","pwdReset":true,"password":"quiet meadow 1"}"#)
      let more = try await setup.run("user", "import", lines, "--json")
      #expect(try more.json["accounts"] == 2 && more.json["faults"]?[0]?["line"] == 2, "\(more.errors)")
      #expect(try await setup.run("user", "show", "gil", "--json").json["level"] == 3)
      let unknown = try await setup.run("user", "import", try file("people", "x"))
      #expect(unknown.status == 64 && unknown.errors.contains("--format"))
      let headless = try await setup.run("user", "import", try file("bad.csv", "username,,\na,b,c\n"))
      #expect(headless.status == 1 && headless.errors.contains("header"))
    }
  }

  @Test func `accounts that come through a pipe are stored as they are read`() async throws {
    try await CommandSetup.run { setup in
      for (arguments, names) in [(["--dry-run"], ["mira"]), ([], ["anna", "mira"])] {
        let pipe = Pipe()
        try pipe.fileHandleForWriting.write(
          contentsOf: Data("username,password\nanna,quiet meadow 1\nbo,short\n".utf8))
        try pipe.fileHandleForWriting.close()
        let place = "/dev/fd/\(pipe.fileHandleForReading.fileDescriptor)"
        let done = try await setup.run(["user", "import", place, "--format", "csv", "--json"] + arguments)
        try pipe.fileHandleForReading.close()
        #expect(done.status == 1, "\(done.errors)")
        #expect(try done.json["accounts"] == 1 && done.json["faults"]?[0]?["line"] == 3, "\(done.output)")
        let users = try await setup.run("user", "list", "--json").json.arrayValue
        #expect(users?.map { $0["username"]?.stringValue } == names)
      }
    }
  }
}
