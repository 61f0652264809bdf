#if os(Linux) && DEBUG
  import Assembly
  import CommonFixtures
  import Concurrency
  import Foundation
  import JourneyDriving
  import PingJourney
  import PingJourneyPlugin
  import PingOrchestrate
  import PrivateFiles
  import PushFormats
  import PushServiceFixtures
  import SealringTesting
  import ServerHTTP
  import SigningTransactions
  import StrictJSON
  import Testing
  import UserVerification

  @testable import PAMAgent

  /// Services with `mode=server`, `either` and `both`, against a server of the test.
  @Suite(.timeLimit(.minutes(2)))
  struct ServerVerificationTests {
    private static let password = "Palisade-19"

    /// Who signs in: enters what is asked for, and sees what is shown.
    private final class Person: CredentialSource {
      private let answers: Locked<[String]>
      private let seen = Locked<(questions: [String], texts: [String])>(([], []))
      private let reads: @Sendable (String) async -> Void

      init(_ answers: String..., reads: @escaping @Sendable (String) async -> Void = { _ in }) {
        (self.answers, self.reads) = (Locked(answers), reads)
      }

      var questions: [String] { seen.withLock { $0.questions } }
      var texts: [String] { seen.withLock { $0.texts } }

      func answer(to question: CredentialQuestion) async -> CredentialSecret? {
        seen.withLock { $0.questions.append(question.prompt) }
        return answers.withLock { $0.isEmpty ? nil : CredentialSecret($0.removeFirst()) }
      }

      func show(_ message: String) async {
        seen.withLock { $0.texts.append(message) }
        await reads(message)
      }
    }

    private func withServer(
      _ options: String, journey: String = "PushNumber", account: String = "mira",
      _ body: @escaping @Sendable (PAMScene, TestServer) async throws -> Void
    ) async throws {
      try await TestServer.run { server in
        try await server.addUser("mira", password: Self.password)
        let scene = try PAMScene(options: options)
        try await scene.enrol()
        try await scene.file.setAccount(account)
        try write("url \(server.address)\nrealm alpha\njourney \(journey)\n", scene)
        try await scene.withRoot { _ in try await body(scene, server) }
      }
    }

    private func write(_ text: String, _ scene: PAMScene, mode: Int = 0o600) throws {
      try Data(text.utf8).write(to: scene.settings)
      try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: scene.settings.path)
    }

    // MARK: By push

    /// A device of mira's for push messages.
    private func enrol(on server: TestServer) async throws -> (SimulatedPushDevice, PushServerURL) {
      let journey = TestDevice().journey(on: server)
      var node = await journey.start("PushRegister")
      while let step = node as? ContinueNode {
        for callback in step.callbacks {
          switch callback {
          case let callback as NameCallback: callback.name = "mira"
          case let callback as PasswordCallback: callback.password = Self.password
          case let callback as HiddenValueCallback where callback.valueId == "mfaDeviceRegistration":
            let uri = try PushEnrolmentURI(parsing: callback.value)
            let (device, registration) = try await SimulatedPushDevice.enrol(uri, name: "phone")
            try await TestClient.send(
              uri.registrationURL.with(action: "register"),
              body: JSONObject(parsing: registration))
            return (device, uri.authenticationURL)
          default: break
          }
        }
        node = await step.next()
      }
      throw PAMRootError("the journey offers no enrolment")
    }

    private func decide(
      _ number: String?, by device: SimulatedPushDevice, at address: PushServerURL, on server: TestServer
    ) async throws {
      let reply = try await TestClient.send(
        address.with(action: "poll"),
        body: JSONObject(parsing: try await device.poll(at: server.clock.now)))
      let (id, message) = try #require(try device.messages(in: Array(reply.text.utf8)).last)
      let body = try await device.answer(id, message, shown: number, isDenied: number == nil)
      try await TestClient.send(address.with(action: "authenticate"), body: JSONObject(parsing: body))
      // The journey looks again after a while.
      server.clock.advance(by: 10)
    }

    @Test(arguments: [
      ("mode=server", true), ("mode=server", false), ("mode=both", true), ("mode=both", false),
    ])
    func `a push with a number decides, and both means that the key signs first`(mode: String, agrees: Bool)
      async throws
    {
      try await withServer(mode) { scene, server in
        let (device, address) = try await enrol(on: server)
        let reads: @Sendable (String) async -> Void = { text in
          guard let number = text.firstMatch(of: /enter ([0-9]+) in the app/)?.1 else { return }
          do { try await decide(agrees ? String(number) : nil, by: device, at: address, on: server) } catch {
            Issue.record(error)
          }
        }
        let person =
          mode == "mode=both"
          ? Person(PAMScene.pin, Self.password, reads: reads) : Person(Self.password, reads: reads)
        try await scene.withAgent { notes in
          #expect((await scene.refusal(person) == nil) == agrees, "\(person.texts)")
          #expect(person.questions.last == "Password of mira at 127.0.0.1", "\(person.questions)")
          try await eventually("what was asked is noted") {
            notes.withLock { $0.count } == (mode == "mode=both" ? 1 : 0)
          }
        }
      }
    }

    @Test func `the key alone, or the server alone, is not both`() async throws {
      try await withServer("mode=both", journey: "Login") { scene, _ in
        try await scene.withAgent { _ in
          #expect(await scene.refusal(Person(PAMScene.pin, Self.password)) == nil)
          #expect(await scene.refusal(Person(PAMScene.pin, "wrong", "wrong", "wrong")) != nil)
          let guesser = Person("111111", "111111", "111111", Self.password)
          #expect(await scene.refusal(guesser) != nil)
          #expect(!guesser.questions.contains { $0.hasPrefix("Password") }, "\(guesser.questions)")
        }
        #expect(await scene.refusal(Person(Self.password)) != nil)
      }
    }

    // The server would take the name in capitals, and say who it means.
    @Test func `a server that says yes for another account lets nobody in`() async throws {
      try await withServer("mode=server", journey: "Login", account: "MIRA") { scene, _ in
        #expect(await scene.refusal(Person(Self.password)) == .notRecognised)
      }
    }

    // Root's file says whose certificates are good; the environment, and the machine's authorities, say nothing.
    @Test func `only a server of the authority that root has chosen is asked`() async throws {
      let (certificates, other) = (try TestCertificates(), try TestCertificates())
      let folder = try TemporaryFolder.make()
      let (chain, key) = (folder.file("chain.pem"), folder.file("key.pem"))
      try Data(certificates.chainPEM.utf8).write(to: chain)
      try Data(certificates.keyPEM.utf8).write(to: key)
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key.path)
      try Data(certificates.authorityPEM.utf8).write(to: folder.file("ca.pem"))
      try Data(other.authorityPEM.utf8).write(to: folder.file("other.pem"))
      try await TestServer.run(configure: { $0.tls = TLSFiles(certificate: chain, key: key) }) { server in
        try await server.addUser("mira", password: Self.password)
        let scene = try PAMScene(options: "mode=server")
        try await scene.enrol()
        try await scene.file.setAccount("mira")
        let port = try #require(URL(string: server.address)?.port)
        for (authority, isAsked) in [("ca.pem", true), ("other.pem", false)] {
          try write(
            "url https://localhost:\(port)/am\nrealm alpha\njourney Login\nca \(folder.file(authority).path)\n",
            scene)
          try await scene.withRoot { _ in
            let person = Person(Self.password)
            #expect((await scene.refusal(person) == nil) == isAsked)
            #expect(person.questions.isEmpty == !isAsked, "\(person.questions)")
          }
        }
      }
    }

    @Test(arguments: ["mode=server", "mode=either", "mode=both"])
    func `without the server nobody is let in, unless the key is enough as well`(mode: String) async throws {
      let scene = try PAMScene(options: mode)
      try await scene.enrol()
      try await scene.file.setAccount("mira")
      for settings in [
        "url http://127.0.0.1:9/am\njourney Login\n", "url https://127.0.0.1:9/am\njourney Login\n", "",
        "url http://127.0.0.1:9/am\n",
      ] {
        try write(settings, scene)
        try await scene.withAgent { _ in
          try await scene.withRoot { _ in
            #expect(
              (await scene.refusal(Person(PAMScene.pin, Self.password)) == nil) == (mode == "mode=either"))
          }
          #expect((await scene.refusal(Person(PAMScene.pin)) == nil) == (mode == "mode=either"))
        }
      }
    }

    // Whoever keeps the server, or what stands before it, too busy to answer must not get the key alone.
    @Test(arguments: [
      ("503 Service Unavailable", "<html>"), ("502 Bad Gateway", ""), ("504 Gateway Timeout", "{}"),
      ("500 Internal Server Error", "{}"), ("429 Too Many Requests", #"{"code":429,"message":"slow down"}"#),
      ("403 Forbidden", "{}"), ("404 Not Found", "nothing"), ("302 Found", "{}"), ("200 OK", "{}"),
      ("200 OK", "<html>"), ("200 OK", #"{"tokenId":"","successUrl":"","realm":"/"}"#),
      // The session is nobody's: the same answer comes to the question whose it is.
      ("200 OK", #"{"tokenId":"abc","successUrl":"","realm":"/"}"#),
      (
        "200 OK",
        #"{"authId":"a","callbacks":[{"type":"ChoiceCallback","output":[{"name":"prompt","value":"x"},{"name":"choices","value":["a"]}],"input":[{"name":"IDToken1","value":0}]}]}"#
      ),
      ("200 OK", #"{"authId":"a","callbacks":[{"type":"NobodyKnowsCallback","output":[],"input":[]}]}"#),
    ])
    func `a server that answers has decided, whatever it says`(status: String, body: String) async throws {
      let server = try PlayedServer { _ in (status, body) }
      let scene = try PAMScene(options: "mode=either")
      try await scene.enrol()
      try await scene.file.setAccount("mira")
      try write("url \(server.address)\nrealm alpha\njourney Login\n", scene)
      let person = Person(PAMScene.pin)
      try await scene.withAgent { asked in
        try await scene.withRoot { notes in
          #expect(await scene.refusal(person) == .notRecognised, "\(notes.withLock { $0 })")
        }
        #expect(asked.withLock { $0.isEmpty } && person.questions.isEmpty, "\(person.questions)")
      }
      #expect(!server.requests.isEmpty)
    }

    @Test func `a session that the server says nothing about is ended, too`() async throws {
      let server = try PlayedServer { request in
        request.contains("/authenticate")
          ? ("200 OK", #"{"tokenId":"abc","successUrl":"","realm":"/"}"#)
          : ("500 Internal Server Error", "{}")
      }
      let scene = try PAMScene(options: "mode=server")
      try await scene.file.setAccount("mira")
      try write("url \(server.address)\nrealm alpha\njourney Login\n", scene)
      try await scene.withRoot { _ in #expect(await scene.refusal(Person()) == .notRecognised) }
      #expect(server.requests.contains { $0.contains("_action=logout") }, "\(server.requests)")
    }

    @Test(arguments: [
      ("", "ask Password of mira at 127.0.0.1", ", as mira at 127.0.0.1"),
      ("203.0.113.7", "ask Password: ", ""),
    ])
    func `another host is not told which account is at which server`(
      remote: String, question: String, who: String
    ) async throws {
      try await withServer("mode=server", journey: "Login") { scene, _ in
        let asking = try scene.ask(
          scene.challenge(for: PAMScene.user, verify: "server", remote: remote))
        #expect(await asking.line() == question)
      }
      try await withApplication { scene, _, _, _ in
        let asking = try scene.ask(
          scene.challenge(for: PAMScene.user, verify: "transaction", remote: remote))
        let line = await asking.line() ?? ""
        #expect(
          line.hasPrefix("show Approve it with your device\(who): sealring sign --transaction "), "\(line)")
      }
    }

    @Test func `a lost phone is replaced by a recovery code`() async throws {
      try await withServer("mode=server", journey: "Login") { scene, _ in
        let code = try await RecoveryCodes(scene.file).renew()[0]
        #expect(await scene.refusal(Person("wrong", code)) == nil)
        #expect(await scene.refusal(Person("wrong", code)) != nil)
      }
    }

    @Test func `a user whom root has given no account is not asked at the server`() async throws {
      try await withServer("mode=server", journey: "Login") { scene, _ in
        try await scene.file.change { $0.removeAll { $0.hasPrefix("server ") } }
        let person = Person(Self.password)
        #expect(await scene.refusal(person) != nil)
        #expect(person.questions.isEmpty)
      }
    }

    // MARK: By a transaction

    private func withApplication(
      _ body: @escaping @Sendable (PAMScene, TestServer, TestApplication, TestDevice) async throws -> Void
    ) async throws {
      try await withServer("mode=server ledger=yes") { scene, server in
        let application = try await server.addApplication("laptop")
        try write(
          "url \(server.address)\nrealm alpha\napplication \(application.id) \(application.secret)\n", scene)
        let device = TestDevice()
        let bound = await device.play(
          "BindDevice", on: server, as: "mira", password: Self.password, person: ScriptedPerson(pin: "739184")
        )
        #expect(bound.isSuccess)
        try await body(scene, server, application, device)
      }
    }

    private static func transaction(in text: String) -> String? {
      text.firstMatch(of: /--transaction ([A-Za-z0-9_-]+)/).map { String($0.1) }
    }

    @Test(arguments: [true, false])
    func `with ledger=yes the device signs the command, and the server keeps it`(agrees: Bool) async throws {
      try await withApplication { scene, server, _, device in
        let signer = ScriptedPerson(pins: [.enters("739184")], onTransactions: agrees ? .approves : .refuses)
        let person = Person { text in
          guard let id = Self.transaction(in: text) else { return }
          _ = await device.approve(id, on: server, person: signer)
        }
        #expect((await scene.refusal(person) == nil) == agrees, "\(person.texts)")
        #expect(signer.transactions.first?.text?.hasPrefix("service on ") == true, "\(signer.transactions)")
      }
    }

    @Test func `another account's device signs nobody in`() async throws {
      try await withApplication { scene, server, application, _ in
        try await server.addUser("ada", password: Self.password)
        let other = TestDevice()
        let signer = ScriptedPerson(pin: "739184")
        _ = await other.play("BindDevice", on: server, as: "ada", password: Self.password, person: signer)
        let transaction = Locked<String?>(nil)
        let person = Person { text in
          guard let id = Self.transaction(in: text) else { return }
          transaction.withLock { $0 = id }
          _ = await other.approve(id, on: server, person: signer)
          // Nobody else comes.
          server.clock.advance(by: 400)
        }
        #expect(await scene.refusal(person) != nil)
        let id = try #require(transaction.withLock { $0 })
        #expect(try await application.read(id)["state"] != "approved")
      }
    }

    @Test func `a verdict counts for one transaction, account and signature`() async throws {
      try await withApplication { scene, server, application, device in
        let fields = try Transaction(text: "sudo on laptop for root: -k true")
        let signer = ScriptedPerson(pin: "739184")
        let (id, other) = (
          try await application.create(fields, for: "mira"), try await application.create(fields, for: "mira")
        )
        for id in [id, other] { #expect(await device.approve(id, on: server, person: signer).isSuccess) }
        let verdict = try #require(try await application.read(id).objectValue)
        let second = try #require(try await application.read(other).objectValue)
        try ServerVerification.check(.object(verdict), id, fields, "mira")
        for (name, value) in [
          ("_id", "x"), ("username", "ada"), ("jwt", second["jwt"]?.stringValue ?? ""), ("jwt", ""),
          ("nonce", second["nonce"]?.stringValue ?? ""),
        ] {
          var forged = verdict
          forged[name] = .string(value)
          #expect(throws: PAMRefusal.self, "\(name)") {
            try ServerVerification.check(.object(forged), id, fields, "mira")
          }
        }
        // What was signed, for another question.
        #expect(throws: PAMRefusal.self) {
          try ServerVerification.check(.object(second), id, fields, "mira")
        }
        #expect(throws: PAMRefusal.self) {
          try ServerVerification.check(
            .object(verdict), id, Transaction(text: "sudo on laptop for root: -k false"), "mira")
        }
      }
    }

    @Test(arguments: [
      ("-k -- apt upgrade", 0, "sudo on laptop for mira: -k -- apt upgrade" as String?),
      ("sh -c rm%20-rf%0A%1B[2J", 0, "sudo on laptop for mira: sh -c rm%20-rf%0A%1B[2J"),
      ("a  b", 0, "sudo on laptop for mira: a '' b"), ("", 0, "sudo on laptop for mira"),
      ("true " + String(repeating: "a", count: 500), 0, nil), ("true", 1_000_000, nil),
    ])
    func `what no device shows whole is not asked for`(command: String, leftOut: Int, statement: String?)
      throws
    {
      let text = PAMRequestTests.text
        .replacing(/command .*/, with: command.isEmpty ? "command" : "command \(command)")
        .replacing("left-out 0", with: "left-out \(leftOut)")
        .replacing("verify pin\nkey \(PAMRequestTests.point)", with: "verify transaction")
      let request = try PAMRequest(parsing: Array(text.utf8))
      #expect((try? ServerVerification.statement(request)) == statement)
    }

    // MARK: Settings

    @Test(arguments: [
      ("url https://login.example.com/am\n", 0o600), ("url http://login.example.com/am\n", 0o600),
      ("url login\n", 0o600), ("", 0o600), ("url http://127.0.0.1/am\nurl http://127.0.0.1/b\n", 0o600),
      ("url http://127.0.0.1/am\nproxy x\n", 0o600), ("url http://127.0.0.1/am\napplication a\n", 0o600),
      ("url http://127.0.0.1/am\napplication a b\n", 0o644), ("url http://127.0.0.1/am\n", 0o666),
      ("url https://127.0.0.1/am\nca /nonexistent\n", 0o600),
      // Any user can listen there while the server is down.
      ("url http://127.0.0.1:8080/am\n", 0o600), ("url http://localhost:1024/am\n", 0o600),
      ("url http://[::1]:65535/am\n", 0o600),
    ])
    func `settings that are not root's, or not plain, are not used`(text: String, mode: Int) throws {
      let scene = try PAMScene()
      try write(text, scene, mode: mode)
      let failure = #expect(throws: (any Error).self) {
        try PAMServerSettings(of: scene.settings, service: "sudo")
      }
      // What others can read or write is not even read.
      #expect(mode == 0o600 ? failure is PAMRootError : failure is FileStorageError)
    }

    @Test func `http is for the ports at which only root can listen`() throws {
      let scene = try PAMScene()
      for (port, first, isTaken) in [(80, 1024, true), (1023, 1024, true), (443, 443, false), (80, 0, false)]
      {
        try write("url http://127.0.0.1:\(port)/am\n", scene)
        let settings = try? PAMServerSettings(
          of: scene.settings, service: "sudo", firstPortOfAll: UInt16(first))
        #expect((settings != nil) == isTaken, "\(port)")
      }
    }

    @Test(arguments: [
      ("", true), ("link", true), ("666", false), ("664", false), ("owner", false), ("folder", false),
      ("another's link", false), ("link in an open folder", false), ("link to a link", true),
      ("link to another's link", false), ("link to a link in an open folder", false),
    ])
    func `authorities that others could have written are not believed`(what: String, isTaken: Bool) throws {
      let scene = try PAMScene()
      let folder = scene.folder.file("authorities")
      try FileManager.default.createDirectory(
        at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
      let (file, link) = (folder.appending(path: "ca.pem"), scene.folder.file("links/ca.pem"))
      try Data(TestCertificates().authorityPEM.utf8).write(to: file)
      #expect(chmod(file.path, 0o644) == 0)
      try FileManager.default.createDirectory(
        at: link.deletingLastPathComponent(), withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o755])
      try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
      switch what {
      case "owner": #expect(chown(file.path, 65534, 65534) == 0)
      case "folder": #expect(chmod(folder.path, 0o777) == 0)
      case "another's link": #expect(lchown(link.path, 65534, 65534) == 0)
      case "link in an open folder": #expect(chmod(link.deletingLastPathComponent().path, 0o777) == 0)
      case let what where what.hasPrefix("link to"):
        // What the path names and what it leads to are safe. Between them is a folder of its own.
        let between = scene.folder.file("between")
        try FileManager.default.moveItem(at: link.deletingLastPathComponent(), to: between)
        try FileManager.default.createDirectory(
          at: link.deletingLastPathComponent(), withIntermediateDirectories: true,
          attributes: [.posixPermissions: 0o755])
        try FileManager.default.createSymbolicLink(
          atPath: link.path, withDestinationPath: "../between/./ca.pem")
        if what.hasSuffix("open folder") { #expect(chmod(between.path, 0o777) == 0) }
        if what.contains("another's") { #expect(lchown("\(between.path)/ca.pem", 65534, 65534) == 0) }
      case "666", "664": #expect(chmod(file.path, mode_t(what, radix: 8) ?? 0) == 0)
      default: break
      }
      let path = what.contains("link") ? link.path : file.path
      try write("url https://127.0.0.1/am\nca \(path)\n", scene)
      let settings = Result { try PAMServerSettings(of: scene.settings, service: "sudo") }
      #expect(((try? settings.get()) != nil) == isTaken, "\(settings)")
    }

    @Test func `settings in a folder of others are not root's`() throws {
      let scene = try PAMScene()
      try write("url http://127.0.0.1/am\n", scene)
      #expect(chmod(scene.folder.url.path, 0o777) == 0)
      #expect(throws: FileStorageError.self) {
        try PAMServerSettings(of: scene.settings, service: "sudo")
      }
      try scene.write("server mira\n")
      #expect(throws: FileStorageError.self) { try scene.file.account() }
    }

    @Test func `a setting can be one service's alone`() throws {
      let scene = try PAMScene()
      try write("# root's\nurl http://127.0.0.1/am/\njourney A\nlogin.journey B\n", scene, mode: 0o644)
      #expect(try PAMServerSettings(of: scene.settings, service: "sudo").journey == "A")
      let login = try PAMServerSettings(of: scene.settings, service: "login")
      #expect(login.journey == "B" && login.resources == "http://127.0.0.1/am/json/realms/root")
    }
  }
#endif
