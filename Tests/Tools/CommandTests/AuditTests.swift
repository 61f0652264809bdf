import Foundation
import StrictJSON
import Testing

/// `sealring audit`, beside a server that runs and one that has stopped.
@Suite struct AuditTests {
  @Test func `list, show, export and verify tell the same story, while the server runs and after`()
    async throws
  {
    try await CommandSetup.run { setup in
      let kid = try await setup.bind().json["kid"]
      #expect(try await setup.sign("Pay 10 EUR").status == 0)

      let list = try await setup.audit("list", "--data", setup.data, "--user", "MIRA", "--json")
      let entries = try #require(try list.json.arrayValue, "\(list.errors)")
      #expect(entries.map { $0["kind"] } == ["sign", "bind"])
      #expect(entries.allSatisfy { $0["device"] == kid && $0["username"] == "mira" })
      #expect(entries[0]["journey"] == "SignTransaction" && entries[1]["journey"] == "BindDevice")
      #expect(
        try await setup.audit("list", "--data", setup.data, "--limit", "1", "--json").json.arrayValue?.count
          == 1)
      let unknown = try await setup.audit("list", "--data", setup.data, "--user", "noor")
      #expect(unknown.status == 1 && unknown.errors.contains("no account noor"))

      let shown = try await setup.audit("show", "--data", setup.data, "2", "--json")
      #expect(
        try shown.json["claims"]?["challenge"] == "Pay 10 EUR" && shown.json["claims"]?["amount"] == "10")
      #expect(try shown.json["header"]?["kid"] == kid && shown.json["verified"] == true)
      let text = try await setup.audit("show", "--data", setup.data, "2")
      let day = try #require(entries[0]["time"]?.stringValue?.prefix(10))
      #expect(text.output.contains(day))
      #expect(text.output.contains("Pay 10 EUR") && text.output.contains("verifies with the recorded key"))
      // What the application signed beside the text is not what the person read.
      #expect(text.output.contains("\nadded    amount 10 (by the application)\n"), "\(text.output)")
      #expect(try await setup.audit("show", "--data", setup.data, "3").status == 1)

      let exported = try await setup.audit("export", "--data", setup.data, setup.path("one"), "--json")
      #expect(try exported.json["entries"] == 2)
      let ledger = try #require(try exported.json["ledger"]?.stringValue)
      let verified = try await setup.audit("verify", setup.path("one"), "--ledger", ledger)
      #expect(verified.status == 0 && verified.errors.isEmpty, "\(verified.errors)")
      #expect(verified.output.contains("2 entries, complete and unchanged; every signature verifies."))

      #expect(try await setup.sign("Pay 20 EUR").status == 0)
      try await setup.server.stop()
      // A server that is down leaves no write-ahead log; the archive opens all the same.
      #expect(try await setup.audit("export", "--data", setup.data, setup.path("two")).status == 0)
      let later = try await setup.audit(
        "verify", setup.path("two"), "--ledger", ledger, "--continues", setup.path("one"), "--json")
      #expect(try later.json["entries"] == 3 && later.json["valid"] == true)
      let older = try await setup.audit("verify", setup.path("one"), "--continues", setup.path("two"))
      #expect(older.status == 1 && older.errors.contains("entry 3"))
    }
  }

  @Test func `an export is compared with the ledger that the server has had from its beginning`() async throws
  {
    try await CommandSetup.run { setup in
      _ = try await setup.bind()
      let file = setup.path("one")
      #expect(try await setup.audit("export", "--data", setup.data, file).status == 0)
      let own = try await setup.audit("verify", file, "--data", setup.data)
      #expect(own.status == 0, "\(own.errors)")
      let noted = try await setup.audit(
        "verify", file, "--data", setup.data, "--ledger", String(repeating: "A", count: 43))
      #expect(noted.status == 1 && noted.errors.contains("--ledger"))
      try await setup.server.stop()
      // Somebody has exchanged the ledger for one of their own.
      let mark = URL(filePath: setup.data).appending(path: "ledger.mark")
      let text = try String(contentsOf: mark, encoding: .utf8)
      try Data(text.replacing(#""ledger":"#, with: #""ledge":"#).utf8).write(to: mark)
      for words in [
        ["verify", file, "--data", setup.data], ["export", "--data", setup.data, setup.path("two")],
      ] {
        let refused = try await setup.tool.run(["audit"] + words)
        #expect(refused.status == 1 && refused.errors.contains("ledger.mark"), "\(refused.errors)")
      }
    }
  }

  @Test func `an export replaces nothing unasked, and is its owner's alone`() async throws {
    try await CommandSetup.run { setup in
      let file = setup.path("export")
      #expect(try await setup.audit("export", "--data", setup.data, file).status == 0)
      let attributes = try FileManager.default.attributesOfItem(atPath: file)
      #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
      let again = try await setup.audit("export", "--data", setup.data, file)
      #expect(again.status == 1 && again.errors.contains("--force"))
      #expect(try await setup.audit("export", "--data", setup.data, file, "--force").status == 0)
      let nowhere = try await setup.audit("export", "--data", setup.data, setup.path("no/where"))
      #expect(nowhere.status == 1 && nowhere.errors.contains("no/where"))
      let left = try FileManager.default.contentsOfDirectory(atPath: setup.folder.path(percentEncoded: false))
      #expect(left.allSatisfy { !$0.hasSuffix(".part") })
      let elsewhere = try await setup.audit("list", "--data", setup.path("nothing"))
      #expect(elsewhere.status == 1 && elsewhere.errors.contains("--data"))
      try await setup.server.stop()
    }
  }

  @Test func `a bad export exits 1 and names the entry`() async throws {
    try await CommandSetup.run { setup in
      _ = try await setup.bind()
      for number in 1...3 { #expect(try await setup.sign("Pay \(number) EUR").status == 0) }
      try await setup.server.stop()
      let file = setup.path("export")
      #expect(try await setup.audit("export", "--data", setup.data, file).status == 0)
      let lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").map(String.init)
      #expect(lines.count == 6)
      let header = lines[0], checkpoint = lines[5]
      let cases: [(name: String, lines: [String], entry: String)] = [
        (
          "changed",
          [header, lines[1], lines[2].replacing("SignTransaction", with: "SignTransactiom")] + lines[3...],
          "entry 2"
        ),
        ("removed", [header, lines[1], lines[3], lines[4], checkpoint], "entry 2"),
        ("removed", [header, lines[1], lines[2], lines[3], checkpoint], "entry 4"),
        ("reordered", [header, lines[1], lines[3], lines[2], lines[4], checkpoint], "entry 2"),
        ("cut", [header, lines[1], lines[2]], "entry 3"),
      ]
      for (name, lines, entry) in cases {
        try (lines.joined(separator: "\n") + "\n").write(toFile: file, atomically: true, encoding: .utf8)
        let result = try await setup.audit("verify", file)
        #expect(result.status == 1 && result.output.isEmpty)
        #expect(result.errors.contains("\(entry) is bad (\(name))"), "\(result.errors)")
        let json = try await setup.audit("verify", file, "--json")
        #expect(json.status == 1)
        #expect(try json.json["valid"] == false && json.json["kind"] == .string(name))
      }
      let piped = try await setup.tool.run(
        ["audit", "verify", "-"], input: lines.joined(separator: "\n") + "\n")
      #expect(piped.status == 0, "\(piped.errors)")
      #expect(try await setup.audit("verify", setup.path("missing")).status == 1)
      #expect(try await setup.audit("verify", file, "--ledger", "short").status == 64)
    }
  }
}
