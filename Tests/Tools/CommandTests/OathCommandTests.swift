import Assembly
import CommonFixtures
import Foundation
import StrictJSON
import Testing

/// `sealring oath`, and one-time codes in `sealring journey run`.
@Suite struct OathCommandTests {
  private func credentials(_ tool: CommandLineTool) async throws -> [JSONValue] {
    let listed = try await tool.run(["oath", "list", "--json"])
    #expect(listed.status == 0, "\(listed.errors)")
    return try listed.json.arrayValue ?? []
  }

  @Test func `a journey enrols this device for codes and is given the first one`() async throws {
    try await CommandSetup.run { setup in
      let registered = try await setup.run(
        ["journey", "run", "OathRegister", "--username", "mira", "--password-stdin"],
        input: CommandSetup.password + "\n")
      #expect(registered.status == 0, "\(registered.errors)")
      #expect(registered.errors.contains("Enrolled for one-time codes of mira at Sealring"))
      let listed = try await credentials(setup.tool)
      let credential = try #require(listed.first)
      #expect(listed.count == 1 && credential["accountName"] == "mira" && credential["type"] == "totp")
      #expect(!credential.text.contains("secret"))
      // Once more there is nothing to enrol, and the code of this moment is the server's already.
      let made = try await setup.tool.run(["oath", "code"])
      #expect(made.output.wholeMatch(of: /\d{6}\n/) != nil, "\(made.output)")
      let json = try await setup.tool.run(["oath", "code", "mira", "--json"])
      let left = try #require(try json.json["timeRemaining"]?.integerValue)
      #expect((1...30).contains(left))
    }
  }

  // The address says where this device registers: a program on this machine, if its server likes.
  @Test func `an enrolment that a journey shows leads to the journey's server only`() async throws {
    try await withTemporaryFolder { folder in
      let server = try await LocalServer.start(data: folder.appending(path: "server")) {
        $0.publicURL = "http://127.0.0.1:9/am"
      }
      let tool = CommandLineTool(
        home: folder.appending(path: "device"),
        environment: ["SEALRING_ADMIN_PASSWORD": LocalServer.administratorPassword])
      let password = CommandSetup.password + "\n"
      let added = try await tool.run(
        ["user", "add", "mira", "--server", server.address, "--password-stdin"], input: password)
      #expect(added.status == 0, "\(added.errors)")
      let refused = try await tool.run(
        [
          "journey", "run", "CombinedRegister", "--server", server.address, "--username", "mira",
          "--password-stdin",
        ], input: password)
      #expect(refused.status == 1 && refused.errors.contains("at another address"), "\(refused.errors)")
      #expect(try await credentials(tool).isEmpty)
      try await server.stop()
    }
  }

  // Nobody is asked here, so that a server can enrol this device on every page.
  @Test func `of a journey that enrols this device twice and then fails nothing is kept`() async throws {
    try await withTemporaryFolder { folder in
      let file = URL(filePath: #filePath).appending(path: "../../../../journeys/OathRegister.journey.json")
      var journey = try String(contentsOf: file.standardizedFileURL, encoding: .utf8)
      for (old, new) in [
        ("\"_id\": \"OathRegister\"", "\"_id\": \"Twice\""),
        ("OathTokenVerifierNode", "OathRegistrationNode"),
        (
          "\"successOutcome\": \"5d0c2b7e-8b1f-5a43-9c55-6f2f0f6f6c11\"",
          "\"successOutcome\": \"e301438c-0bd0-429c-ab0c-66126501069a\""
        ),
      ] {
        #expect(journey.contains(old))
        journey = journey.replacing(old, with: new)
      }
      let journeys = folder.appending(path: "journeys")
      try FileManager.default.createDirectory(
        at: journeys.appending(path: "alpha"), withIntermediateDirectories: true)
      try Data(journey.utf8).write(to: journeys.appending(path: "alpha/Twice.journey.json"))
      let start: @Sendable (URL) async throws -> LocalServer = {
        try await LocalServer.start(data: $0) { $0.journeysDirectory = journeys }
      }
      try await CommandSetup.run(start: start) { setup in
        let failed = try await setup.run(
          ["journey", "run", "Twice", "--username", "mira", "--password-stdin"],
          input: CommandSetup.password + "\n")
        #expect(failed.status == 1, "\(failed.errors)")
        #expect(failed.errors.components(separatedBy: "Enrolled for one-time codes").count == 3)
        #expect(try await credentials(setup.tool).isEmpty, "\(failed.errors)")
      }
    }
  }

  private static let vector = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"

  // RFC 4226 appendix D.
  private static let codes = [
    "755224", "287082", "359152", "969429", "338314", "254676", "287922", "162583", "399871", "520489",
  ]

  @Test func `labels of others do not control the terminal`() async throws {
    try await withTemporaryFolder { folder in
      let tool = CommandLineTool(home: folder)
      let hostile = "%1B%5B2J%1B%5D0;x%07Bank%0AError:%E2%80%AEada"
      let refused = try await tool.run(
        ["oath", "add", "-"], input: "otpauth://totp/\(hostile)?secret=\(Self.vector)\n")
      #expect(refused.status == 1 && refused.errors.contains("controls how it is shown"), "\(refused.errors)")
      // What may stand in a name, and shows nothing.
      let added = try await tool.run(
        ["oath", "add", "-"], input: "otpauth://totp/Bank%E2%80%8D:a%EF%B8%8Fda?secret=\(Self.vector)\n")
      #expect(added.status == 0, "\(added.errors)")
      let listed = try await tool.run(["oath", "list"])
      for text in [refused.errors, added.output, listed.output] {
        #expect(!text.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" || $0.value == 0x202E })
      }
      #expect(!listed.output.unicodeScalars.contains("\u{200D}"))
      #expect(
        listed.output.split(separator: "\n").map { $0.prefix { $0 != " " } } == [
          "CREDENTIAL", "ISSUER", "ACCOUNT", "CODES", "ENROLLED", "STATE",
        ], "\(listed.output)")
    }
  }

  @Test func `what cannot be added says what to do, and what is deleted is gone`() async throws {
    try await withTemporaryFolder { folder in
      let tool = CommandLineTool(home: folder)
      for uri in [
        "https://example.com", "pushauth://push/a:b", "otpauth://totp/a", "otpauth://totp/a?secret=1", "",
      ] {
        let refused = try await tool.run(["oath", "add", "-"], input: uri + "\n")
        #expect(refused.status == 1 && refused.errors.hasPrefix("Error: "), "\(refused.errors)")
      }
      for arguments in [
        ["oath", "add"], ["oath", "add", "otpauth://x", "--scan", "y"], ["oath", "delete"],
      ] {
        #expect(try await tool.run(arguments).status == 64)
      }
      #expect(try await tool.run(["oath", "code"]).errors.contains("oath add"))
      let uri = "otpauth://totp/Bank:ada?secret=\(Self.vector)"
      let added = try await tool.run(["oath", "add", uri, "--json"])
      let id = try #require(try added.json["id"]?.stringValue)
      #expect(try added.json["issuer"] == "Bank")
      let again = try await tool.run(["oath", "add", uri])
      #expect(again.status == 1 && again.errors.contains("oath delete"), "\(again.errors)")
      #expect(try await tool.run(["oath", "delete", id]).errors.contains("--yes"))
      #expect(try await tool.run(["oath", "delete", id, "--yes"]).status == 0)
      #expect(try await tool.run(["oath", "delete", id]).status == 1)
      #expect(try await credentials(tool).isEmpty)
    }
  }
}
