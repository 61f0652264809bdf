#if os(Linux)
  import CommonFixtures
  import Foundation
  import SoftwareTPM
  import StrictJSON
  import Testing

  /// `sealring agent` with OpenSSH's client and server: who signs in, who is asked, and who is refused.
  @Suite struct SSHAgentTests {
    private static let pin = "294751"
    private static let question = "PIN (Return alone refuses): "

    private struct Scene {
      let folder: URL
      let tool: CommandLineTool
      let server: SSHServer
      /// The server's folder has `known_hosts`; the agent reads the person's.
      var socket: String { folder.appending(path: "run/agent").path(percentEncoded: false) }

      func onTerminal(_ options: [String] = []) async throws -> TerminalCommand {
        let agent = try TerminalCommand(tool, ["agent", "--socket", socket] + options, size: (100, 40))
        #expect(await agent.read(until: "export SSH_AUTH_SOCK").contains(socket))
        return agent
      }
    }

    private func withScene(
      _ options: [String] = ["--store", "software"], environment: [String: String] = [:],
      _ body: (Scene) async throws -> Void
    ) async throws {
      try await withTemporaryFolder { folder in
        let home = folder.appending(path: "person")
        try FileManager.default.createDirectory(
          at: home.appending(path: ".ssh"), withIntermediateDirectories: true)
        let variables = environment.merging(["HOME": home.path(percentEncoded: false)]) { $1 }
        let tool = CommandLineTool(home: folder.appending(path: "device"), environment: variables)
        let added = try await tool.run(
          ["ssh", "key", "add", "laptop", "--pin-stdin"] + options, input: Self.pin + "\n")
        #expect(added.status == 0, "\(added.errors)")
        let line = added.output.trimmingCharacters(in: .newlines)
        try await SSHServer.run(in: folder, authorizedKey: line) { server in
          try FileManager.default.copyItem(
            at: folder.appending(path: "known_hosts"), to: home.appending(path: ".ssh/known_hosts"))
          try await body(Scene(folder: folder, tool: tool, server: server))
        }
      }
    }

    /// Ends an agent on a terminal.
    private func end(_ agent: TerminalCommand) async {
      agent.type("\u{3}")
      _ = await agent.finish()
    }

    @Test func `ssh signs in by the device's key after the PIN, and the question names host and account`()
      async throws
    {
      try await withScene { scene in
        let agent = try await scene.onTerminal()
        let ssh = try scene.server.ssh("echo signed in", agent: scene.socket)
        let shown = await agent.read(until: Self.question)
        #expect(shown.contains("/usr/bin/ssh (process \(ssh.identifier))"), "\(shown)")
        #expect(shown.contains("[127.0.0.1]:\(scene.server.port)") && shown.contains("SHA256:"), "\(shown)")
        #expect(shown.contains(NSUserName()) && shown.contains("laptop"), "\(shown)")
        agent.type(Self.pin + "\n")
        let result = await ssh.finish()
        #expect(result.status == 0 && result.output == "signed in\n", "\(result.errors)")
        await end(agent)
      }
    }

    @Test func `a wrong PIN signs nobody in, and Return alone refuses`() async throws {
      try await withScene { scene in
        let agent = try await scene.onTerminal()
        let ssh = try scene.server.ssh("true", agent: scene.socket)
        _ = await agent.read(until: Self.question)
        agent.type("111111\n")
        #expect(await agent.read(until: Self.question).contains("The PIN is wrong."))
        agent.type("\n")
        let result = await ssh.finish()
        #expect(result.status == 255 && result.errors.contains("Permission denied"), "\(result.errors)")
        await end(agent)
      }
    }

    @Test func `a host that the agent was forwarded to sees no key and gets no signature`() async throws {
      try await withScene { scene in
        let agent = try await scene.onTerminal()
        let inner = scene.server.arguments("echo inside").map { "'\($0)'" }.joined(separator: " ")
        let ssh = try scene.server.ssh("ssh-add -l; ssh \(inner)", options: ["-A"], agent: scene.socket)
        _ = await agent.read(until: Self.question)
        agent.type(Self.pin + "\n")
        let result = await ssh.finish()
        #expect(result.output.contains("The agent has no identities."), "\(result.output) \(result.errors)")
        #expect(!result.output.contains("inside") && result.status == 255, "\(result.errors)")
        await end(agent)
      }
    }

    @Test func `allowed, a forwarded agent asks and names the host that forwards`() async throws {
      try await withScene { scene in
        let agent = try await scene.onTerminal(["--allow-forwarding"])
        let inner = scene.server.arguments("echo inside").map { "'\($0)'" }.joined(separator: " ")
        let ssh = try scene.server.ssh("ssh \(inner)", options: ["-A"], agent: scene.socket)
        _ = await agent.read(until: Self.question)
        agent.type(Self.pin + "\n")
        #expect(await agent.read(until: Self.question).contains("Forwarded by"))
        agent.type(Self.pin + "\n")
        let result = await ssh.finish()
        #expect(result.status == 0 && result.output == "inside\n", "\(result.errors)")
        await end(agent)
      }
    }

    @Test func `locked by ssh-add, the agent offers no key until it is unlocked`() async throws {
      try await withScene { scene in
        let agent = try await scene.onTerminal()
        let script = scene.folder.appending(path: "askpass")
        try "#!/bin/sh\necho secret\n".write(to: script, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes(
          [.posixPermissions: 0o700], ofItemAtPath: script.path(percentEncoded: false))
        func add(_ option: String) async throws -> (status: Int32, output: String, errors: String) {
          try await OpenSSHProgram(
            "ssh-add", [option], agent: scene.socket, in: scene.folder,
            askingBy: script.path(percentEncoded: false)
          ).finish()
        }
        #expect(try await add("-l").output.contains("laptop (ECDSA)"))
        #expect(try await add("-x").status == 0)
        #expect(try await add("-l").status == 1)
        #expect(try await scene.server.ssh("true", agent: scene.socket).finish().status == 255)
        #expect(try await add("-X").status == 0)
        #expect(try await add("-l").status == 0)
        await end(agent)
      }
    }

    @Test func `without anybody to ask the answer is no, and the reason is in the log`() async throws {
      try await withScene { scene in
        let agent = try scene.tool.start(["agent", "--socket", scene.socket])
        _ = await agent.line(startingWith: "SSH_AUTH_SOCK=")
        #expect(try await scene.server.ssh("true", agent: scene.socket).finish().status == 255)
        agent.send(SIGTERM)
        #expect(await agent.finish().errors.contains("nobody can be asked"))
      }
    }

    @Test func `pinentry asks for an agent without a terminal`() async throws {
      let screen = try #require(PseudoTerminal())
      screen.resize(columns: 100, rows: 40)
      let line = screen.hold()
      defer { close(line) }
      try await withScene(environment: ["GPG_TTY": screen.path, "TERM": "xterm"]) { scene in
        let agent = try scene.tool.start(
          ["agent", "--socket", scene.socket, "--pinentry", "/usr/bin/pinentry-curses"])
        _ = await agent.line(startingWith: "SSH_AUTH_SOCK=")
        let ssh = try scene.server.ssh("echo signed in", agent: scene.socket)
        #expect(await screen.read(until: "laptop").contains("Program"))
        _ = await screen.read(until: "PIN:")
        // As Return on a keyboard: curses reads each key by itself.
        screen.type(Self.pin + "\r")
        let result = await ssh.finish()
        #expect(result.output == "signed in\n", "\(result.errors)")
        agent.send(SIGTERM)
        _ = await agent.finish()
      }
    }

    @Test func `a key in the TPM signs in`() async throws {
      try await SoftwareTPM.run { tpm in
        try await withScene(["--store", "tpm"], environment: ["SEALRING_TCTI": tpm.tcti]) { scene in
          let agent = try await scene.onTerminal()
          let ssh = try scene.server.ssh("echo signed in", agent: scene.socket)
          _ = await agent.read(until: Self.question)
          agent.type(Self.pin + "\n")
          #expect(await ssh.finish().output == "signed in\n")
          await end(agent)
        }
      }
    }

    @Test func `remembered, the second sign-in to the same host asks nobody`() async throws {
      try await withScene { scene in
        let agent = try await scene.onTerminal(["--remember", "5"])
        let first = try scene.server.ssh("true", agent: scene.socket)
        #expect(await agent.read(until: Self.question).contains("5 minutes"))
        agent.type(Self.pin + "\n")
        #expect(await first.finish().status == 0)
        #expect(try await scene.server.ssh("true", agent: scene.socket).finish().status == 0)
        await end(agent)
      }
    }

    @Test func `a socket that systemd opened is used`() async throws {
      try await withScene { scene in
        let path = scene.folder.appending(path: "activated").path(percentEncoded: false)
        let activator = try RunningCommand(
          path: "/usr/bin/systemd-socket-activate",
          arguments: ["-l", path, "-E", "SEALRING_HOME", "-E", "HOME"] + [
            CommandLineTool.binary.path(percentEncoded: false), "agent",
          ], environment: scene.tool.variables, input: "")
        // The file is there before anybody listens.
        #expect(await activator.remark(/Listening on/) != nil)
        let listed = try await OpenSSHProgram("ssh-add", ["-l"], agent: path, in: scene.folder).finish()
        #expect(listed.output.contains("laptop (ECDSA)"), "\(listed.errors)")
        activator.send(SIGTERM)
        _ = await activator.finish()
      }
    }

    @Test func `an agent that is killed in a question signs nothing, and the next one takes its place`()
      async throws
    {
      try await withScene { scene in
        let killed = try await scene.onTerminal()
        let ssh = try scene.server.ssh("true", agent: scene.socket)
        _ = await killed.read(until: Self.question)
        let second = try await scene.tool.run(["agent", "--socket", scene.socket])
        #expect(second.status == 1 && second.errors.contains("listens at"), "\(second.errors)")
        killed.send(SIGKILL)
        _ = await killed.finish()
        #expect(await ssh.finish().status == 255)
        let next = try await scene.onTerminal()
        let again = try scene.server.ssh("echo signed in", agent: scene.socket)
        _ = await next.read(until: Self.question)
        next.type(Self.pin + "\n")
        #expect(await again.finish().output == "signed in\n")
        await end(next)
      }
    }

    @Test func `status shows the question, lock refuses it, and the log has both answers`() async throws {
      try await withScene { scene in
        let agent = try await scene.onTerminal(["--remember", "5"])
        let place = ["--socket", scene.socket]
        let first = try scene.server.ssh("true", agent: scene.socket)
        _ = await agent.read(until: Self.question)
        let status = try await scene.tool.run(["agent", "status", "--json"] + place)
        let facts = try status.json["question"]?["facts"]
        #expect(
          facts?["Program"]?.stringValue == "/usr/bin/ssh (process \(first.identifier))", "\(status.errors)")
        #expect(try await scene.tool.run(["agent", "lock"] + place).status == 0)
        #expect(await first.finish().status == 255)
        let second = try scene.server.ssh("true", agent: scene.socket)
        _ = await agent.read(until: Self.question)
        agent.type(Self.pin + "\n")
        #expect(await second.finish().status == 0)
        let shown = try await scene.tool.run(["agent", "status"] + place).output
        #expect(shown.contains("SSH sign-in by /usr/bin/ssh, not asked until"), "\(shown)")
        let locked = try await scene.tool.run(["agent", "lock", "--json"] + place)
        #expect(try locked.json["forgotten"] == 1)
        let log = try await scene.tool.run(["agent", "log", "--json"])
        #expect(try log.json.arrayValue?.map { $0["answer"] } == ["refused", "done"], "\(log.output)")
        #expect(try log.json[1]?["facts"]?["Host"]?.stringValue?.hasPrefix("[127.0.0.1]:") == true)
        #expect(try await scene.tool.run(["agent", "log", "--last", "1"]).output.contains("/usr/bin/ssh"))
        await end(agent)
        let without = try await scene.tool.run(["agent", "status"] + place)
        #expect(without.status == 1 && without.errors.contains("No agent listens"), "\(without.errors)")
      }
    }
  }
#endif
