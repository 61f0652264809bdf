import CommonFixtures
import Foundation
import StrictJSON
import Testing

/// Administrators' commands: roles, realms, journeys, others' devices, locks, audit over HTTP, and import.
@Suite struct AdministrationTests {
  private static let password = "Correct horse battery 1"
  private static let pin = "271828"

  private struct Place {
    let server: ServerProcess
    let tool: CommandLineTool
    let folder: URL

    func run(_ arguments: String..., input: String = "") async throws -> CommandLineTool.Result {
      try await tool.run(arguments + ["--server", server.address], input: input)
    }

    /// As an account of realm alpha.
    func run(as name: String, _ arguments: String...) async throws -> CommandLineTool.Result {
      var tool = tool
      tool.environment["SEALRING_ADMIN_PASSWORD"] = AdministrationTests.password
      return try await tool.run(
        arguments + ["--server", server.address, "--admin", name, "--admin-realm", "alpha"])
    }

    func add(_ name: String) async throws {
      let added = try await run(
        "user", "add", name, "--password-stdin", input: AdministrationTests.password + "\n")
      #expect(added.status == 0, "\(added.errors)")
    }

    func bind(_ name: String) async throws -> String {
      let bound = try await run(
        "bind", "--username", name, "--password-stdin", "--pin-stdin", "--json",
        input: "\(AdministrationTests.password)\n\(AdministrationTests.pin)\n")
      #expect(bound.status == 0, "\(bound.errors)")
      return try #require(try bound.json["kid"]?.stringValue)
    }
  }

  private func withServer(_ body: (Place) async throws -> Void) async throws {
    try await withTemporaryFolder { folder in
      let server = try await ServerProcess.start(data: folder.appending(path: "server"))
      let tool = CommandLineTool(
        home: folder.appending(path: "device"),
        environment: ["SEALRING_ADMIN_PASSWORD": ServerProcess.administratorPassword])
      let place = Place(server: server, tool: tool, folder: folder)
      try await place.add("mira")
      try await body(place)
      _ = await server.stop()
    }
  }

  @Test func `there was one administrator and no role: help desk and auditor do their work and no more`()
    async throws
  {
    try await withServer { place in
      for name in ["desk", "auditor"] { try await place.add(name) }
      let granted = try await place.run("admin", "grant", "desk", "helpdesk", "--json")
      #expect(try granted.json == ["username": "desk", "realm": "alpha", "roles": ["helpdesk"]])
      #expect(try await place.run("admin", "grant", "auditor", "auditor").status == 0)
      let list = try await place.run("admin", "list")
      #expect(
        list.output.contains("desk") && list.output.contains("helpdesk") && !list.output.contains("mira"))
      let root = try await place.run("admin", "list", "--realm", "root", "--json")
      #expect(try root.json[0]?["username"] == "amAdmin" && root.json[0]?["adminRoles"] == ["administrator"])

      let kid = try await place.bind("mira")
      #expect(
        try await place.run(as: "auditor", "audit", "list", "--json").json[0]?["device"] == .string(kid))
      #expect(try await place.run(as: "desk", "audit", "list").status == 1)
      // Somebody else's devices, of every kind.
      for name in ["auditor", "desk"] {
        let devices = try await place.run(
          as: name, "devices", "list", "--username", "mira", "--all-kinds", "--json")
        #expect(
          try devices.json[0]?["uuid"] == .string(kid) && devices.json[0]?["kind"] == "bound",
          "\(devices.errors)")
      }
      let refused = try await place.run(
        as: "auditor", "devices", "delete", kid, "--username", "mira", "--yes")
      #expect(refused.status == 1 && refused.errors.contains("403"), "\(refused.errors)")
      let deleted = try await place.run(as: "desk", "devices", "delete", kid, "--username", "mira", "--yes")
      #expect(deleted.status == 0, "\(deleted.errors)")

      let escalation = try await place.run(as: "desk", "admin", "grant", "mira", "administrator", "--json")
      #expect(
        escalation.status == 1 && escalation.errors.contains(#""code":"forbidden""#), "\(escalation.errors)")
      let last = try await place.run("admin", "revoke", "amAdmin", "administrator", "--realm", "root")
      #expect(last.status == 1 && last.errors.contains("at least one active administrator"))
      #expect(try await place.run("admin", "revoke", "auditor", "auditor").status == 0)
      #expect(try await place.run(as: "auditor", "audit", "list").status == 1)

      let events = try await place.tool.run([
        "events", "--data", place.folder.appending(path: "server").path(percentEncoded: false), "--event",
        "role.",
        "--json",
      ])
      #expect(events.output.split(separator: "\n").count == 3)
      #expect(events.output.contains("role.granted") && events.output.contains("role.revoked"))
    }
  }

  @Test func `a locked account says until when, and is unlocked over HTTP`() async throws {
    try await withServer { place in
      for _ in 1...5 {
        let wrong = try await place.run(
          "journey", "run", "Login", "--username", "mira", "--password-stdin", input: "wrong\n")
        #expect(wrong.status == 1)
      }
      for arguments in [["user", "list"], ["user", "show", "mira"]] {
        let shown = try await place.tool.run(arguments + ["--server", place.server.address])
        #expect(shown.output.contains("locked until 20"), "\(shown.output)")
      }
      let unlocked = try await place.run("user", "unlock", "mira")
      #expect(unlocked.status == 0 && unlocked.errors.contains("Unlocked"), "\(unlocked.errors)")
      #expect(try await !place.run("user", "list").output.contains("locked"))
      let again = try await place.run("user", "unlock", "mira")
      #expect(again.errors.contains("no lock"))
    }
  }

  @Test func `audit asks a server, with filters, and verifies what it sends`() async throws {
    try await withServer { place in
      let kid = try await place.bind("mira")
      let signed = try await place.run("sign", "--text", "Pay 10 EUR", "--pin-stdin", input: Self.pin + "\n")
      #expect(signed.status == 0, "\(signed.errors)")
      let data = place.folder.appending(path: "server").path(percentEncoded: false)
      let device = place.tool
      func list(_ source: [String], _ filter: [String]) async throws -> CommandLineTool.Result {
        try await device.run(["audit", "list", "--json"] + source + filter)
      }
      let remote = try await place.run("audit", "list", "--json")
      let local = try await place.tool.run(["audit", "list", "--data", data, "--json"])
      #expect(try remote.json == local.json && remote.json.arrayValue?.count == 2, "\(remote.errors)")
      for (filter, expected) in [
        (["--kind", "bind"], 1), (["--limit", "1", "--offset", "1"], 1), (["--offset", "2"], 0),
        (["--since", "1h"], 2), (["--until", "1h"], 0), (["--user", "MIRA", "--since", "2026-01-01"], 2),
      ] {
        for source in [["--server", place.server.address], ["--data", data]] {
          let result = try await list(source, filter)
          #expect(try result.json.arrayValue?.count == expected, "\(filter): \(result.errors)")
        }
      }
      // An unknown name or realm was an empty success.
      for unknown in [["--user", "noor"], ["--realm", "nowhere"]] {
        for source in [["--server", place.server.address], ["--data", data]] {
          let result = try await list(source, unknown)
          #expect(result.status == 1 && result.errors.contains(#""code":"notFound""#), "\(result.errors)")
        }
      }
      let shown = try await place.run("audit", "show", "2")
      #expect(shown.status == 0 && shown.output.contains(kid) && shown.output.contains("Pay 10 EUR"))
      let issued = try #require(shown.output.split(separator: "\n").first { $0.contains("  exp") })
      #expect(issued.contains("20") && issued.contains(":") && issued.hasSuffix(")"), "\(issued)")
      let verified = try await place.run("audit", "verify", "--json")
      #expect(
        try verified.json["valid"] == true && verified.json["entries"] == 2 && verified.json["linked"] == 1)
      #expect(try await place.run("audit", "verify", "--hashes-only").status == 0)
      #expect(try await place.run("audit", "push", "--json").json == [])
      #expect(try await place.tool.run(["audit", "verify"]).status == 64)
      #expect(try await place.run("audit", "list", "--data", data).status == 64)
      let keys = try await place.tool.run(["keys"])
      #expect(keys.output.contains("PIN") && !keys.output.contains("APPLICATION_PIN"))
    }
  }

  @Test func `journeys are listed, and a realm is created and deleted while the server runs`() async throws {
    try await withServer { place in
      let journeys = try await place.run("journey", "list")
      #expect(journeys.output.contains("SignTransaction") && journeys.output.contains("bundled Login"))
      #expect(try await place.run("realm", "create", "beta").status == 0)
      #expect(try await place.run("realm", "list").output == "root\nalpha\nbeta\n")
      let twice = try await place.run("realm", "create", "BETA", "--json")
      #expect(twice.status == 1 && twice.errors.contains(#""code":"conflict""#))
      let added = try await place.run(
        "user", "add", "noor", "--realm", "beta", "--password-stdin", input: Self.password + "\n")
      #expect(added.status == 0, "\(added.errors)")
      let signedIn = try await place.run(
        "journey", "run", "Login", "--realm", "beta", "--username", "noor", "--password-stdin",
        input: Self.password + "\n")
      #expect(signedIn.status == 0, "\(signedIn.errors)")
      let unasked = try await place.run("realm", "delete", "beta")
      #expect(unasked.status == 1 && unasked.errors.contains("--yes"))
      let full = try await place.run("realm", "delete", "beta", "--yes")
      #expect(full.status == 1 && full.errors.contains("1 accounts"), "\(full.errors)")
      #expect(try await place.run("realm", "delete", "beta", "--yes", "--force").status == 0)
      #expect(try await place.run("realm", "list").output == "root\nalpha\n")
      #expect(try await place.run("realm", "delete", "root", "--yes", "--force").status == 1)
    }
  }

  @Test func `accounts come from a file: bad lines are told by number and leave nothing`() async throws {
    try await withServer { place in
      func file(_ name: String, _ text: String) throws -> String {
        let file = place.folder.appending(path: name)
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
      let trial = try await place.run("user", "import", csv, "--dry-run", "--json")
      #expect(trial.status == 1)
      #expect(try trial.json["accounts"] == 2, "\(trial.output)")
      #expect(try trial.json["faults"]?.arrayValue?.map { $0["line"] } == [4, 5, 7, 8, 9, 10])
      #expect(try await place.run("user", "list", "--json").json.arrayValue?.count == 1, "nothing was stored")

      let stored = try await place.run("user", "import", csv)
      #expect(stored.status == 1 && stored.errors.contains("line 4: "), "\(stored.errors)")
      #expect(stored.errors.contains("Added 2 accounts") && stored.errors.contains("6 lines were not stored"))
      let users = try await place.run("user", "list", "--json").json
      #expect(users.arrayValue?.map { $0["username"] } == ["anna", "cy", "mira"])
      #expect(users[0]?["mail"] == ["anna@example.com", "a@example.org"])
      #expect(users[0]?["sn"] == "Lovelace, \"A\"\nsecond line")
      let signedIn = try await place.run(
        "journey", "run", "Login", "--username", "anna", "--password-stdin", input: "quiet meadow 1\n")
      #expect(signedIn.status == 0, "\(signedIn.errors)")

      let lines = try file(
        "people.jsonl",
        #"{"username":"gil","mail":["g@example.com"],"userpassword":"quiet meadow 1","level":3}"# + "\n[]\n\n"
          + #"{"username":"hal","pwdReset":true,"password":"quiet meadow 1"}"#)
      let more = try await place.run("user", "import", lines, "--json")
      #expect(try more.json["accounts"] == 2 && more.json["faults"]?[0]?["line"] == 2, "\(more.errors)")
      #expect(try await place.run("user", "show", "gil", "--json").json["level"] == 3)
      let unknown = try await place.run("user", "import", try file("people", "x"))
      #expect(unknown.status == 64 && unknown.errors.contains("--format"))
      let headless = try await place.run("user", "import", try file("bad.csv", "username,,\na,b,c\n"))
      #expect(headless.status == 1 && headless.errors.contains("header"))
    }
  }
}
