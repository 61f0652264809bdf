#if os(Linux)
  import CommonFixtures
  import Concurrency
  import DeviceKeys
  import Foundation
  import PersonPrompts
  import SSHFormats
  import Testing
  import WebAuthnAuthenticator

  @testable import Agent

  /// `sk-` keys with OpenSSH's own client and server.
  struct SecurityKeySignInTests {
    private func withServer(
      pin: PIN? = AgentScene.pin, _ answers: [PersonAnswer], policy: AgentPolicy = AgentPolicy(),
      options: String = "",
      _ body: (_ server: SSHServer, _ socket: String, _ scene: AgentScene) async throws -> Void
    ) async throws {
      try await withTemporaryFolder { folder in
        let scene = try await AgentScene(
          pin: pin, answers: answers, policy: policy, securityKeysIn: folder.appending(path: "credentials"))
        let file = folder.appending(path: "run/agent")
        let listener = AgentListener(try AgentSocket.listen(at: file), log: scene.questions.log) {
          scene.agent.conversation(with: $0)
        }
        listener.start()
        defer { listener.stop() }
        try await SSHServer.run(in: folder, authorizedKey: options + scene.key.line) { server in
          try await body(server, file.path(percentEncoded: false), scene)
        }
      }
    }

    private static let right = PersonAnswer.pin(AgentScene.pin)

    @Test(arguments: ["", "verify-required "])
    func `with its PIN it signs in, also where the server wants the person verified`(options: String)
      async throws
    {
      try await withServer([Self.right], options: options) { server, socket, scene in
        let result = await (try server.ssh("echo signed in", agent: socket)).finish()
        #expect(result.output == "signed in\n", "\(result.errors)")
        #expect(scene.person.questions.map(\.needsPIN) == [true])
        #expect(try await scene.keys.readable().keys.map { $0.passkey?.signCount } == [1])
      }
    }

    @Test(arguments: [("", true), ("verify-required ", false)])
    func `without a PIN a yes says that somebody was there, and no more`(options: String, isIn: Bool)
      async throws
    {
      try await withServer(pin: nil, [.yes], options: options) { server, socket, _ in
        let result = await (try server.ssh("echo signed in", agent: socket)).finish()
        #expect((result.output == "signed in\n") == isIn, "\(result.errors)")
        #expect(result.status == (isIn ? 0 : 255))
      }
    }

    @Test(arguments: [[.no], [.pin(PIN("111111")), .no]] as [[PersonAnswer]])
    func `without the answer nothing is signed or counted`(answers: [PersonAnswer]) async throws {
      try await withServer(answers) { server, socket, scene in
        let result = await (try server.ssh("true", agent: socket)).finish()
        #expect(result.status == 255)
        #expect(try await scene.keys.readable().keys.map { $0.passkey?.signCount } == [0])
      }
    }

    // A remembered answer would let the flags say that somebody was there who was not.
    @Test func `each signature is asked for, whatever is remembered`() async throws {
      try await withServer([Self.right, Self.right], policy: AgentPolicy(remembersFor: 600)) {
        server, socket, scene in
        for count in 1...2 {
          let result = await (try server.ssh("echo signed in", agent: socket)).finish()
          #expect(result.output == "signed in\n", "\(result.errors)")
          #expect(scene.person.questions.count == count)
          #expect(scene.person.questions.last?["Good for"] == "this time only")
        }
        #expect(try await scene.keys.readable().keys.map { $0.passkey?.signCount } == [2])
      }
    }

    @Test func `a name is for one key, of whichever kind`() async throws {
      try await withTemporaryFolder { folder in
        let scene = try await AgentScene(answers: [], securityKeysIn: folder)
        let taken = DeviceKeyError.exists(tag: "ssh:laptop")
        await #expect(throws: taken) { try await scene.keys.add("laptop", pin: nil) }
        await #expect(throws: taken) { try await scene.keys.addSecurityKey("laptop", pin: nil) }
        _ = try await scene.keys.add("plain", pin: nil)
        await #expect(throws: DeviceKeyError.exists(tag: "ssh:plain")) {
          try await scene.keys.addSecurityKey("plain", pin: nil)
        }
        #expect(try await Set(scene.keys.readable().keys.map(\.name)) == ["laptop", "plain"])
        #expect(try await scene.keys.store.keys().count == 3, "a bound key, and these two")
      }
    }

    @Test func `what cannot be read is said once, and the other keys are offered`() async throws {
      try await withTemporaryFolder { folder in
        let (files, credentials) = (folder.appending(path: "keys"), folder.appending(path: "credentials"))
        let keys = SSHKeys(
          store: try SoftwareKeyStore(directory: files),
          credentials: CredentialStore(directory: credentials, encryption: NoEncryption()))
        for name in ["laptop", "desk"] { _ = try await keys.add(name, pin: nil) }
        _ = try await keys.addSecurityKey("token", pin: nil)
        let told = Locked<[String]>([])
        let log = AgentLog(file: nil) { text in told.withLock { $0.append(text) } }
        let agent = SSHAgent(keys: keys, questions: AgentQuestions(prompt: AgentPerson([]), log: log))
        #expect(await Set(agent.identities().map(\.comment)) == ["laptop", "desk", "token"])

        let desk = KeyFolder(files, suffix: "key", limit: 1 << 16).file(of: "ssh:desk")
        try Data("{}".utf8).write(to: desk)
        for _ in 1...2 { #expect(await Set(agent.identities().map(\.comment)) == ["laptop", "token"]) }
        #expect(told.withLock(\.self).count == 1)
        #expect(told.withLock(\.self).first?.contains(desk.lastPathComponent) == true)
        // A key can still be made beside it, but not in its place.
        _ = try await keys.add("new", pin: nil)
        await #expect(throws: DeviceKeyError.self) { try await keys.add("desk", pin: nil) }

        let records = try FileManager.default.contentsOfDirectory(atPath: credentials.path)
        let record = try #require(records.first { $0.hasSuffix(".credential") })
        try Data("{}".utf8).write(to: credentials.appending(path: record))
        #expect(await Set(agent.identities().map(\.comment)) == ["laptop", "new"])
        #expect(told.withLock(\.self).count == 2)
        #expect(try await keys.readable().faults.count == 2)
      }
    }

    @Test func `a security key that is removed leaves neither key nor record`() async throws {
      try await withTemporaryFolder { folder in
        let scene = try await AgentScene(answers: [], securityKeysIn: folder)
        let plain = try await scene.keys.add("plain", pin: nil)
        #expect(try await scene.keys.readable().keys.map(\.name) == ["laptop", "plain"])
        try await scene.keys.remove(scene.key)
        #expect(try await scene.keys.readable().keys == [plain])
        #expect(try await scene.keys.store.keys().count == 2)
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false))
        #expect(left.filter { !$0.hasPrefix(".") } == [])
      }
    }
  }
#endif
