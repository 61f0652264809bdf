import Assembly
import CommonFixtures
import Foundation
import StrictJSON
import Testing

/// What commands say, where that was wrong, misleading or missing.
@Suite struct PlainAnswerTests {
  @Test func `a refused administrator is told where the password came from, and the way back`() async throws {
    try await CommandSetup.run { setup in
      let wrong = CommandLineTool(
        home: setup.folder.appending(path: "other"), environment: ["SEALRING_ADMIN_PASSWORD": "of last year"]
      )
      let refused = try await wrong.run(["user", "list"] + setup.at)
      #expect(refused.status == 1)
      for part in ["(401)", "came from SEALRING_ADMIN_PASSWORD", "user passwd amAdmin --realm root --data"] {
        #expect(refused.errors.contains(part), "\(refused.errors)")
      }
      let file = setup.folder.appending(path: "password")
      try Data("of last year\n".utf8).write(to: file)
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
      let named = CommandLineTool(
        home: setup.folder.appending(path: "other"),
        environment: ["SEALRING_ADMIN_PASSWORD": "", "SEALRING_ADMIN_PASSWORD_FILE": file.path])
      let byFile = try await named.run(["user", "list"] + setup.at)
      #expect(
        byFile.status == 1 && byFile.errors.contains("came from the file \(file.path)"), "\(byFile.errors)")
    }
  }

  @Test func `a refusal names the likeliest cause first`() async throws {
    try await CommandSetup.run { setup in
      try await setup.bind()
      let unknown = try await setup.run(
        ["sign", "--transaction", "nothing-of-that", "--yes", "--pin-stdin"], input: CommandSetup.pin + "\n")
      #expect(
        unknown.status == 1
          && unknown.errors.contains("Possible: an id that is wrong, or a transaction for another account;"),
        "\(unknown.errors)")
      let codes = try await setup.run(
        ["journey", "run", "OathSignIn", "--username", "mira", "--password-stdin"],
        input: CommandSetup.password + "\n")
      #expect(
        codes.status == 1 && codes.errors.contains("without a device for this journey"), "\(codes.errors)")
    }
  }

  @Test(.timeLimit(.minutes(1)))
  func `a push sign-in of an account without a device ends when the server says so`() async throws {
    try await CommandSetup.run { setup in
      let ended = try await setup.run(
        ["journey", "run", "PushSignIn", "--username", "mira", "--password-stdin", "--json"],
        input: CommandSetup.password + "\n")
      #expect(ended.status == 1 && ended.errors.contains("\"notFound\""), "\(ended.errors)")
      #expect(ended.errors.contains("has no device for this journey"), "\(ended.errors)")
    }
  }

  /// A journey of a team's own that asks for no second factor before it binds.
  private static func ownBinding(in folder: URL) throws -> URL {
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../journeys/BindDevice.journey.json").standardizedFileURL
    var text = try String(contentsOf: file, encoding: .utf8)
    for (old, new) in [
      (#""_id": "BindDevice""#, #""_id": "Own""#),
      (#""requiresStrongestFactor": true"#, #""requiresStrongestFactor": false"#),
    ] {
      try #require(text.contains(old))
      text = text.replacingOccurrences(of: old, with: new)
    }
    let realm = folder.appending(path: "alpha")
    try FileManager.default.createDirectory(at: realm, withIntermediateDirectories: true)
    try text.write(to: realm.appending(path: "Own.journey.json"), atomically: true, encoding: .utf8)
    return folder
  }

  @Test func `binding when the old key is gone from here names the record that is left on the server`()
    async throws
  {
    let start: @Sendable (URL) async throws -> LocalServer = { data in
      let journeys = try Self.ownBinding(
        in: data.deletingLastPathComponent().appending(path: "journeys"))
      return try await LocalServer.start(data: data) { $0.journeysDirectory = journeys }
    }
    try await CommandSetup.run(start: start) { setup in
      let old = try #require(try await setup.bind().json["kid"]?.stringValue)
      // What ten wrong PINs leave: a record on the server, and no key here.
      #expect(try await setup.tool.run(["keys", "delete", old, "--yes"]).status == 0)
      #expect(try await setup.tool.run(["keys", "--json"]).json == [])
      let again = try await setup.done(
        [
          "bind", "--journey", "Own", "--username", "mira", "--password-stdin", "--pin-stdin", "--store",
          "software", "--json",
        ],
        input: "\(CommandSetup.password)\n\(CommandSetup.pin)\n")
      let left = try #require(try again.json["leftRecords"]?[0]?.stringValue, "\(again.output)")
      #expect(again.errors.contains("sealring devices delete \(left) --username mira"), "\(again.errors)")
      try await setup.done(
        ["devices", "delete", left, "--username", "mira", "--password-stdin", "--yes"],
        input: CommandSetup.password + "\n")
      let rest = try await setup.done(
        ["devices", "list", "--username", "mira", "--password-stdin", "--json"],
        input: CommandSetup.password + "\n"
      )
      #expect(try rest.json.arrayValue?.count == 1 && !rest.output.contains(old), "\(rest.output)")
      // Nothing is left now, and nothing is named.
      let clean = try await setup.done(
        ["bind", "--username", "mira", "--password-stdin", "--pin-stdin", "--store", "software", "--json"],
        input: "\(CommandSetup.password)\n\(CommandSetup.pin)\n")
      #expect(try clean.json["leftRecords"] == nil)
    }
  }

  @Test func `bind, sign and devices end the sessions that they open`() async throws {
    try await CommandSetup.run { setup in
      try await setup.bind()
      try await setup.done(["sign", "--pin-stdin"], input: CommandSetup.pin + "\n")
      try await setup.done(
        ["devices", "list", "--username", "mira", "--password-stdin"], input: CommandSetup.password + "\n")
      try await setup.done(["app", "list"])
      let sessions = try await setup.done(["session", "list", "--username", "mira", "--json"])
      #expect(try sessions.json == [], "\(sessions.output)")
      let handedOver = try await setup.done(
        ["sign", "--pin-stdin", "--json"], input: CommandSetup.pin + "\n")
      #expect(try handedOver.json["tokenId"]?.stringValue?.isEmpty == false)
      // The administrator of the root realm sees those of realm alpha, without a session kept.
      let one = try await setup.done(["session", "list", "--username", "mira", "--json"])
      #expect(try one.json.arrayValue?.count == 1, "\(one.output)")
    }
  }

  @Test func `the home folder is the one that HOME names`() async throws {
    try await withTemporaryFolder { folder in
      let home = folder.path(percentEncoded: false)
      let tool = CommandLineTool(
        home: folder,
        environment: ["HOME": home, "XDG_CONFIG_HOME": "", "XDG_DATA_HOME": "", "SEALRING_HOME": ""])
      let path = try await tool.run(["config", "path"])
      #expect(
        path.output.contains(home + ".config/sealring/config.toml")
          || path.output.contains(
            home + "/.config/sealring/config.toml"),
        "\(path.output)")
      let added = try await tool.run(
        ["oath", "add", "-"], input: "otpauth://totp/Bank:ada?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ\n")
      #expect(added.status == 0, "\(added.errors)")
      #expect(FileManager.default.fileExists(atPath: folder.appending(path: ".local/share/sealring").path))
    }
  }

  @Test func `events and lists have local times, and events pages`() async throws {
    try await CommandSetup.run { setup in
      let tool = CommandLineTool(
        home: setup.folder.appending(path: "client"),
        environment: [
          "SEALRING_ADMIN_PASSWORD": LocalServer.administratorPassword, "TZ": "Europe/Berlin",
        ])
      _ = try await tool.run(["app", "add", "Web shop"] + setup.at)
      let applications = try await tool.run(["app", "list"] + setup.at)
      #expect(applications.output.contains(/\d\d:\d\d:\d\d \+0[12]:00/), "\(applications.output)")
      func events(_ more: [String] = []) async throws -> [Substring] {
        let listed = try await tool.run(["events", "--data", setup.data] + more)
        #expect(listed.status == 0, "\(listed.errors)")
        return listed.output.split(separator: "\n")
      }
      let all = try await events()
      #expect(all.count >= 3 && all.allSatisfy { $0.contains(#/:\d\d \+0[12]:00 /#) }, "\(all)")
      #expect(try await events(["--limit", "2", "--offset", "1"]) == Array(all.dropLast().suffix(2)))
      #expect(try await events(["--until", "2026-01-01"]).isEmpty)
      #expect(try await events(["--since", "1h"]) == all)
      #expect(try await events(["--utc", "--limit", "1"]).first?.contains(" UTC ") == true)
    }
  }

  @Test func `push qr draws no text that is no enrolment`() async throws {
    try await withTemporaryFolder { folder in
      let tool = CommandLineTool(home: folder)
      let refused = try await tool.run(["push", "qr", "x"])
      #expect(
        refused.status == 1 && refused.output.isEmpty && refused.errors.contains("otpauth"),
        "\(refused.errors)")
      let drawn = try await tool.run(["push", "qr", "otpauth://totp/a?secret=GEZDGNBVGY3TQOJQ"])
      #expect(drawn.status == 0 && drawn.output.contains("▀"))
    }
  }

  @Test func `an export to - is standard output and no file`() async throws {
    try await CommandSetup.run { setup in
      try await setup.bind()
      let exported = try await setup.tool.run(["audit", "export", "-", "--data", setup.data])
      #expect(exported.status == 0, "\(exported.errors)")
      #expect(exported.output.contains("mira") && exported.output.split(separator: "\n").count >= 1)
      #expect(!FileManager.default.fileExists(atPath: "-"))
    }
  }

  @Test func `the help of a group has the options of what it does by itself`() async throws {
    try await withTemporaryFolder { folder in
      let tool = CommandLineTool(home: folder)
      for arguments in [["devices", "--help"], ["help", "devices"]] {
        let help = try await tool.run(arguments)
        #expect(
          help.status == 0 && help.output.contains("--kind") && help.output.contains("rename"),
          "\(help.output)")
      }
      #expect(try await tool.run(["bind", "--help"]).output.contains("Example: sealring bind"))
    }
  }
}
