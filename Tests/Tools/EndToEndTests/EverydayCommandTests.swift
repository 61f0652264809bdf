import CommonFixtures
import Foundation
import SealringTesting
import SigningTransactions
import StrictJSON
import Testing

/// What a person reads and types every day, on a terminal of 80 columns and 24 rows.
@Suite struct EverydayCommandTests {
  private static let password = "Correct horse battery 1"
  private static let pin = "271828"

  private struct Desk {
    let server: ServerProcess
    let tool: CommandLineTool
    let folder: URL

    var at: [String] { ["--server", server.address] }

    func bind() async throws -> CommandLineTool.Result {
      try await tool.run(
        ["bind", "--username", "mira", "--password-stdin", "--pin-stdin", "--json"] + at,
        input: "\(EverydayCommandTests.password)\n\(EverydayCommandTests.pin)\n")
    }

    func transaction(expiresIn seconds: Int64? = nil) async throws -> String {
      let added = try await tool.run(["app", "add", "Web shop", "--json"] + at).json
      let shop = TestApplication(
        id: added["id"]?.stringValue ?? "", secret: added["secret"]?.stringValue ?? "",
        address: server.address)
      return try await shop.create(
        Transaction(json: ["amount": "42.00", "currency": "EUR", "payee": "Bakery"]), for: "mira")
    }
  }

  private func withDesk(_ body: (Desk) async throws -> Void) async throws {
    try await withTemporaryFolder { folder in
      let server = try await ServerProcess.start(data: folder.appending(path: "server"))
      let tool = CommandLineTool(
        home: folder.appending(path: "device"),
        environment: ["SEALRING_ADMIN_PASSWORD": ServerProcess.administratorPassword])
      let added = try await tool.run(
        ["user", "add", "mira", "--server", server.address, "--password-stdin", "--json"],
        input: Self.password + "\n")
      #expect(added.status == 0, "\(added.errors)")
      #expect(try added.json["added"] == true)
      try await body(Desk(server: server, tool: tool, folder: folder))
      _ = await server.stop()
    }
  }

  @Test func `binding again says what it replaces, and leaves no record of it on the server`() async throws {
    try await withDesk { desk in
      let first = try await desk.bind()
      #expect(first.status == 0, "\(first.errors)")
      let old = try #require(try first.json["kid"]?.stringValue)
      let second = try await desk.bind()
      #expect(second.status == 0, "\(second.errors)")
      #expect(second.errors.contains("This replaces the key \(old) of mira"), "\(second.errors)")
      #expect(try second.json["replaced"] == [["kid": .string(old), "record": "deleted"]])
      let listed = try await desk.tool.run(
        ["devices", "list", "--username", "mira", "--password-stdin", "--json"] + desk.at,
        input: Self.password + "\n")
      #expect(try listed.json.arrayValue?.count == 1, "\(listed.output)")
      let signed = try await desk.tool.run(
        ["sign", "--username", "mira", "--pin-stdin", "--json"] + desk.at, input: Self.pin + "\n")
      #expect(signed.status == 0, "\(signed.errors)")
      #expect(try signed.json["kid"] == second.json["kid"])
    }
  }

  @Test func `a sign-in says who, which key and which evidence, and a wrong PIN what is left`() async throws {
    try await withDesk { desk in
      let bound = try await desk.bind()
      let signed = try await desk.tool.run(["sign", "--pin-stdin"] + desk.at, input: Self.pin + "\n")
      #expect(signed.status == 0, "\(signed.errors)")
      for part in ["mira", try bound.json["kid"]?.stringValue ?? "?", "of the server's ledger"] {
        #expect(signed.errors.contains(part), "\(signed.errors)")
      }
      let wrong = try await desk.tool.run(["sign", "--pin-stdin", "--json"] + desk.at, input: "111222\n")
      #expect(wrong.status == 1)
      let error = try JSONValue(parsing: wrong.errors.trimmingCharacters(in: .newlines))
      #expect(error["error"]?["code"] == "wrongSecret", "\(wrong.errors)")
      #expect(wrong.errors.contains("9 tries left before this key is disabled"), "\(wrong.errors)")
      #expect(try await desk.tool.run(["keys", "--json"]).json[0]?["pinTriesLeft"] == 9)
    }
  }

  @Test func `a typo at an approval refuses nothing, and who asks and until when is shown`() async throws {
    try await withDesk { desk in
      _ = try await desk.bind()
      let id = try await desk.transaction()
      let command = try TerminalCommand(desk.tool, ["sign", "--transaction", id] + desk.at)
      let question = await command.read(until: "(y/n): ")
      for part in [
        "mira", desk.server.address, "Payee: Bakery", "The server says", "Web shop", "left to approve",
      ] {
        #expect(question.contains(part), "\(question)")
      }
      command.type("\(Self.pin)\n")
      #expect(await command.read(until: "(y/n): ").contains("Nothing is decided yet"))
      command.type("y\n")
      let prompt = await command.read(until: "PIN: ")
      #expect(!prompt.contains("Bakery"), "what was shown once is not shown again: \(prompt)")
      #expect(prompt.contains(/Time +(1 minute|\d+ seconds)/), "what is left is said before: \(prompt)")
      command.type("\(Self.pin)\n")
      let end = await command.finish()
      #expect(end.status == 0 && end.shown.contains("Approved"), "\(end.shown)")
      let lines = (question + prompt + end.shown).split(separator: "\n")
      #expect(lines.allSatisfy { $0.count <= 80 }, "\(lines.filter { $0.count > 80 })")

      let again = try await desk.tool.run(
        ["sign", "--transaction", id, "--yes", "--pin-stdin", "--json"] + desk.at, input: Self.pin + "\n")
      #expect(again.status == 1)
      let error = try JSONValue(parsing: again.errors.split(separator: "\n").last.map(String.init) ?? "")
      #expect(error["error"]?["code"] == "conflict", "\(again.errors)")
    }
  }

  @Test func `an enrolment whose code is wrong stores nothing, and a name is no code`() async throws {
    try await withDesk { desk in
      func devices() async throws -> JSONValue {
        let list = try await desk.tool.run(
          ["devices", "list", "--kind", "oath", "--username", "mira", "--password-stdin", "--json"] + desk.at,
          input: Self.password + "\n")
        #expect(list.status == 0, "\(list.errors)")
        return try list.json
      }
      let register = ["journey", "run", "OathRegister", "--username", "mira", "--password-stdin"] + desk.at
      let wrong = try await desk.tool.run(register + ["--otp-stdin"], input: "\(Self.password)\n000000\n")
      #expect(wrong.status == 1, "\(wrong.errors)")
      #expect(try await devices() == [])
      #expect(try await desk.tool.run(["oath", "list", "--json"]).json == [], "a device kept it")
      let again = try await desk.tool.run(register, input: Self.password + "\n")
      #expect(again.status == 0, "\(again.errors)")
      #expect(try await devices().arrayValue?.count == 1)
      #expect(try await desk.tool.run(["oath", "list", "--json"]).json[0]?["proven"] == true)
    }
  }

  @Test func `an enrolment that is broken off stands in nobody's way`() async throws {
    try await withDesk { desk in
      let register = ["journey", "run", "OathRegister", "--username", "mira", "--password-stdin"] + desk.at
      let command = try desk.tool.start(register, input: Self.password + "\n")
      _ = await command.remark(/Enrolled for one-time codes/)
      command.send(SIGKILL)
      _ = await command.finish()
      let left = try await desk.tool.run(["oath", "list", "--json"]).json
      #expect(left.arrayValue?.count == 1, "\(left)")
      // Whether the server has seen the code or not: what is there makes the code, or is replaced.
      let again = try await desk.tool.run(register, input: Self.password + "\n")
      #expect(again.status == 0, "\(again.errors)")
      let list = try await desk.tool.run(["oath", "list", "--json"]).json
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
    try await withDesk { desk in
      let port = try #require(URL(string: desk.server.address)?.port)
      let second = try await desk.tool.run([
        "serve", "--port", "\(port)", "--data",
        desk.folder.appending(path: "other").path(percentEncoded: false),
      ])
      #expect(second.status == 1 && second.errors.contains("Address already in use."), "\(second.errors)")
      #expect(!second.errors.contains("bind(") && !second.errors.contains("errno"), "\(second.errors)")
      let missing = try await desk.tool.run(["journey", "check", "/nowhere.json"])
      #expect(missing.errors.contains("No such file or directory."), "\(missing.errors)")
      let realm = try await desk.tool.run(
        ["journey", "run", "Login", "--realm", "nope", "--json"] + desk.at)
      #expect(!realm.errors.contains("..") && realm.errors.contains("\"notFound\""), "\(realm.errors)")
      let down = try await desk.tool.run(
        ["journey", "run", "Login", "--server", "http://127.0.0.1:9/am", "--json"])
      #expect(down.errors.contains("\"unreachable\""), "\(down.errors)")
    }
  }
}
