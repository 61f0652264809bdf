#if os(Linux)
  import CommonFixtures
  import Foundation
  import RuntimeLibraries
  import SoftwareTPM
  import StrictJSON
  import Testing

  /// `sealring ssh login` and what renews without a question, with the realm's authority, the agent, and OpenSSH's client and server.
  @Suite struct SSHLoginTests {
    private static let password = "Correct horse battery 1"
    private static let pin = "294751"
    private static let otherPIN = "739184"
    private static let question = "PIN (Return alone refuses): "

    private struct Scene {
      let folder: URL
      let server: ServerProcess
      let tool: CommandLineTool
      var socket: String { folder.appending(path: "run/agent").path(percentEncoded: false) }
      /// What each command needs to know.
      var place: [String] { ["--server", server.address, "--realm", "alpha"] }
      /// What the operator's commands need to know.
      var data: [String] {
        ["--data", folder.appending(path: "server").path(percentEncoded: false), "--realm", "alpha"]
      }
      var certificate: URL { tool.home.appending(path: "ssh/laptop-cert.pub") }

      func addKey(_ options: [String], input: String = "") async throws {
        let added = try await tool.run(["ssh", "key", "add", "laptop"] + options, input: input)
        #expect(added.status == 0, "\(added.errors)")
      }

      /// Arguments of a login that is asked nothing on a terminal.
      func login(_ more: [String] = []) -> [String] {
        ["ssh", "login"] + more + place + ["--username", "mira", "--password-stdin"]
      }

      /// Starts an agent on a terminal.
      func agent(_ options: [String] = []) async throws -> TerminalCommand {
        let agent = try TerminalCommand(tool, ["agent", "--socket", socket] + options, size: (100, 40))
        #expect(await agent.read(until: "export SSH_AUTH_SOCK").contains(socket))
        return agent
      }

      /// Runs a server of OpenSSH that takes mira's certificates by the realm's authority, and shows one of its own.
      func withHost(_ body: (SSHServer) async throws -> Void) async throws {
        func path(_ name: String) -> String { folder.appending(path: name).path(percentEncoded: false) }
        let answer = try await WebRequests.send("\(server.address)/json/realms/root/realms/alpha/ssh")
        let keys = answer.json["userAuthority"]?.arrayValue ?? []
        let lines = keys.map { ($0.stringValue ?? "") + "\n" }.joined()
        try Data(lines.utf8).write(to: folder.appending(path: "authorities"))
        try Data("mira\n".utf8).write(to: folder.appending(path: "principals"))
        let keygen = try SpawnedProgram(
          "ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", path("host")],
          environment: SpawnedProgram.environment([:]), output: .nothing, errors: .nothing)
        #expect(await keygen.end() == 0)
        let signed = try await tool.run(
          ["ssh-ca", "sign-host", path("host.pub"), "--name", "127.0.0.1"] + data)
        #expect(signed.status == 0, "\(signed.errors)")
        let settings = [
          "TrustedUserCAKeys \(path("authorities"))", "AuthorizedPrincipalsFile \(path("principals"))",
          "HostCertificate \(path("host-cert.pub"))",
        ]
        try await SSHServer.run(in: folder, authorizedKey: "", settings: settings) { host in
          try FileManager.default.removeItem(atPath: host.path("known_hosts"))
          try FileManager.default.createDirectory(
            at: folder.appending(path: ".ssh"), withIntermediateDirectories: true)
          for file in [host.path("known_hosts"), "~/.ssh/known_hosts"] {
            let trusted = try await tool.run(
              ["ssh", "trust", "[127.0.0.1]:\(host.port)", "--file", file] + place)
            #expect(trusted.status == 0, "\(trusted.errors)")
          }
          try await body(host)
        }
      }
    }

    /// - Parameter rules: Those of the realm's authority.
    private func withScene(
      _ rules: [String] = [], serving arguments: [String] = [], environment: [String: String] = [:],
      _ body: (Scene) async throws -> Void
    ) async throws {
      try await withTemporaryFolder { folder in
        let data = folder.appending(path: "server")
        let server = try await ServerProcess.start(data: data, arguments: arguments)
        let tool = CommandLineTool(
          home: folder.appending(path: "device"),
          environment: environment.merging([
            "SEALRING_ADMIN_PASSWORD": ServerProcess.administratorPassword,
            "HOME": folder.path(percentEncoded: false),
          ]) { $1 })
        let added = try await tool.run(
          ["user", "add", "mira", "--server", server.address, "--password-stdin"],
          input: Self.password + "\n")
        #expect(added.status == 0, "\(added.errors)")
        let scene = Scene(folder: folder, server: server, tool: tool)
        let made = try await tool.run(["ssh-ca", "init"] + rules + scene.data)
        #expect(made.status == 0, "\(made.errors)")
        try await body(scene)
        #expect(await server.stop().status == 0)
      }
    }

    /// The arguments of `ssh` behind the host.
    private func behindHost(_ host: SSHServer, _ command: String) -> [String] {
      Array(host.arguments(command).dropLast(2)) + [command]
    }

    @Test func `login plays the realm's journey and signs in with ssh; later nobody is asked`() async throws {
      try await withScene { scene in
        try await scene.addKey(["--store", "software", "--pin-stdin"], input: Self.pin + "\n")
        try await scene.withHost { host in
          let agent = try await scene.agent()
          let target = "\(NSUserName())@127.0.0.1"
          let login = try scene.tool.start(
            scene.login([target, "--socket", scene.socket]) + ["--"] + behindHost(host, "echo signed in"),
            input: Self.password + "\n")
          let shown = await agent.read(until: Self.question)
          for fact in ["Certificate    mira@alpha", "Certified for  mira", "Authority      SHA256:"] {
            #expect(shown.contains(fact), "\(shown)")
          }
          // The host's name comes from its certificate.
          #expect(!shown.contains("not in known_hosts"), "\(shown)")
          agent.type(Self.pin + "\n")
          let result = await login.finish()
          #expect(result.status == 0 && result.output == "signed in\n", "\(result.errors)")
          #expect(result.errors.contains("Key laptop is certified for mira until"))

          // The session is enough for the next ones.
          let (program, place) = (
            CommandLineTool.binary.path(percentEncoded: false), scene.place.joined(separator: " ")
          )
          let settings = scene.folder.appending(path: "ssh_config")
          try """
          Match host 127.0.0.1 exec "\(program) ssh certificate --for %h \(place)"
            IdentityAgent \(scene.socket)

          """.write(to: settings, atomically: true, encoding: .utf8)
          for options in [
            ["-F", settings.path(percentEncoded: false)],
            [
              "-F", "none", "-o", "IdentityAgent=\(scene.socket)", "-o",
              "ProxyCommand=\(program) ssh proxy %h %p \(place)",
            ],
          ] {
            try FileManager.default.removeItem(at: scene.certificate)
            let arguments = options + host.arguments("echo renewed").dropFirst(2)
            let ssh = try OpenSSHProgram(
              "ssh", arguments, agent: "/nowhere", in: scene.folder,
              variables: scene.tool.variables)
            _ = await agent.read(until: Self.question)
            agent.type(Self.pin + "\n")
            let renewed = await ssh.finish()
            #expect(renewed.output == "renewed\n", "\(renewed.errors)")
          }

          // When it has ended somebody has to sign in.
          try FileManager.default.removeItem(at: scene.certificate)
          #expect(
            try await scene.tool.run(["session", "logout", "--username", "mira"] + scene.place).status == 0)
          let proxied = host.arguments(
            "true",
            options: [
              "-o", "ProxyCommand=\(program) ssh proxy %h %p \(place)",
            ])
          let refused = await
            (try OpenSSHProgram(
              "ssh", proxied, agent: scene.socket, in: scene.folder, variables: scene.tool.variables))
            .finish()
          #expect(
            refused.status == 255 && refused.errors.contains("sealring ssh login 127.0.0.1"),
            "\(refused.errors)")
          agent.type("\u{3}")
          _ = await agent.finish()
        }
      }
    }

    @Test
    func `ssh gets the agent, the terminal's echo and no blocked signals; without an agent it does not run`()
      async throws
    {
      try await withTemporaryFolder { programs in
        let ssh = programs.appending(path: "ssh")
        try """
        #!/bin/sh
        echo "arguments $*" "socket $SSH_AUTH_SOCK"
        stty -a
        # Without another program: while it waits for one, the shell itself blocks signals.
        while read -r line; do case $line in SigBlk*|SigIgn*) echo "$line";; esac; done < /proc/$$/status
        # The last one is the list's own.
        echo open $(ls /proc/self/fd)
        echo over

        """.write(to: ssh, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes(
          [.posixPermissions: 0o700], ofItemAtPath: ssh.path(percentEncoded: false))
        let path =
          "\(programs.path(percentEncoded: false)):\(ProcessInfo.processInfo.environment["PATH"] ?? "")"
        try await withScene(environment: ["PATH": path]) { scene in
          try await scene.addKey(["--store", "software", "--no-pin"])
          let alone = try await scene.tool.run(
            scene.login(["web", "--socket", scene.socket]), input: Self.password + "\n")
          #expect(alone.status == 1 && alone.errors.contains("No agent listens"), "\(alone.errors)")
          #expect(alone.errors.contains("The certificate is kept until") && alone.output.isEmpty)
          #expect(
            try await scene.tool.run(["session", "logout", "--username", "mira"] + scene.place).status == 0)
          try FileManager.default.removeItem(at: scene.certificate)

          let agent = try await scene.agent()
          let login = try TerminalCommand(
            scene.tool,
            ["ssh", "login", "web", "--socket", scene.socket, "--username", "mira"] + scene.place + [
              "--", "-v", "id -u",
            ],
            size: (200, 40))
          _ = await login.read(until: "Password for mira: ")
          login.type(Self.password + "\n")
          let result = await login.finish()
          #expect(
            result.status == 0 && result.shown.contains("arguments web -v id -u socket \(scene.socket)"),
            "\(result.shown)")
          #expect(result.shown.contains(" echo ") && !result.shown.contains("-echo "))
          // Signal 32 is the C library's own.
          #expect(
            result.shown.contains(/SigBlk:\s*0+\n/) && result.shown.contains(/SigIgn:\s*0+(80000000)?\n/))
          #expect(result.shown.contains("open 0 1 2 3\n"), "\(result.shown)")
          agent.type("\u{3}")
          _ = await agent.finish()
        }
      }
    }

    @Test func `a session that is not enough leads to the journey that is, with somebody there only`()
      async throws
    {
      try await withTemporaryFolder { journeys in
        let login = URL(filePath: #filePath).appending(path: "../../../../journeys/Login.journey.json")
        let strong = try String(contentsOf: login.standardizedFileURL, encoding: .utf8)
          .replacing("\"_id\": \"Login\"", with: "\"_id\": \"Strong\"")
          .replacing("\"authLevelIncrement\": 1", with: "\"authLevelIncrement\": 2")
        let folder = journeys.appending(path: "alpha")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try strong.write(to: folder.appending(path: "Strong.journey.json"), atomically: true, encoding: .utf8)
        try await withScene(
          ["--level", "2", "--journey", "Strong"],
          serving: ["--journeys", journeys.path(percentEncoded: false)]
        ) { scene in
          try await scene.addKey(["--store", "software", "--no-pin"])
          let weak = try await scene.tool.run(
            ["session", "login", "--username", "mira", "--password-stdin"] + scene.place,
            input: Self.password + "\n")
          #expect(weak.status == 0, "\(weak.errors)")
          let silent = try await scene.tool.run(["ssh", "certificate", "--for", "web"] + scene.place)
          #expect(silent.status == 1 && silent.errors.contains("authentication level 2"), "\(silent.errors)")
          #expect(silent.errors.contains("sealring ssh login web"), "\(silent.errors)")
          let played = try await scene.tool.run(scene.login(), input: Self.password + "\n")
          #expect(played.status == 0 && played.errors.contains("certified for mira"), "\(played.errors)")
          try FileManager.default.removeItem(at: scene.certificate)
          #expect(try await scene.tool.run(["ssh", "certificate"] + scene.place).status == 0)
          // Another journey than the realm's is the person's choice, and here not enough.
          try FileManager.default.removeItem(at: scene.certificate)
          #expect(
            try await scene.tool.run(["session", "logout", "--username", "mira"] + scene.place).status == 0)
          let other = try await scene.tool.run(
            scene.login(["--journey", "Login"]), input: Self.password + "\n")
          #expect(other.status == 1 && other.errors.contains("authentication level 2"), "\(other.errors)")
        }
      }
    }

    @Test(.timeLimit(.minutes(3)))
    func `where the realm wants it, the TPM attests the key before it is certified`() async throws {
      try await withTemporaryFolder { folder in
        func file(_ name: String) -> String { folder.appending(path: name).path(percentEncoded: false) }
        let operatorTool = CommandLineTool(home: folder.appending(path: "operator"))
        let made = try await operatorTool.run([
          "attestation", "authority", "create", "--dir", file("authority"),
        ])
        #expect(made.status == 0, "\(made.errors)")
        try await SoftwareTPM.run { chip in
          try await withScene(
            ["--attested", "yes"], serving: ["--tpm-roots", file("authority/root.pem")],
            environment: ["SEALRING_TCTI": chip.tcti]
          ) { scene in
            try await scene.addKey(["--store", "tpm", "--pin-stdin"], input: Self.pin + "\n")
            let options = scene.login(["--key-pin-stdin", "--json"])
            let before = try await scene.tool.run(options, input: "\(Self.password)\n\(Self.pin)\n")
            #expect(before.status == 1 && before.errors.contains("attestation request"), "\(before.errors)")

            #expect(try await scene.tool.run(["attestation", "request", file("request.json")]).status == 0)
            let issued = try await operatorTool.run(
              ["attestation", "issue", "--authority", file("authority")]
                + chip.endorsementAuthorities.flatMap { ["--ek-roots", $0.path(percentEncoded: false)] }
                + [file("request.json"), file("credential.json")])
            #expect(issued.status == 0, "\(issued.errors)")
            #expect(
              try await scene.tool.run(["attestation", "install", file("credential.json")]).status == 0)

            let wrong = try await scene.tool.run(options, input: "\(Self.password)\n111111\n")
            #expect(wrong.status == 1 && wrong.errors.contains("PIN"), "\(wrong.errors)")
            let certified = try await scene.tool.run(options, input: "\(Self.password)\n\(Self.pin)\n")
            #expect(certified.status == 0, "\(certified.errors)")
            #expect(try certified.json["principals"] == ["mira"])

            // The key that signs in has another PIN, which is never tried on this one.
            let bind = [
              "bind", "--username", "mira", "--store", "software", "--password-stdin", "--pin-stdin",
            ]
            let bound = try await scene.tool.run(
              bind + scene.place, input: "\(Self.password)\n\(Self.otherPIN)\n")
            #expect(bound.status == 0, "\(bound.errors)")
            #expect(
              try await scene.tool.run(["session", "logout", "--username", "mira"] + scene.place).status == 0)
            let signIn = ["--journey", "SignIn", "--new", "--json", "--pin-stdin"]
            let missing = try await scene.tool.run(
              scene.login(signIn), input: "\(Self.password)\n\(Self.otherPIN)\n\(Self.pin)\n")
            #expect(missing.status == 1 && missing.errors.contains("--key-pin-stdin"), "\(missing.errors)")
            let both = try await scene.tool.run(
              scene.login(signIn + ["--key-pin-stdin"]),
              input: "\(Self.password)\n\(Self.otherPIN)\n\(Self.pin)\n")
            #expect(both.status == 0, "\(both.errors)")
            let swapped = try await scene.tool.run(
              scene.login(signIn + ["--key-pin-stdin"]),
              input: "\(Self.password)\n\(Self.pin)\n\(Self.otherPIN)\n")
            #expect(swapped.status == 1 && swapped.errors.contains("PIN"), "\(swapped.errors)")
            let keys = try await scene.tool.run(["keys", "list", "--json"])
            #expect(try keys.json[0]?["pinTriesLeft"] == 10, "no try of the other key: \(keys.output)")

            // The chip attests it only after the PIN, for which somebody has to be there.
            try FileManager.default.removeItem(at: scene.certificate)
            let silent = try await scene.tool.run(["ssh", "certificate"] + scene.place)
            #expect(silent.status == 1 && silent.errors.contains("needs the key's PIN"), "\(silent.errors)")
            let open = ["ssh", "key", "add", "open", "--store", "tpm", "--no-pin"]
            #expect(try await scene.tool.run(open).status == 0)
            let renewed = try await scene.tool.run(["ssh", "certificate", "--key", "open"] + scene.place)
            #expect(renewed.status == 0, "\(renewed.errors)")
          }
        }
      }
    }
  }
#endif
