import CommonFixtures
import Foundation
import SealringTesting
import SigningTransactions
import StrictJSON
import Testing

/// What a person reads and types every day, on a terminal of 80 columns and 24 rows.
@Suite struct EverydayCommandTests {
  private static let payment = ["amount": "42.00", "currency": "EUR", "payee": "Bakery"] as JSONObject

  @Test func `a typo at an approval refuses nothing, and who asks and until when is shown`() async throws {
    try await CommandSetup.run { setup in
      _ = try await setup.bind()
      let id = try await setup.addApplication("Web shop").create(
        Transaction(json: Self.payment), for: "mira")
      let command = try TerminalCommand(setup.tool, ["sign", "--transaction", id] + setup.at)
      let question = await command.read(until: "(y/n): ")
      for part in [
        "mira", setup.server.address, "Payee: Bakery", "The server says", "Web shop", "left to approve",
      ] {
        #expect(question.contains(part), "\(question)")
      }
      command.type("\(CommandSetup.pin)\n")
      #expect(await command.read(until: "(y/n): ").contains("Nothing is decided yet"))
      command.type("y\n")
      let prompt = await command.read(until: "PIN: ")
      #expect(!prompt.contains("Bakery"), "what was shown once is not shown again: \(prompt)")
      #expect(prompt.contains(/Time +(1 minute|\d+ seconds)/), "what is left is said before: \(prompt)")
      command.type("\(CommandSetup.pin)\n")
      let end = await command.finish()
      #expect(end.status == 0 && end.shown.contains("Approved"), "\(end.shown)")
      let lines = (question + prompt + end.shown).split(separator: "\n")
      #expect(lines.allSatisfy { $0.count <= 80 }, "\(lines.filter { $0.count > 80 })")

      let again = try await setup.tool.run(
        ["sign", "--transaction", id, "--yes", "--pin-stdin", "--json"] + setup.at,
        input: CommandSetup.pin + "\n")
      #expect(again.status == 1)
      let error = try JSONValue(parsing: again.errors.split(separator: "\n").last.map(String.init) ?? "")
      #expect(error["error"]?["code"] == "conflict", "\(again.errors)")
    }
  }

  @Test func `an enrolment that is broken off stands in nobody's way`() async throws {
    try await CommandSetup.run { setup in
      let register = ["journey", "run", "OathRegister", "--username", "mira", "--password-stdin"] + setup.at
      let command = try setup.tool.start(register, input: CommandSetup.password + "\n")
      _ = await command.remark(/Enrolled for one-time codes/)
      command.send(SIGKILL)
      _ = await command.finish()
      let left = try await setup.tool.run(["oath", "list", "--json"]).json
      #expect(left.arrayValue?.count == 1, "\(left)")
      // Whether the server has seen the code or not: what is there makes the code, or is replaced.
      let again = try await setup.tool.run(register, input: CommandSetup.password + "\n")
      #expect(again.status == 0, "\(again.errors)")
      let list = try await setup.tool.run(["oath", "list", "--json"]).json
      #expect(list.arrayValue?.count == 1 && list[0]?["proven"] == true, "\(list)")
    }
  }

  @Test func `a code that does not fit the terminal is not drawn`() async throws {
    try await withTemporaryFolder { folder in
      let tool = CommandLineTool(home: folder)
      let uri = "pushauth://push/Sealring:mira?" + String(repeating: "s=abcdefghij&", count: 30)
      let small = try await TerminalCommand(tool, ["push", "qr", uri]).finish()
      #expect(small.status == 1 && small.shown.contains("--png"), "\(small.shown)")
      #expect(!small.shown.contains("▀"))
      let large = try await TerminalCommand(tool, ["push", "qr", uri], size: (200, 100)).finish()
      #expect(large.status == 0 && large.shown.contains("▀"))
      let png = folder.appending(path: "code.png").path(percentEncoded: false)
      let written = try await tool.run(["push", "qr", uri, "--png", png])
      #expect(written.status == 0 && written.errors.contains("Wrote the code to"), "\(written.errors)")
      let twice = try await tool.run(["push", "qr", uri, "--png", png, "--json"])
      #expect(twice.status == 1 && twice.errors.contains("\"conflict\""), "\(twice.errors)")
    }
  }

  @Test func `no words of the frameworks: a port in use, a file that is not there`() async throws {
    try await CommandSetup.run { setup in
      let port = try #require(URL(string: setup.server.address)?.port)
      let second = try await setup.tool.run([
        "serve", "--port", "\(port)", "--data",
        setup.folder.appending(path: "other").path(percentEncoded: false),
      ])
      #expect(second.status == 1 && second.errors.contains("Address already in use."), "\(second.errors)")
      #expect(!second.errors.contains("bind(") && !second.errors.contains("errno"), "\(second.errors)")
      let missing = try await setup.tool.run(["journey", "check", "/nowhere.json"])
      #expect(missing.errors.contains("No such file or directory."), "\(missing.errors)")
      let realm = try await setup.tool.run(
        ["journey", "run", "Login", "--realm", "nope", "--json"] + setup.at)
      #expect(!realm.errors.contains("..") && realm.errors.contains("\"notFound\""), "\(realm.errors)")
      let down = try await setup.tool.run(
        ["journey", "run", "Login", "--server", "http://127.0.0.1:9/am", "--json"])
      #expect(down.errors.contains("\"unreachable\""), "\(down.errors)")
    }
  }
}
