#if os(Linux)
  import CommonFixtures
  import Concurrency
  import DeviceKeys
  import Foundation
  import SecurityKeyFixtures
  import StrictJSON
  import Testing

  /// `sealring passkey --authenticator security-key` with our own virtual security key, against `sealring serve`, in processes of their own.
  @Suite struct SecurityKeyCommandTests {
    private static let password = "Correct horse battery 1"
    private static let pin = "739184"

    private func withServer(
      _ answer: @escaping PlayedSecurityKey.Answer = { $1 },
      _ body: (ServerProcess, CommandLineTool, PlayedSecurityKey) async throws -> Void
    ) async throws {
      try await withTemporaryFolder { folder in
        let server = try await ServerProcess.start(data: folder.appending(path: "server"))
        let tool = CommandLineTool(
          home: folder.appending(path: "device"),
          environment: ["SEALRING_ADMIN_PASSWORD": ServerProcess.administratorPassword])
        let added = try await tool.run(
          ["user", "add", "mira", "--server", server.address, "--password-stdin"], input: Self.password + "\n"
        )
        #expect(added.status == 0, "\(added.errors)")
        let key = try await PlayedSecurityKey(
          .played(pin: PIN(Self.pin), in: folder), in: folder, answer: answer)
        try await body(server, tool, key)
        _ = await server.stop()
      }
    }

    private func run(
      _ command: String, _ more: [String], _ tool: CommandLineTool, _ server: ServerProcess,
      _ key: PlayedSecurityKey,
      input: String = ""
    ) async throws -> CommandLineTool.Result {
      try await tool.run(
        ["passkey", command, "--server", server.address, "--json", "--authenticator", "security-key"]
          + ["--security-key", key.path] + more, input: input)
    }

    @Test func `an account registers a security key and signs in with it, by name and without one`()
      async throws
    {
      try await withServer { server, tool, key in
        let registered = try await run(
          "register", ["--username", "mira", "--password-stdin"], tool, server, key,
          input: Self.password + "\n")
        #expect(registered.status == 0, "\(registered.errors)")
        #expect(registered.errors.contains("Touch the security key"), "\(registered.errors)")
        let made = try registered.json
        #expect(made["store"] == "security-key" && made["username"] == "mira")
        for more in [["--username", "mira"], []] {
          let signedIn = try await run("authenticate", more, tool, server, key)
          #expect(signedIn.status == 0, "\(signedIn.errors)")
          #expect(try signedIn.json["credentialId"] == made["credentialId"])
          #expect(try signedIn.json["tokenId"]?.stringValue?.isEmpty == false)
        }
        // It is in the key, and this machine has nothing.
        #expect(try await tool.run(["passkey", "list", "--json"]).json.arrayValue?.isEmpty == true)
        let own = try await tool.run(["passkey", "authenticate", "--server", server.address, "--yes"])
        #expect(own.status == 1)
      }
    }

    @Test
    func `an account confirms with its security key before this machine gets a passkey, and has both then`()
      async throws
    {
      try await withServer { server, tool, key in
        let first = try await run(
          "register", ["--username", "mira", "--password-stdin"], tool, server, key,
          input: Self.password + "\n")
        #expect(first.status == 0, "\(first.errors)")
        let again = try await run(
          "register", ["--username", "mira", "--password-stdin"], tool, server, key,
          input: Self.password + "\n")
        #expect(
          again.status == 1 && again.errors.contains("registered with the account already"), "\(again.errors)"
        )
        let own = [
          "passkey", "register", "--server", server.address, "--username", "mira", "--store", "software",
          "--json",
          "--yes", "--no-user-verification", "--password-stdin",
        ]
        let refused = try await tool.run(own, input: Self.password + "\n")
        #expect(refused.status == 1, "nobody confirmed")
        let second = try await tool.run(own + ["--security-key", key.path], input: Self.password + "\n")
        #expect(second.status == 0, "\(second.errors)")
        #expect(try second.json["store"] == "software")
        let signedIn = try await run("authenticate", ["--username", "mira"], tool, server, key)
        #expect(try signedIn.json["credentialId"] == first.json["credentialId"])
      }
    }

    @Test func `the key's PIN comes from standard input or the terminal, and a wrong one says so`()
      async throws
    {
      try await withServer(PlayedSecurityKey.withoutOwnQuestion) { server, tool, key in
        let secrets = ["--username", "mira", "--password-stdin", "--pin-stdin"]
        let wrong = try await run("register", secrets, tool, server, key, input: "\(Self.password)\n000001\n")
        #expect(wrong.status == 1 && wrong.errors.contains("PIN is wrong"), "\(wrong.errors)")
        let right = try await run(
          "register", secrets, tool, server, key, input: "\(Self.password)\n\(Self.pin)\n")
        #expect(right.status == 0, "\(right.errors)")
        let unattended = try await run("authenticate", ["--username", "mira"], tool, server, key)
        #expect(unattended.status == 1 && unattended.errors.contains("--pin-stdin"), "\(unattended.errors)")
        let signedIn = try await run(
          "authenticate", ["--username", "mira", "--pin-stdin"], tool, server, key, input: Self.pin + "\n")
        #expect(signedIn.status == 0, "\(signedIn.errors)")
      }
    }

    /// The security key's PIN is tried by CTAP's `getPinToken`.
    private static func triesPIN(_ request: [UInt8]) -> Bool {
      request.first == 0x06 && request.count > 5 && request[4] == 2 && [5, 9].contains(request[5])
    }

    // The server decides which key has to confirm: another key than the PIN is of.
    @Test func `the bound key's PIN does not go to a security key that confirms`() async throws {
      let tries = Locked(0)
      try await withServer({ request, honest in
        if Self.triesPIN(request) { tries.withLock { $0 += 1 } }
        return PlayedSecurityKey.withoutOwnQuestion(request, honest)
      }) { server, tool, key in
        let first = try await run(
          "register", ["--username", "mira", "--password-stdin", "--pin-stdin"], tool, server, key,
          input: "\(Self.password)\n\(Self.pin)\n")
        #expect(first.status == 0, "\(first.errors)")
        let before = tries.withLock { $0 }
        let asked = key.commands.count
        #expect(before > 0)
        let second = try await tool.run(
          [
            "passkey", "register", "--server", server.address, "--username", "mira", "--store", "software",
            "--yes", "--no-user-verification", "--password-stdin", "--pin-stdin", "--security-key", key.path,
          ], input: "\(Self.password)\n294751\n")
        #expect(second.status == 1 && key.commands.count > asked, "\(second.errors)")
        #expect(tries.withLock { $0 } == before, "another key's PIN was tried")
      }
    }

    @Test func `the security key's PIN is not tried on the account's bound key`() async throws {
      try await withServer(PlayedSecurityKey.withoutOwnQuestion) { server, tool, key in
        let bound = try await tool.run(
          [
            "bind", "--server", server.address, "--username", "mira", "--store", "software",
            "--password-stdin", "--pin-stdin",
          ], input: "\(Self.password)\n294751\n")
        #expect(bound.status == 0, "\(bound.errors)")
        func triesLeft() async throws -> JSONValue? {
          try await tool.run(["keys", "list", "--json"]).json.arrayValue?.first?["pinTriesLeft"]
        }
        let before = try await triesLeft()
        #expect(before?.integerValue != nil)
        let refused = try await run(
          "register", ["--username", "mira", "--password-stdin", "--pin-stdin"], tool, server, key,
          input: "\(Self.password)\n\(Self.pin)\n")
        #expect(refused.status == 1, "nobody confirmed")
        #expect(try await triesLeft() == before, "\(refused.errors)")
      }
    }

    @Test func `without a key, and with options that do not go together, it says what to do`() async throws {
      try await withServer { server, tool, key in
        let wrongUse = ["passkey", "authenticate", "--server", server.address]
        for options in [["--security-key", key.path], ["--authenticator", "security-key", "--key", "AAAA"]] {
          #expect(try await tool.run(wrongUse + options).status == 64)
        }
        let missing = try await tool.run(
          wrongUse + ["--authenticator", "security-key", "--security-key", key.path + ".none"])
        #expect(
          missing.status == 1 && missing.errors.contains("There is no security key at"), "\(missing.errors)")
        let listed = try await tool.run(["passkey", "list", "--security-keys", "--json"])
        #expect(listed.status == 0, "\(listed.errors)")
        #expect(try listed.json.arrayValue != nil)
      }
    }
  }
#endif
