import CommonFixtures
import Foundation
import StrictJSON
import Testing

/// `sealring oath`, and one-time codes in `sealring journey run`: commands of their own against the real server.
@Suite struct OathCommandTests {
  private func run(_ journey: String, _ scene: PushScene, _ more: [String] = []) async throws
    -> CommandLineTool.Result
  {
    try await scene.device.run(
      ["journey", "run", journey, "--server", scene.server.address, "--username", "mira", "--password-stdin"]
        + more, input: PushScene.password + "\n")
  }

  private func credentials(_ tool: CommandLineTool, _ kind: [String] = ["oath", "list"]) async throws
    -> [JSONValue]
  {
    let listed = try await tool.run(kind + ["--json"])
    #expect(listed.status == 0, "\(listed.errors)")
    return try listed.json.arrayValue ?? []
  }

  @Test func `one code enrols for push and for codes, and both sign in`() async throws {
    try await PushScene.run { scene in
      let registered = try await run("CombinedRegister", scene)
      #expect(registered.status == 0, "\(registered.errors)")
      #expect(try await credentials(scene.device).count == 1)
      #expect(try await credentials(scene.device, ["push", "credentials"]).count == 1)
      let byCode = try await run("OathSignIn", scene, ["--json"])
      #expect(byCode.status == 0, "\(byCode.errors)")
      #expect(byCode.errors.contains("Gave the server a code of mira at Sealring"), "\(byCode.errors)")
      #expect(try byCode.json["tokenId"]?.stringValue?.isEmpty == false)
      let listening = try scene.device.start(["push", "listen", "--once", "--approve"])
      _ = await listening.remark(/Listening for mira/)
      let byPush = try await scene.signIn().finish()
      #expect(byPush.status == 0, "\(byPush.errors)")
      #expect(await listening.finish().status == 0)
    }
  }

  @Test func `an enrolment for both that the server does not confirm leaves neither`() async throws {
    try await PushScene.run { scene in
      func offer() async throws -> (RunningCommand, String) {
        let (command, uri) = try await scene.beginEnrolment(["--journey", "CombinedRegister"])
        #expect(uri.hasPrefix("mfauth://totp/"))
        return (command, uri)
      }
      let (abandoned, old) = try await offer()
      abandoned.send(SIGTERM)
      _ = await abandoned.finish()
      // Nobody answers at that port.
      let broken = old.replacing(
        /&(r|a)=[^&]*/,
        with: { match in
          "&\(match.1)=\(Data("http://127.0.0.1:1/am/push?_action=x".utf8).base64EncodedString())"
        })
      for command in [["oath", "add"], ["push", "enroll"]] {
        let failed = try await scene.device.run(command + ["-"], input: broken + "\n")
        #expect(failed.status == 1, "\(failed.output)")
        #expect(try await credentials(scene.device).isEmpty)
        #expect(try await credentials(scene.device, ["push", "credentials"]).isEmpty)
      }
      let (command, uri) = try await offer()
      let added = try await scene.device.run(["oath", "add", "-", "--json"], input: uri + "\n")
      #expect(added.status == 0, "\(added.errors)")
      #expect(try added.json["pushCredentialId"]?.stringValue?.isEmpty == false)
      #expect(await command.finish().status == 0)
    }
  }

  /// The bundled registration as other servers have it: the authenticator is kept before a code of it was seen.
  private static func registrationWithoutProof() throws -> String {
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../Sources/Server/JourneyFiles/journeys/OathRegister.journey.json")
    return try String(contentsOf: file, encoding: .utf8)
      .replacing(#""_id": "OathRegister""#, with: #""_id": "OathPlain""#)
      .replacing(#""postponeDeviceProfileStorage": true"#, with: #""postponeDeviceProfileStorage": false"#)
      .replacing(
        #""successOutcome": "1e7e92cb-f5ee-5848-9189-0fda607d574a""#,
        with: #""successOutcome": "c0342667-ab6e-5212-9224-355d0440a8eb""#)
  }

  // A code opens the account that it is for, whoever asks for it.
  @Test func `a server that did not enrol the credential gets no code without the person's word`()
    async throws
  {
    try await PushScene.run(journeys: ["OathPlain": try Self.registrationWithoutProof()]) { scene in
      let (command, uri) = try await scene.beginEnrolment(["--journey", "OathPlain"])
      #expect(await command.finish().status == 0)
      let added = try await scene.device.run(["oath", "add", "-"], input: uri + "\n")
      #expect(added.status == 0, "\(added.errors)")
      let refused = try await run("OathSignIn", scene)
      #expect(refused.status == 1 && refused.errors.contains("--oath"), "\(refused.errors)")
      let named = try await run("OathSignIn", scene, ["--oath", "mira"])
      #expect(named.status == 0, "\(named.errors)")
      let unknown = try await run("OathSignIn", scene, ["--oath", "nobody"])
      #expect(unknown.status == 1 && unknown.errors.contains("oath list"), "\(unknown.errors)")
    }
  }

  private static let vector = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"

  // RFC 4226 appendix D.
  private static let codes = [
    "755224", "287082", "359152", "969429", "338314", "254676", "287922", "162583", "399871", "520489",
  ]

  @Test func `commands that make codes of a counter at once make different ones`() async throws {
    try await withTemporaryFolder { folder in
      let tool = CommandLineTool(home: folder)
      let added = try await tool.run(
        ["oath", "add", "-"], input: "otpauth://hotp/ada?secret=\(Self.vector)\n")
      #expect(added.status == 0, "\(added.errors)")
      let made = try await withThrowingTaskGroup(of: String.self) { group in
        for _ in 0..<8 {
          group.addTask { try await tool.run(["oath", "code"]).output.trimmingCharacters(in: .newlines) }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(Set(made) == Set(Self.codes.prefix(8)), "\(made)")
      // One that is ended in the middle may skip a counter and never brings one back.
      for _ in 0..<4 {
        let command = try tool.start(["oath", "code"])
        command.send(SIGKILL)
        _ = await command.finish()
      }
      let next = try await tool.run(["oath", "code", "--json"])
      #expect(try #require(try next.json["counter"]?.integerValue) >= 8)
    }
  }

  @Test func `in a terminal the code counts down`() async throws {
    try await withTemporaryFolder { folder in
      let tool = CommandLineTool(home: folder)
      let uri = "otpauth://totp/Bank:ada?secret=\(Self.vector)"
      #expect(try await tool.run(["oath", "add", uri]).status == 0)
      // A terminal of its own for the command, whose output is this command's.
      let program = """
        import os, pty, sys
        pid, terminal = pty.fork()
        if pid == 0: os.execv(sys.argv[1], sys.argv[1:])
        text = b''
        while text.count(b' s left') < 3: text += os.read(terminal, 4096)
        os.kill(pid, 2)
        os.waitpid(pid, 0)
        sys.stdout.buffer.write(text)
        """
      var environment = ProcessInfo.processInfo.environment
      environment["SEALRING_HOME"] = folder.path(percentEncoded: false)
      environment["TERM"] = "xterm"
      let shown = try await RunningCommand(
        path: "/usr/bin/python3",
        arguments: ["-c", program, CommandLineTool.binary.path(percentEncoded: false), "oath", "code"],
        environment: environment, input: ""
      ).finish()
      #expect(shown.status == 0, "\(shown.errors)")
      let line = /\r\d{3} \d{3}  \[#*-*\]  (\d+) s left\u{1B}\[K/
      let times = shown.output.matches(of: line).compactMap { Int($0.1) }
      #expect(
        shown.output.hasPrefix("ada at Bank\r\n") && times.count >= 3, "\(shown.output.debugDescription)")
      #expect(Set(times).count >= 2, "\(times)")
    }
  }
}
