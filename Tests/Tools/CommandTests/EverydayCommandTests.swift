import Foundation
import StrictJSON
import Testing

/// What a person reads every day.
@Suite struct EverydayCommandTests {
  @Test func `binding again says what it replaces, and leaves no record of it on the server`() async throws {
    try await CommandSetup.run { setup in
      let first = try await setup.bind()
      #expect(first.status == 0, "\(first.errors)")
      let old = try #require(try first.json["kid"]?.stringValue)
      let second = try await setup.bind()
      #expect(second.status == 0, "\(second.errors)")
      #expect(second.errors.contains("This replaces the key \(old) of mira"), "\(second.errors)")
      #expect(try second.json["replaced"] == [["kid": .string(old), "record": "deleted"]])
      let listed = try await setup.tool.run(
        ["devices", "list", "--username", "mira", "--password-stdin", "--json"] + setup.at,
        input: CommandSetup.password + "\n")
      #expect(try listed.json.arrayValue?.count == 1, "\(listed.output)")
      let signed = try await setup.tool.run(
        ["sign", "--username", "mira", "--pin-stdin", "--json"] + setup.at, input: CommandSetup.pin + "\n")
      #expect(signed.status == 0, "\(signed.errors)")
      #expect(try signed.json["kid"] == second.json["kid"])
    }
  }

  @Test func `a sign-in says who, which key and which evidence, and a wrong PIN what is left`() async throws {
    try await CommandSetup.run { setup in
      let bound = try await setup.bind()
      let signed = try await setup.tool.run(
        ["sign", "--pin-stdin"] + setup.at, input: CommandSetup.pin + "\n")
      #expect(signed.status == 0, "\(signed.errors)")
      for part in ["mira", try bound.json["kid"]?.stringValue ?? "?", "of the server's ledger"] {
        #expect(signed.errors.contains(part), "\(signed.errors)")
      }
      let wrong = try await setup.tool.run(["sign", "--pin-stdin", "--json"] + setup.at, input: "111222\n")
      #expect(wrong.status == 1)
      let error = try JSONValue(parsing: wrong.errors.trimmingCharacters(in: .newlines))
      #expect(error["error"]?["code"] == "wrongSecret", "\(wrong.errors)")
      #expect(wrong.errors.contains("9 tries left before this key is disabled"), "\(wrong.errors)")
      #expect(try await setup.tool.run(["keys", "--json"]).json[0]?["pinTriesLeft"] == 9)
    }
  }

  @Test func `an enrolment whose code is wrong stores nothing, and a name is no code`() async throws {
    try await CommandSetup.run { setup in
      func devices() async throws -> JSONValue {
        let list = try await setup.tool.run(
          ["devices", "list", "--kind", "oath", "--username", "mira", "--password-stdin", "--json"]
            + setup.at,
          input: CommandSetup.password + "\n")
        #expect(list.status == 0, "\(list.errors)")
        return try list.json
      }
      let register = ["journey", "run", "OathRegister", "--username", "mira", "--password-stdin"] + setup.at
      let wrong = try await setup.tool.run(
        register + ["--otp-stdin"], input: "\(CommandSetup.password)\n000000\n")
      #expect(wrong.status == 1, "\(wrong.errors)")
      #expect(try await devices() == [])
      #expect(try await setup.tool.run(["oath", "list", "--json"]).json == [], "a device kept it")
      let again = try await setup.tool.run(register, input: CommandSetup.password + "\n")
      #expect(again.status == 0, "\(again.errors)")
      #expect(try await devices().arrayValue?.count == 1)
      #expect(try await setup.tool.run(["oath", "list", "--json"]).json[0]?["proven"] == true)
    }
  }

  @Test
  func `the tenth wrong PIN removes the key and says what to do: delete the old record, then bind again`()
    async throws
  {
    try await CommandSetup.run { setup in
      try await setup.bind()
      func sign() async throws -> CommandResult {
        try await setup.run(["sign", "--pin-stdin", "--json"], input: "111222\n")
      }
      _ = try await sign()
      // Nine wrong ones, the last a day ago: the delays between them would take as long.
      let keys = setup.folder.appending(path: "client/keys")
      let name = try FileManager.default.contentsOfDirectory(atPath: keys.path).first {
        $0.hasSuffix(".tries")
      }
      let file = keys.appending(path: try #require(name))
      var record = try #require(try JSONValue(parsing: Array(Data(contentsOf: file))).objectValue)
      record["failures"] = 9
      record["lastFailure"] = .integer(Int64(Date().timeIntervalSince1970 - 86_400) * 1000)
      try Data(record.serialized).write(to: file)

      let tenth = try await sign()
      for part in ["disabled for good", "`sealring bind`", "`sealring devices`", "\"locked\""] {
        #expect(tenth.status == 1 && tenth.errors.contains(part), "\(tenth.errors)")
      }
      #expect(try await setup.tool.run(["keys", "--json"]).json == [])
      // The account has a key, which the password alone does not replace.
      let refused = try await setup.run(
        ["bind", "--username", "mira", "--password-stdin", "--pin-stdin", "--store", "software", "--json"],
        input: "\(CommandSetup.password)\n\(CommandSetup.pin)\n")
      #expect(
        refused.status == 1 && refused.errors.contains("confirm who you are first"), "\(refused.errors)")
      let at = ["--username", "mira", "--password-stdin"]
      let list = try await setup.done(
        ["devices", "list", "--json"] + at, input: CommandSetup.password + "\n")
      let old = try #require(try list.json[0]?["_id"]?.stringValue, "\(list.output)")
      try await setup.done(["devices", "delete", old, "--yes"] + at, input: CommandSetup.password + "\n")
      #expect(try await setup.bind().json["leftRecords"] == nil)
    }
  }
}
