import Foundation
import SealringTesting
import StrictJSON
import Testing
import TokenFixtures

/// Keys in a token, from the command line to a server. SoftHSM is the token, and is named as software everywhere.
@Suite struct TokenCommandTests {
  private static let module = ["--store", "pkcs11", "--module", SoftTokens.module]

  /// A server, and a client with tokens of these names.
  private static func run(
    _ labels: [String], _ body: (CommandSetup, CommandLineTool) async throws -> Void
  ) async throws {
    try await CommandSetup.run { setup in
      let tokens = try SoftTokens.make(labels, in: setup.folder.appending(path: "tokens"))
      var tool = setup.tool
      tool.environment["SOFTHSM2_CONF"] = SoftTokens.configuration(in: tokens)
      try await body(setup, tool)
    }
  }

  @Test(.timeLimit(.minutes(3)))
  func `a device is bound with a key in a token, signs, and the list says which token`() async throws {
    try await Self.run(["Mira's card"]) { setup, tool in
      let bind =
        ["bind", "--username", "mira", "--password-stdin", "--pin-stdin", "--json"] + Self.module + setup.at
      let wrong = try await tool.run(bind, input: "\(CommandSetup.password)\n000000\n")
      #expect(wrong.status == 1 && !(wrong.output + wrong.errors).contains("000000"), "\(wrong)")
      #expect(try await tool.run(["keys", "list", "--json"]).json.arrayValue?.isEmpty == true)
      let bound = try await tool.run(bind, input: "\(CommandSetup.password)\n\(SoftTokens.pin)\n")
      #expect(bound.status == 0, "\(bound)")
      let json = try bound.json
      #expect(json["store"] == "pkcs11-software" && json["attested"] == false, "\(json)")
      let token = try #require(json["token"]?.stringValue)
      #expect(token.hasPrefix("Mira's card (software, SoftHSM project SoftHSM v2, serial number "))

      var set = tool
      set.environment["SEALRING_PKCS11_MODULE"] = SoftTokens.module
      // A key knows its module.
      let list = try await tool.run(["keys", "list"])
      #expect(list.output.contains("pkcs11-software") && list.output.contains("Mira's card"), "\(list)")
      let record = try await tool.run(["keys", "list", "--json"]).json[0]
      #expect(record?["token"]?.stringValue == token && record?["store"] == "pkcs11-software")
      let doctor = try await set.run(["doctor"] + setup.at)
      #expect(doctor.output.contains("Mira's card") && doctor.output.contains("for tests only"), "\(doctor)")

      let sign = ["sign", "--username", "mira", "--pin-stdin", "--json"] + setup.at
      let refused = try await set.run(sign, input: "000000\n")
      #expect(refused.status == 1 && refused.errors.contains("PIN"), "\(refused)")
      #expect(!(refused.output + refused.errors).contains("000000"))
      let signed = try await set.run(sign, input: "\(SoftTokens.pin)\n")
      #expect(signed.status == 0, "\(signed)")
      let again = try await tool.run(sign, input: "\(SoftTokens.pin)\n")
      #expect(again.status == 0, "\(again)")
    }
  }

  @Test(.timeLimit(.minutes(3)))
  func `on a terminal the token's PIN is asked for once, with the token, and a wrong one is said`()
    async throws
  {
    try await Self.run(["card"]) { setup, tool in
      let command = try TerminalCommand(tool, ["bind", "--username", "mira"] + Self.module + setup.at)
      _ = await command.read(until: "Password for mira: ")
      command.type("\(CommandSetup.password)\n")
      let first = await command.read(until: "PIN: ")
      #expect(first.contains("Token") && first.contains("card (software"), "\(first)")
      #expect(!first.contains("Choose a PIN") && !first.contains("New PIN"), "\(first)")
      command.type("000000\n")
      let second = await command.read(until: "PIN: ")
      #expect(second.contains("wrong") && second.contains("the token locks its PIN"), "\(second)")
      command.type("\(SoftTokens.pin)\n")
      let end = await command.finish()
      #expect(end.status == 0 && end.shown.contains("pkcs11-software"), "\(end.shown)")
      #expect(!(first + second + end.shown).contains(SoftTokens.pin))
    }
  }

  @Test(.timeLimit(.minutes(3)))
  func `the token's PIN is changed, the key deleted, and what is missing is named`() async throws {
    try await Self.run(["one", "two"]) { setup, tool in
      let bind = ["bind", "--username", "mira", "--password-stdin", "--pin-stdin", "--json"] + setup.at
      let input = "\(CommandSetup.password)\n\(SoftTokens.pin)\n"
      let several = try await tool.run(bind + Self.module, input: input)
      #expect(several.status == 1 && several.errors.contains("several tokens"), "\(several)")
      let unnamed = try await tool.run(bind + ["--store", "pkcs11"], input: input)
      #expect(unnamed.status == 64 && unnamed.errors.contains("--module"), "\(unnamed)")
      let open = setup.folder.appending(path: "open")
      try FileManager.default.createDirectory(at: open, withIntermediateDirectories: true)
      let copy = open.appending(path: "module.so").path
      // The file, not the link to it.
      try FileManager.default.copyItem(
        at: URL(filePath: SoftTokens.module).resolvingSymlinksInPath(), to: URL(filePath: copy))
      try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: open.path)
      let unsafe = try await tool.run(bind + ["--store", "pkcs11", "--module", copy], input: input)
      #expect(unsafe.status == 1 && unsafe.errors.contains("other users may write to"), "\(unsafe)")

      let bound = try await tool.run(bind + Self.module + ["--token", "two"], input: input)
      #expect(bound.status == 0, "\(bound)")
      var set = tool
      set.environment["SEALRING_PKCS11_MODULE"] = SoftTokens.module
      let changed = try await set.run(
        ["keys", "change-pin", "--pin-stdin"], input: "\(SoftTokens.pin)\n161803398\n")
      #expect(changed.status == 0, "\(changed)")
      let sign = ["sign", "--username", "mira", "--pin-stdin", "--json"] + setup.at
      #expect(try await set.run(sign, input: "\(SoftTokens.pin)\n").status == 1)
      #expect(try await set.run(sign, input: "161803398\n").status == 0)
      let kid = try #require(try bound.json["kid"]?.stringValue)
      let deleted = try await set.run(["keys", "delete", kid, "--yes"])
      #expect(deleted.status == 0, "\(deleted)")
      #expect(try await set.run(["keys", "list", "--json"]).json.arrayValue?.isEmpty == true)
    }
  }
}
