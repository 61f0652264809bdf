import Assembly
import CommonFixtures
import Foundation
import PushServiceFixtures
import SealringTesting
import SigningTransactions
import StrictJSON
import Testing

/// Every command that talks to a server, at one whose session cookie has another name, that stands at another path, in a realm below a realm.
@Suite struct ServerElsewhereTests {
  private static let realm = "alpha/branch"
  private static let (password, pin) = (CommandSetup.password, CommandSetup.pin)

  /// Runs commands there, and remembers which.
  private actor Story {
    let server: LocalServer
    let tool: CommandLineTool
    let folder: URL

    /// Commands with `--server` that have succeeded.
    var done: Set<String> = []

    init(_ server: LocalServer, _ folder: URL) {
      (self.server, self.folder) = (server, folder)
      tool = CommandLineTool(
        home: folder.appending(path: "client"),
        environment: ["SEALRING_ADMIN_PASSWORD": LocalServer.administratorPassword])
    }

    nonisolated func path(_ name: String) -> String {
      folder.appending(path: name).path(percentEncoded: false)
    }

    /// Notes a command that has succeeded in another way than ``run(_:_:realm:input:)``.
    func note(_ command: String) { done.insert(command) }

    /// Runs the command in the realm.
    ///
    /// - Parameters:
    ///   - command: its words.
    ///   - realm: as the person spells it.
    @discardableResult
    func run(
      _ command: String, _ arguments: [String] = [], realm: String = ServerElsewhereTests.realm,
      input: String = ""
    ) async throws -> CommandResult {
      let words = command.split(separator: " ").map(String.init)
      let result = try await tool.run(
        words + ["--server", server.address, "--realm", realm] + arguments, input: input)
      guard result.status == 0 else {
        throw CommandRefused(arguments: words + arguments, errors: result.errors + result.output)
      }
      #expect(!result.errors.contains("could not be ended"), "\(command): \(result.errors)")
      done.insert(command)
      return result
    }
  }

  private func tell(_ body: (Story) async throws -> Void) async throws {
    try await withTemporaryFolder { folder in
      let journeys = try TouchSignIn.folder(in: folder)
      try FileManager.default.moveItem(
        at: journeys.appending(path: "alpha"), to: journeys.appending(path: "alpha.branch"))
      let server = try await LocalServer.start(data: folder.appending(path: "server")) {
        $0.cookieName = "8f2c3b1d9e0a7f6"
        $0.basePath = "/sso/openam"
        $0.journeysDirectory = journeys
      }
      #expect(server.address.hasSuffix("/sso/openam"))
      let story = Story(server, folder)
      try await story.run("realm create", [Self.realm], realm: "alpha")
      try await story.run("user add", ["mira", "--password-stdin"], input: Self.password + "\n")
      try await body(story)
      try await server.stop()
    }
  }

  @Test
  func `user list, devices list and session login answered 401, and sign called its failed sign-out ended`()
    async throws
  {
    try await tell { story async throws in
      try await administer(story)
      try await bindAndSign(story)
      try await keepSession(story)
      try await usePasskey(story)
      try await certifySSH(story)
      try await usePush(story)
      try await audit(story)
      try await load(story)
      try await story.run("status")
      // What else this machine lacks is another matter.
      let doctor = try await story.tool.run(
        ["doctor", "--json", "--server", story.server.address, "--realm", Self.realm])
      let checks = try doctor.json.arrayValue ?? []
      #expect(checks.contains { $0["check"] == "server" && $0["state"] == "ok" }, "\(doctor.output)")
      // It needs no session: that the realm's own provider refuses the client shows the address. The whole story is DeviceSignInCommandTests'.
      let device = try await story.tool.run([
        "oidc", "device", "--client", "nobody", "--server", story.server.address, "--realm", Self.realm,
      ])
      #expect(device.status == 1 && device.errors.contains("invalid_client"), "\(device.errors)")
      try await story.run("profile add", ["branch", "--username", "mira"])
      let profiled = try await story.tool.run(["user", "list", "--json", "--profile", "branch"])
      #expect(profiled.status == 0, "\(profiled.errors)")
      // The realm's own end, by its administrator's session.
      try await story.run("realm delete", [Self.realm, "--force", "--yes"])
      #expect(try await story.run("realm list", realm: "root").output == "root\nalpha\n")

      // A command that is not in the story has not been tried.
      let commands = Self.commandsWithServer(try await story.tool.description())
      #expect(commands.count > 35)
      let done = await story.done
      // `ssh proxy` closes its standard output: SSHLoginTests runs it as a process.
      #expect(commands.subtracting(done).sorted() == ["doctor", "oidc device", "oidc token", "ssh proxy"])
    }
  }

  /// The commands that have `--server`.
  private static func commandsWithServer(_ command: JSONValue, _ parents: [String] = []) -> Set<String> {
    let subcommands = (command["subcommands"]?.arrayValue ?? []).filter { $0["commandName"] != "help" }
    guard subcommands.isEmpty else {
      return subcommands.reduce(into: []) {
        $0.formUnion(commandsWithServer($1, parents + [$1["commandName"]?.stringValue ?? "?"]))
      }
    }
    let names = (command["arguments"]?.arrayValue ?? []).flatMap { $0["names"]?.arrayValue ?? [] }
    return names.contains { $0["name"] == "server" } ? [parents.joined(separator: " ")] : []
  }

  private func administer(_ story: Story) async throws {
    #expect(try await story.run("realm list").output == "root\nalpha\nalpha/branch\n")
    try await story.run("realm create", ["/alpha/branch/desk"])
    // Not while it has a realm in it.
    let refused = try await story.tool.run(
      ["realm", "delete", Self.realm, "--force", "--yes", "--json", "--server", story.server.address])
    #expect(refused.status == 1 && refused.errors.contains("1 realms in it"), "\(refused.errors)")
    try await story.run("realm delete", ["alpha/branch/desk", "--yes"])

    try await story.run("user add", ["yan", "--password-stdin"], input: Self.password + "\n")
    for realm in [Self.realm, "/alpha/branch", "root/realms/alpha/realms/branch"] {
      let list = try await story.run("user list", ["--json"], realm: realm).json
      #expect(list.arrayValue?.map { $0["username"] } == ["mira", "yan"])
    }
    #expect(try await story.run("user show", ["yan", "--json"]).json["realm"] == "/alpha/branch")
    try await story.run("user passwd", ["yan", "--password-stdin"], input: "quiet meadow 1\n")
    try await story.run("user disable", ["yan"])
    try await story.run("user enable", ["yan"])
    try await story.run("user unlock", ["yan"])
    let people = story.path("people.csv")
    try Data("username,password\nanna,quiet meadow 2\n".utf8).write(to: URL(filePath: people))
    try await story.run("user import", [people])
    try await story.run("user delete", ["anna", "--yes"])
    try await story.run("admin grant", ["yan", "administrator"])
    #expect(
      try await story.run("admin list", ["--json"]).json.arrayValue?.map { $0["username"] } == ["yan"])
    // An administrator of the realm, whose own realm is named like that.
    let own = try await story.tool.run(
      [
        "user", "list", "--json", "--admin", "yan", "--admin-realm", "/alpha/branch", "--server",
        story.server.address, "--realm", Self.realm, "--password-stdin",
      ], input: "unused\n")
    // The password in the environment is another's.
    #expect(own.status == 1, "\(own.output)")
    var yan = story.tool
    yan.environment["SEALRING_ADMIN_PASSWORD"] = "quiet meadow 1"
    for (realm, status) in [(Self.realm, Int32(0)), ("alpha", 1), ("root", 1)] {
      let result = try await yan.run(
        [
          "user", "list", "--json", "--admin", "yan", "--admin-realm", "/alpha/branch", "--server",
          story.server.address, "--realm", realm,
        ])
      #expect(result.status == status, "\(realm): \(result.errors)")
    }
    try await story.run("admin revoke", ["yan", "administrator"])
    let app = try await story.run("app add", ["shop", "--json"]).json
    #expect(try await story.run("app list", ["--json"]).json.arrayValue?.count == 1)
    try await story.run("app delete", [try #require(app["id"]?.stringValue), "--yes"])
    let journeys = try await story.run("journey list", ["--json"]).json
    #expect(journeys.arrayValue?.contains { $0["_id"] == .string(TouchSignIn.name) } == true)
    let files = try await story.run("journey list", ["--json", "--journeys", story.path("journeys")]).json
    #expect(files.arrayValue?.map { $0["_id"] } == [.string(TouchSignIn.name)])
    // On a server in the process that has the folder.
    let local = try await story.tool.run(
      [
        "journey", "run", "Login", "--journeys", story.path("journeys"), "--realm", "/alpha/branch",
        "--trace",
      ])
    #expect(local.status == 0, "\(local.errors)")
  }

  private func bindAndSign(_ story: Story) async throws {
    let bind = ["--username", "mira", "--password-stdin", "--pin-stdin", "--store", "software", "--json"]
    let bound = try await story.run("bind", bind, input: "\(Self.password)\n\(Self.pin)\n").json
    #expect(bound["userId"] == "id=mira,ou=user,o=branch,o=alpha,ou=services,ou=am-config", "\(bound.text)")
    let key = try await story.tool.run(["keys", "list", "--json"]).json[0]
    #expect(key?["realm"] == "alpha/branch" && key?["server"] == .string(story.server.address))

    func sessions() async throws -> Int {
      try await story.run("session list", ["--username", "mira", "--json"]).json.arrayValue?.count ?? -1
    }
    #expect(try await sessions() == 0)
    // The session that `sign --json` hands over.
    let kept = try await story.run(
      "sign", ["--username", "mira", "--pin-stdin", "--json"], realm: "/alpha/branch", input: Self.pin + "\n")
    #expect(try kept.json["tokenId"] != nil)
    #expect(try await sessions() == 1)
    let signed = try await story.run("sign", ["--username", "mira", "--pin-stdin"], input: Self.pin + "\n")
    #expect(signed.errors.contains("The session has ended with this command"), "\(signed.errors)")
    #expect(try await sessions() == 1, "it has not ended")

    let app = try await story.run("app add", ["till", "--json"]).json
    let application = TestApplication(
      id: app["id"]?.stringValue ?? "", secret: app["secret"]?.stringValue ?? "",
      address: story.server.address, realm: Self.realm)
    let payment = try await application.create(Transaction(amount: "42.00", currency: "EUR", payee: "Bakery"))
    try await story.run(
      "sign", ["--transaction", payment, "--yes", "--pin-stdin"], realm: "/alpha/branch",
      input: Self.pin + "\n")
    #expect(try await application.read(payment)["state"] == "approved")

    let run = try await story.run(
      "journey run", ["Login", "--username", "mira", "--password-stdin"], input: Self.password + "\n")
    #expect(run.errors.contains("The session has ended with this command"), "\(run.errors)")
    let list = try await story.run(
      "devices list", ["--username", "mira", "--password-stdin", "--json"], input: Self.password + "\n")
    let id = try #require(try list.json[0]?["_id"]?.stringValue)
    try await story.run(
      "devices rename", [id, "Till", "--username", "mira", "--password-stdin"], input: Self.password + "\n")
    let admin = try await story.run(
      "devices list", ["--username", "mira", "--admin", "amAdmin", "--all-kinds", "--json"])
    #expect(admin.output.contains("Till"), "\(admin.output)")
    #expect(try await sessions() == 1)
    let kid = try #require(bound["kid"]?.stringValue)
    try await story.run(
      "unbind", ["--yes", "--username", "mira", "--password-stdin", "--", kid], input: Self.password + "\n")
    let again = try await story.run("bind", bind, input: "\(Self.password)\n\(Self.pin)\n")
    let second = try #require(try again.json["kid"]?.stringValue)
    let records = try await story.run(
      "devices list", ["--username", "mira", "--password-stdin", "--json"], input: Self.password + "\n")
    #expect(try records.json.arrayValue?.count == 1, "\(second)")
  }

  private func keepSession(_ story: Story) async throws {
    try await story.run(
      "session login", ["--username", "mira", "--password-stdin"], realm: "/alpha/branch",
      input: Self.password + "\n")
    let who = try await story.run("session whoami", ["--json"]).json
    #expect(who["username"] == "mira" && who["realm"] == "alpha/branch")
    #expect(try await story.run("status", ["--json"]).json["username"] == "mira")
    // With the kept session, and without a password.
    let list = try await story.run("devices list", ["--username", "mira", "--json"])
    let id = try #require(try list.json[0]?["_id"]?.stringValue)
    try await story.run("devices delete", [id, "--username", "mira", "--yes"])
    let out = try await story.run("session logout", ["--json"], realm: "root/realms/alpha/realms/branch")
    #expect(try out.json["endedAtServer"] == true)
  }

  private func usePasskey(_ story: Story) async throws {
    let registered = try await story.run(
      "passkey register",
      [
        "--username", "mira", "--store", "software", "--no-user-verification", "--password-stdin", "--json",
        "--yes",
      ],
      input: Self.password + "\n"
    ).json
    #expect(registered["realm"] == "/alpha/branch" || registered["realm"] == "alpha/branch")
    try await story.run(
      "passkey authenticate",
      ["--username", "mira", "--no-user-verification", "--journey", TouchSignIn.name, "--yes"])
    let id = try #require(registered["credentialId"]?.stringValue)
    let deleted = try await story.run(
      "passkey delete", ["--yes", "--password-stdin", "--json", "--", id], input: Self.password + "\n")
    #expect(try deleted.json["record"] == "deleted")
  }

  private func certifySSH(_ story: Story) async throws {
    for words in [
      ["ssh-ca", "init", "--level", "0", "--realm", Self.realm, "--data", story.path("server")],
      ["ssh", "key", "add", "laptop", "--store", "software", "--no-pin"],
    ] {
      let made = try await story.tool.run(words)
      #expect(made.status == 0, "\(made.errors)")
    }
    let certificate = try await story.run(
      "ssh login", ["--username", "mira", "--password-stdin", "--json"], input: Self.password + "\n")
    #expect(try certificate.json["principals"] == ["mira"])
    try await story.run("ssh certificate", ["--username", "mira"])
    let trusted = try await story.run("ssh trust", ["*.example.com"])
    #expect(trusted.output.hasPrefix("@cert-authority *.example.com "))
  }

  private func usePush(_ story: Story) async throws {
    let picture = story.path("enrolment.png")
    async let shown = story.run(
      "push qr", ["--username", "mira", "--password-stdin", "--png", picture], input: Self.password + "\n")
    try await eventually("the code is drawn") { FileManager.default.fileExists(atPath: picture) }
    let enrolled = try await story.tool.run(["push", "enroll", "--scan", picture, "--json"])
    #expect(enrolled.status == 0, "\(enrolled.errors)")
    _ = try await shown
    let credential = try enrolled.json
    #expect(
      credential["server"] == .string(story.server.address) && credential["realm"] == "alpha/branch",
      "\(credential.text)")
    let status = try await story.run("status", ["--json"]).json
    #expect(status["keys"]?["push"]?.arrayValue?.count == 1, "\(status.text)")
    async let signedIn = story.run(
      "journey run", ["PushSignIn", "--username", "mira", "--password-stdin"], input: Self.password + "\n")
    let answered = try await story.tool.run(["push", "listen", "--approve", "--once"])
    #expect(answered.status == 0, "\(answered.errors)")
    _ = try await signedIn
  }

  private func audit(_ story: Story) async throws {
    let entries = try await story.run("audit list", ["--json"]).json.arrayValue ?? []
    #expect(entries.count >= 3 && entries.allSatisfy { $0["realm"] == "alpha/branch" })
    let number = try #require(entries.first?["number"]?.integerValue)
    try await story.run("audit show", [String(number)])
    let proof = story.path("proof.json")
    try await story.run("audit prove", [String(number), proof])
    let told = try await story.tool.run(["audit", "verify", proof])
    #expect(told.status == 0 && told.output.hasPrefix("mira (alpha/branch) "), "\(told.output)\(told.errors)")
    // It has the entries of all realms, so no realm is named.
    let export = story.path("evidence.jsonl")
    let exported = try await story.tool.run(["audit", "export", "--server", story.server.address, export])
    #expect(exported.status == 0, "\(exported.errors)")
    #expect(try await story.tool.run(["audit", "verify", export]).status == 0)
    await story.note("audit export")
    #expect(try await story.run("audit verify", ["--json"]).json["valid"] == true)
    #expect(try await story.run("audit push", ["--json"]).json.arrayValue?.isEmpty == false)
  }

  private func load(_ story: Story) async throws {
    let devices = ["--devices", "2", "--json"]
    try await story.run("load accounts", devices + ["--password-stdin"], input: Self.password + "\n")
    let at = devices + ["--devices-folder", story.path("devices")]
    let bound = try await story.run(
      "load run", ["bind"] + at + ["--password-stdin"], input: Self.password + "\n")
    #expect(try bound.json["failed"] == 0 && bound.json["completed"] == 2, "\(bound.output)")
    let signed = try await story.run(
      "load run", ["sign-in"] + at + ["--concurrency", "1", "--duration", "1"])
    #expect(try signed.json["failed"] == 0, "\(signed.output)")
  }

  // MARK: Servers that lie

  /// A server that says that its cookie is called `name`, and signs everybody in; and what it was sent.
  private func atLiar(
    _ name: String, logout: Reply = Reply(status: 200, body: "{}"),
    _ body: (_ tool: CommandLineTool, _ address: String, _ server: TestPushService) async throws -> Void
  ) async throws {
    let information = Reply(
      status: 200, body: JSONValue.object(["cookieName": .string(name), "realm": "/alpha"]).text)
    let session = Reply(status: 200, body: #"{"tokenId":"t0ken","successUrl":"/","realm":"/alpha"}"#)
    try await withTemporaryFolder { folder in
      try await TestPushService.run(tls: nil) { request in
        if request.path.contains("/serverinfo/") { return information }
        if request.path.contains("/sessions?_action=logout") { return logout }
        return session
      } body: { server async throws in
        let tool = CommandLineTool(home: folder, environment: ["SEALRING_ADMIN_PASSWORD": "secret password"])
        try await body(tool, "http://127.0.0.1:\(server.port)/am", server)
      }
    }
  }

  @Test(arguments: [
    "Host", "Content-Length", "X-OpenAM-Username", "a\r\nX-Evil: 1", "a b", "",
    String(repeating: "a", count: 129),
  ])
  func `a server has the session sent in a header of its choice`(name: String) async throws {
    try await atLiar(name) { tool, address, server async throws in
      for command in [["user", "list"], ["journey", "run", "Login", "--username", "mira"]] {
        let refused = try await tool.run(command + ["--server", address, "--json"])
        #expect(refused.status == 1 && refused.errors.contains(#""code":"unsupported""#), "\(refused.errors)")
      }
      #expect(
        !server.requests.contains { request in request.headers.contains { $0.value.contains("t0ken") } })
    }
  }

  @Test func `a sign-out that the server refuses is told`() async throws {
    try await atLiar("session", logout: Reply(status: 503, body: "{}")) {
      tool, address, server async throws in
      let run = try await tool.run(["journey", "run", "Login", "--username", "mira", "--server", address])
      #expect(run.status == 0 && run.errors.contains("could not be ended"), "\(run.errors)")
      #expect(!run.errors.contains("has ended with this command"), "\(run.errors)")
      #expect(server.requests.last?.header("session") == "t0ken")
      let list = try await tool.run(["realm", "list", "--server", address])
      #expect(list.errors.contains("could not be ended"), "\(list.errors)")
    }
    try await atLiar("session") { tool, address, _ async throws in
      let run = try await tool.run(["journey", "run", "Login", "--username", "mira", "--server", address])
      #expect(run.errors.contains("has ended with this command"), "\(run.errors)")
    }
  }

  @Test func `a server is asked once a command, and one that tells no name has PingAM's`() async throws {
    try await atLiar("session") { tool, address, server async throws in
      _ = try await tool.run(["user", "list", "--server", address])
      #expect(server.requests.filter { $0.path.contains("/serverinfo/") }.count == 1)
      #expect(server.requests.last?.header("session") == "t0ken")
    }
    try await withTemporaryFolder { folder in
      try await TestPushService.run(tls: nil) { request in
        request.path.contains("/serverinfo/")
          ? Reply.error(403, "Forbidden")
          : Reply(status: 200, body: #"{"tokenId":"t0ken","successUrl":"/","realm":"/","result":[]}"#)
      } body: { server async throws in
        let tool = CommandLineTool(home: folder, environment: ["SEALRING_ADMIN_PASSWORD": "secret password"])
        let list = try await tool.run(["user", "list", "--server", "http://127.0.0.1:\(server.port)/am"])
        #expect(list.status == 0, "\(list.errors)")
        #expect(server.requests.last?.header("iPlanetDirectoryPro") == "t0ken")
      }
    }
  }

  @Test(arguments: [("/alpha/branch", 0), ("alpha/branch", 0), ("alpha.branch", 1), ("../alpha", 1), ("", 1)])
  func `journeys are imported into the realm's folder, and no other`(realm: String, status: Int32)
    async throws
  {
    try await withTemporaryFolder { folder in
      func path(_ name: String) -> String { folder.appending(path: name).path(percentEncoded: false) }
      let source = try TouchSignIn.folder(in: folder.appending(path: "source")).path(percentEncoded: false)
      let result = try await CommandLineTool(home: folder).run(
        ["journey", "import", "\(source)/alpha", "--journeys", path("target"), "--realm", realm])
      #expect(result.status == status, "\(result.errors)")
      let file = path("target/alpha.branch/\(TouchSignIn.name).journey.json")
      #expect(FileManager.default.fileExists(atPath: file) == (status == 0))
    }
  }

  @Test(arguments: ["..", "alpha/..", "../alpha", "."])
  func `a realm that is a step in a path is wrong usage`(realm: String) async throws {
    try await withTemporaryFolder { folder in
      let refused = try await CommandLineTool(home: folder).run(["user", "list", "--realm", realm])
      #expect(refused.status == 64 && refused.errors.contains("--realm"), "\(refused.errors)")
    }
  }
}
