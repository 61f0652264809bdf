import CommonFixtures
import Foundation
import StrictJSON
import Testing

/// What all commands have in common: names, version, failures, deleting, and sessions that end with the command.
@Suite struct CommandFrameTests {
  @Test(arguments: [
    (["help", "nope"], "sealring has no command 'nope'."),
    (["serv"], "Did you mean 'serve'?"), (["nope", "--help"], "sealring has no command 'nope'"),
    (["keys", "nope", "--help"], "sealring keys has no command 'nope'."),
    (["help", "keys", "nope"], "sealring keys has no command 'nope'."),
    (["bind", "--hlep"], "sealring bind has no option '--hlep'. Did you mean '--help'?"),
    (["audit", "verify", "--ledgr=x"], "Did you mean '--ledger'?"),
    (["keys", "--jsn"], "Did you mean '--json'?"), (["user", "lst"], "Did you mean 'list'?"),
    (["push", "credentials", "delet"], "Did you mean 'delete'?"),
  ])
  func `a command or option that is not there is named with the one that was meant`(
    arguments: [String], said: String
  )
    async throws
  {
    try await withTemporaryFolder { folder in
      let tool = CommandLineTool(home: folder, environment: [:])
      let result = try await tool.run(arguments)
      #expect(result.status == 64 && result.errors.contains(said), "\(result.errors)")
      let asJSON = try await tool.run(arguments + ["--json"])
      let error = try JSONValue(parsing: Array(asJSON.errors.utf8))["error"]
      #expect(asJSON.status == 64 && error?["code"] == "usage")
      #expect(error?["message"]?.stringValue?.contains(said) == true)
    }
  }

  /// One in 64 ids in base64url does; the first has the letter of the help in it.
  @Test(arguments: [
    ["passkey", "delete", "-zh8s15bJSU0VvdMyiE0fA", "--yes", "--local"],
    [
      "passkey", "delete", "--yes", "--local", "--journey", "Login",
      "-X8s15bJSU0VvdMyiE0fJXhjUEPDsgPtwZUOi7FVncE",
    ],
    ["passkey", "delete", "--yes", "--local", "--", "-X8s15bJSU0VvdMyiE0fJXhjUEPDsgPtwZUOi7FVncE"],
  ])
  func `an id may begin with a hyphen`(arguments: [String]) async throws {
    try await withTemporaryFolder { folder in
      let result = try await CommandLineTool(home: folder, environment: [:]).run(arguments)
      let id = try #require(arguments.first { $0.hasPrefix("-") && $0.count >= 22 })
      #expect(
        result.status == 1 && result.errors.contains("There is no WebAuthn key \(id)"), "\(result.errors)")
      #expect(result.output.isEmpty)
    }
  }

  @Test func `what is too short to be an id is an option, and a value stays with its option`() async throws {
    try await withTemporaryFolder { folder in
      let tool = CommandLineTool(home: folder, environment: [:])
      #expect(try await tool.run(["passkey", "delete", "-X", "--yes", "--local"]).status == 64)
      let ledger = try await tool.run([
        "audit", "verify", "--ledger", "-X8s15bJSU0VvdMyiE0fJXhjUEPDsgPtwZUOi7FVncE", "nothing here",
      ])
      #expect(ledger.status == 1 && ledger.errors.contains("nothing here cannot be read"), "\(ledger.errors)")
    }
  }

  @Test func `help and version are answered`() async throws {
    try await withTemporaryFolder { folder in
      let tool = CommandLineTool(home: folder, environment: [:])
      let version = try await tool.run(["--version"])
      #expect(version.status == 0 && version.output.hasPrefix("sealring "))
      for arguments in [["help", "user", "add"], ["user", "add", "--help"]] {
        let help = try await tool.run(arguments)
        #expect(help.status == 0 && help.output.contains("Add an account."), "\(help.errors)")
      }
    }
  }

  @Test func `failures have a code for programs`() async throws {
    try await withTemporaryFolder { folder in
      let server = try await LocalServer.start(data: folder.appending(path: "server"))
      let tool = CommandLineTool(
        home: folder.appending(path: "client"),
        environment: ["SEALRING_ADMIN_PASSWORD": LocalServer.administratorPassword])
      func code(_ arguments: [String], of tool: CommandLineTool) async throws -> String? {
        let result = try await tool.run(arguments + ["--json"])
        #expect(result.status == 1 && result.output.isEmpty)
        return try JSONValue(parsing: Array(result.errors.utf8))["error"]?["code"]?.stringValue
      }
      let wrong = CommandLineTool(
        home: folder.appending(path: "other"), environment: ["SEALRING_ADMIN_PASSWORD": "nothing of that"])
      let nowhere = "http://127.0.0.1:9/am"
      #expect(try await code(["user", "show", "nobody", "--server", server.address], of: tool) == "notFound")
      #expect(try await code(["user", "list", "--server", server.address], of: wrong) == "refused")
      #expect(try await code(["user", "list", "--server", nowhere], of: tool) == "unreachable")
      try await server.stop()
    }
  }

  @Test func `nothing is deleted that nobody has confirmed`() async throws {
    try await withTemporaryFolder { folder in
      let server = try await LocalServer.start(data: folder.appending(path: "server"))
      let tool = CommandLineTool(
        home: folder.appending(path: "client"),
        environment: ["SEALRING_ADMIN_PASSWORD": LocalServer.administratorPassword])
      let place = ["--server", server.address]
      let added = try await tool.run(
        ["user", "add", "mira", "--password-stdin"] + place, input: "tulips in march\n")
      #expect(added.status == 0, "\(added.errors)")
      let unasked = try await tool.run(["user", "delete", "mira"] + place)
      #expect(unasked.status == 1 && unasked.errors.contains("--yes"), "\(unasked.errors)")
      #expect(try await tool.run(["user", "show", "mira"] + place).status == 0)
      #expect(try await tool.run(["user", "delete", "mira", "--yes"] + place).status == 0)
      #expect(try await tool.run(["user", "show", "mira"] + place).status == 1)
      try await server.stop()
    }
  }

  @Test func `an administrator changes password and status and leaves no session behind`() async throws {
    try await withTemporaryFolder { folder in
      let server = try await LocalServer.start(data: folder.appending(path: "server"))
      let tool = CommandLineTool(
        home: folder.appending(path: "client"),
        environment: ["SEALRING_ADMIN_PASSWORD": LocalServer.administratorPassword])
      let place = ["--server", server.address]
      func signIn(_ password: String) async throws -> Int32 {
        try await tool.run(
          ["journey", "run", "Login", "--username", "mira", "--password-stdin"] + place,
          input: password + "\n"
        ).status
      }
      func run(_ arguments: [String], input: String = "") async throws {
        let result = try await tool.run(["user"] + arguments + place, input: input)
        #expect(result.status == 0, "\(arguments): \(result.errors)")
      }
      try await run(
        ["add", "mira", "--mail", "m@example.com", "--password-stdin"], input: "tulips in march\n")
      let taken = try await tool.run(["user", "add", "mira"] + place)
      #expect(taken.status == 1 && taken.errors.contains("already"), "\(taken.errors)")
      #expect(try await signIn("tulips in march") == 0)
      try await run(["passwd", "mira", "--password-stdin"], input: "crocus in april\n")
      #expect(try await signIn("tulips in march") == 1)
      #expect(try await signIn("crocus in april") == 0)
      try await run(["disable", "mira"])
      #expect(try await signIn("crocus in april") == 1)
      try await run(["enable", "mira"])
      #expect(try await signIn("crocus in april") == 0)
      let shown = try await tool.run(["user", "show", "mira", "--json"] + place)
      #expect(try shown.json["mail"]?[0] == "m@example.com", "an update keeps what it does not name")
      let events = try await tool.run([
        "events", "--json", "--data", folder.appending(path: "server").path(percentEncoded: false),
      ])
      let lines = events.output.split(separator: "\n").compactMap { try? JSONValue(parsing: Array($0.utf8)) }
      let kinds = lines.compactMap { $0["event"]?.stringValue ?? $0["kind"]?.stringValue }
      let began = kinds.count { $0 == "sign-in.succeeded" }
      let ended = kinds.count { $0 == "session.ended" }
      #expect(began > 5 && began == ended, "\(began) sessions began, \(ended) ended")
      try await server.stop()
    }
  }
}
