import CommonFixtures
import Foundation
import StrictJSON
import Testing

/// Questions at a terminal of 80 columns and 24 rows: what is asked, what an answer does, and what is left behind.
@Suite struct QuestionCommandTests {
  @Test func `Ctrl-D at a PIN says that no PIN was entered, and nothing of keys and transactions`()
    async throws
  {
    try await CommandSetup.run { setup in
      try await setup.bind()
      let command = try TerminalCommand(setup.tool, ["sign"] + setup.at)
      _ = await command.read(until: "PIN: ")
      command.type("\u{4}")
      let end = await command.finish()
      #expect(end.status == 1 && end.shown.contains("Cancelled: no PIN was entered."), "\(end.shown)")
      #expect(!end.shown.contains("chosen") && !end.shown.contains("approved"))
    }
  }

  @Test func `a one-time-code credential is not deleted unasked`() async throws {
    try await withTemporaryFolder { folder in
      let tool = CommandLineTool(home: folder)
      let added = try await tool.run(
        ["oath", "add", "-", "--json"],
        input: "otpauth://totp/Bank:ada?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ\n")
      let id = try #require(try added.json["id"]?.stringValue)
      let unasked = try await tool.run(["oath", "delete", id])
      #expect(unasked.status == 1 && unasked.errors.contains("--yes"), "\(unasked.errors)")
      let command = try TerminalCommand(tool, ["oath", "delete", id])
      #expect(await command.read(until: "(y/n): ").contains("ada at Bank"))
      command.type("n\n")
      #expect(await command.finish().status == 1)
      #expect(try await tool.run(["oath", "list", "--json"]).json.arrayValue?.count == 1)
      #expect(try await tool.run(["oath", "delete", id, "--yes"]).status == 0)
    }
  }

  @Test
  func `a journey enrols this device for codes only when the person says so, and shows the code otherwise`()
    async throws
  {
    try await CommandSetup.run { setup in
      let register =
        ["journey", "run", "OathRegister", "--username", "mira"] + setup.at
      let elsewhere = try TerminalCommand(setup.tool, register, size: (200, 100))
      _ = await elsewhere.read(until: "Password for mira: ")
      elsewhere.type(CommandSetup.password + "\n")
      _ = await elsewhere.read(until: "Enrol this device? (y/n): ")
      elsewhere.type("maybe\n")
      _ = await elsewhere.read(until: "Nothing is decided yet (y/n): ")
      elsewhere.type("n\n")
      let shown = await elsewhere.read(until: "Enter verification code: ")
      #expect(shown.contains("▀") && shown.contains("otpauth://totp/"), "\(shown)")
      let other = CommandLineTool(home: setup.folder.appending(path: "other"))
      let address = try #require(shown.firstMatch(of: /otpauth:\/\/\S+/)?.0)
      #expect(try await other.run(["oath", "add", "-"], input: "\(address)\n").status == 0)
      let code = try await other.run(["oath", "code"]).output
      elsewhere.type(code)
      let end = await elsewhere.finish()
      #expect(end.status == 0 && end.shown.contains("Recovery codes, shown once."), "\(end.shown)")
      #expect(try await setup.tool.run(["oath", "list", "--json"]).json == [])
    }
  }

  @Test func `a new password is looked at before it is typed again, and twice the same is needed`()
    async throws
  {
    try await CommandSetup.run { setup in
      let command = try TerminalCommand(setup.tool, ["user", "add", "jonas"] + setup.at)
      _ = await command.read(until: "Password for jonas: ")
      command.type("short\n")
      let again = await command.read(until: ": ")
      #expect(again.contains("8") && again.hasSuffix("Password for jonas: "), "\(again)")
      command.type("tulips in march\n")
      _ = await command.read(until: "The same again: ")
      command.type("tulips in mars\n")
      #expect(await command.read(until: "jonas: ").contains("The two passwords differ."))
      command.type("tulips in march\n")
      _ = await command.read(until: "The same again: ")
      command.type("tulips in march\n")
      let end = await command.finish()
      #expect(end.status == 0, "\(end.shown)")
      let signedIn = try await setup.run(
        ["journey", "run", "Login", "--username", "jonas", "--password-stdin"], input: "tulips in march\n")
      #expect(signedIn.status == 0, "\(signedIn.errors)")
    }
  }

  @Test func `a new PIN that is too short is refused before it is typed again`() async throws {
    try await CommandSetup.run { setup in
      let command = try TerminalCommand(
        setup.tool, ["bind", "--username", "mira", "--store", "software"] + setup.at)
      _ = await command.read(until: "Password for mira: ")
      command.type(CommandSetup.password + "\n")
      _ = await command.read(until: "New PIN: ")
      command.type("1234\n")
      #expect(await command.read(until: "PIN: ").contains("too short"))
      command.type(CommandSetup.pin + "\n")
      _ = await command.read(until: "again: ")
      command.type(CommandSetup.pin + "\n")
      let end = await command.finish()
      #expect(end.status == 0, "\(end.shown)")
    }
  }

  @Test func `a wrong number is asked for again in push listen, and the right one then approves`()
    async throws
  {
    try await PushScene.run { scene in
      try await scene.enrol()
      let listening = try TerminalCommand(scene.device, ["push", "listen", "--once"])
      _ = await listening.read(until: "Ctrl-C ends.")
      let signIn = try scene.signIn("PushNumber")
      let question = await listening.read(until: "n and why: ")
      let right = try #require(
        await signIn.remark(/Choose (\d{1,2}) on/).flatMap { Int($0.1) },
        "the page shows a number")
      let numbers = try #require(question.firstMatch(of: /\((\d+), (\d+), (\d+)\)/))
      let wrong = try #require(
        [numbers.1, numbers.2, numbers.3].compactMap { Int($0) }.first { $0 != right })
      listening.type("\(wrong)\n")
      let again = await listening.read(until: "n and why: ")
      #expect(again.contains("Look again") && !again.contains("400"), "\(again)")
      listening.type("\(right)\n")
      let end = await listening.finish()
      #expect(end.status == 0 && end.shown.contains("Approved"), "\(end.shown)")
      #expect(await signIn.finish().status == 0)
    }
  }

  @Test func `errors and questions fit 80 columns on a terminal, and are one line elsewhere`() async throws {
    try await withTemporaryFolder { folder in
      let tool = CommandLineTool(home: folder)
      let arguments = ["journey", "run", "Login", "--server", "http://127.0.0.1:9/am"]
      let shown = await (try TerminalCommand(tool, arguments)).finish().shown
      let lines = shown.split(separator: "\n")
      #expect(lines.count > 1 && lines.allSatisfy { $0.count <= 80 }, "\(shown)")
      let piped = try await tool.run(arguments)
      #expect(piped.errors.split(separator: "\n").count == 1, "\(piped.errors)")
      #expect(lines.joined(separator: " ") == piped.errors.trimmingCharacters(in: .newlines))
    }
  }
}
