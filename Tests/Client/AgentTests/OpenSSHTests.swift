#if os(Linux)
  import CommonFixtures
  import DeviceKeys
  import Foundation
  import PersonPrompts
  import SSHFormats
  import Testing

  @testable import Agent

  /// The agent's socket with OpenSSH's own client and server.
  struct OpenSSHTests {
    private static let right = PersonAnswer.pin(AgentScene.pin)

    private func withServer(
      _ answers: [PersonAnswer], allowsForwarding: Bool = false,
      _ body: (_ server: SSHServer, _ socket: String, _ scene: AgentScene) async throws -> Void
    ) async throws {
      try await withTemporaryFolder { folder in
        let knownHosts = folder.appending(path: "known_hosts")
        let scene = try await AgentScene(
          answers: answers, allowsForwarding: allowsForwarding,
          readingKnownHosts: { (try? String(contentsOf: knownHosts, encoding: .utf8)) ?? "" })
        let file = folder.appending(path: "run/agent")
        let listener = AgentListener(try AgentSocket.listen(at: file), log: scene.questions.log) {
          scene.agent.conversation(with: $0)
        }
        listener.start()
        defer { listener.stop() }
        try await SSHServer.run(in: folder, authorizedKey: scene.key.line) { server in
          try await body(server, file.path(percentEncoded: false), scene)
        }
      }
    }

    @Test func `ssh signs in by the device's key, and the question names program, account and host`()
      async throws
    {
      try await withServer([Self.right]) { server, socket, scene in
        let ssh = try server.ssh("echo signed in", agent: socket)
        let result = await ssh.finish()
        #expect(result.status == 0 && result.output == "signed in\n", "\(result.errors)")
        let question = try #require(scene.person.questions.first)
        #expect(question["Program"] == "/usr/bin/ssh (process \(ssh.identifier))")
        #expect(question["Host"] == "[127.0.0.1]:\(server.port)")
        #expect(question["Host key"]?.hasPrefix("SHA256:") == true)
        #expect(question["Account"] == NSUserName() && question["Forwarded by"] == nil)
      }
    }

    @Test(
      arguments: [
        [.no], [.nobody("there is no terminal")], [.pin(PIN("1")), .pin(PIN("2")), .no],
      ] as [[PersonAnswer]])
    func `nobody who agrees, and wrong PINs, sign nobody in`(answers: [PersonAnswer]) async throws {
      try await withServer(answers) { server, socket, _ in
        let result = await (try server.ssh("true", agent: socket)).finish()
        #expect(result.status == 255 && result.errors.contains("Permission denied"), "\(result.errors)")
      }
    }

    // Nothing can tell such a program from the real one; what protects is that it has to ask.
    @Test func `an ssh into which other code was loaded has to ask like any other`() async throws {
      try await withServer([.no]) { server, socket, scene in
        let library = try #require(
          ["x86_64", "aarch64"].map { "/lib/\($0)-linux-gnu/libm.so.6" }.first {
            FileManager.default.fileExists(atPath: $0)
          })
        let result = await (try server.ssh("true", agent: socket, variables: ["LD_PRELOAD": library]))
          .finish()
        #expect(result.status == 255)
        #expect(scene.person.questions.first?["Program"]?.hasPrefix("/usr/bin/ssh (process ") == true)
      }
    }

    @Test(arguments: [false, true])
    func `a host that the agent was forwarded to gets nothing, unless that is allowed`(isAllowed: Bool)
      async throws
    {
      try await withServer([Self.right, Self.right], allowsForwarding: isAllowed) { server, socket, scene in
        let inner = server.arguments("echo inside").map { "'\($0)'" }.joined(separator: " ")
        let result = await (try server.ssh("ssh-add -l; ssh \(inner)", options: ["-A"], agent: socket))
          .finish()
        #expect(result.output.contains("The agent has no identities.") == !isAllowed, "\(result.errors)")
        #expect(result.output.contains("inside") == isAllowed && result.status == (isAllowed ? 0 : 255))
        #expect(
          scene.person.questions.map { $0["Forwarded by"] != nil } == (isAllowed ? [false, true] : [false]))
      }
    }

    @Test func `locked by ssh-add, the agent offers no key until it is unlocked`() async throws {
      try await withServer([Self.right]) { server, socket, _ in
        let script = server.folder.appending(path: "askpass")
        try "#!/bin/sh\necho secret\n".write(to: script, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes(
          [.posixPermissions: 0o700], ofItemAtPath: script.path(percentEncoded: false))
        func add(_ option: String) async throws -> Int32 {
          try await OpenSSHProgram(
            "ssh-add", [option], agent: socket, in: server.folder,
            askingBy: script.path(percentEncoded: false)
          ).finish().status
        }
        #expect(try await add("-l") == 0)
        #expect(try await add("-x") == 0)
        #expect(try await add("-l") == 1)
        #expect(await (try server.ssh("true", agent: socket)).finish().status == 255)
        #expect(try await add("-X") == 0)
        #expect(await (try server.ssh("true", agent: socket)).finish().status == 0)
      }
    }
  }
#endif
