#if os(Linux)
  import CommonFixtures
  import Foundation
  import RuntimeLibraries
  import StrictJSON
  import Testing

  /// Certificates that the server issues over HTTP, with Debian's OpenSSH on both sides.
  @Suite("SSH certificates of the server, with OpenSSH") struct SSHCertificateTests {
    private struct Scene {
      let setup: CommandSetup
      let token: String

      private var realm: String { "\(setup.server.address)/json/realms/root/realms/alpha" }

      /// A session of mira, whose attribute sshNames is the name of whoever runs the tests.
      init(_ setup: CommandSetup) async throws {
        self.setup = setup
        let made = try await setup.tool.run(
          ["ssh-ca", "init", "--realm", "alpha", "--data", setup.data, "--principals", "sshNames"])
        #expect(made.status == 0, "\(made.errors)")
        token = try await WebRequests.signIn(
          "mira", CommandSetup.password, realm: "alpha", at: setup.server.address)
        let admin = try await WebRequests.signIn(
          "amAdmin", ServerProcess.administratorPassword, realm: "root", at: setup.server.address)
        let changed = try await setup.tool.run(
          ["user", "show", "mira", "--json"] + setup.at)
        #expect(changed.status == 0, "\(changed.errors)")
        try await put(
          "users/mira",
          ["username": "mira", "mail": ["mira@example.com"], "sshNames": [.string(NSUserName())]], admin)
      }

      /// Sends a PUT by curl.
      private func put(_ path: String, _ body: JSONObject, _ token: String) async throws {
        let file = setup.path("body.json")
        try JSONValue.object(body).text.write(toFile: file, atomically: true, encoding: .utf8)
        try await curl(
          [
            "-X", "PUT", "-H", "iPlanetDirectoryPro: \(token)", "-H", "Content-Type: application/json", "-d",
            "@\(file)", "\(realm)/\(path)",
          ], to: "changed.json")
      }

      /// What a host does now and then.
      func fetch(_ path: String, to name: String) async throws {
        try await curl(["\(realm)/\(path)"], to: name)
      }

      private func curl(_ arguments: [String], to name: String) async throws {
        try await program("/usr/bin/curl", ["-fsS", "-o", setup.path(name)] + arguments)
      }

      func program(_ path: String, _ arguments: [String]) async throws {
        let program = try SpawnedProgram(
          path, arguments, environment: SpawnedProgram.environment([:]), output: .nothing, errors: .nothing)
        #expect(await program.end() == 0, "\(path) \(arguments)")
      }

      /// Makes a key, unless it is there, and has it certified.
      func certify(_ name: String = "id") async throws {
        let key = setup.path(name)
        if !FileManager.default.fileExists(atPath: key) {
          try await program("/usr/bin/ssh-keygen", ["-q", "-t", "ecdsa", "-N", "", "-f", key])
        }
        let line = try String(contentsOfFile: key + ".pub", encoding: .utf8)
        let answer = try await WebRequests.send(
          "\(realm)/ssh?_action=certify", headers: ["iPlanetDirectoryPro": token],
          json: ["publicKey": .string(line.trimmingCharacters(in: .newlines))])
        guard let certificate = answer.json["certificate"]?.stringValue else {
          throw WebRequests.Refused(answer: answer)
        }
        try certificate.write(toFile: key + "-cert.pub", atomically: true, encoding: .utf8)
      }
    }

    private func signIn(
      _ scene: Scene, _ server: SSHServer, key: String = "id", options: [String] = []
    ) async throws -> (status: Int32, output: String, errors: String) {
      await
        (try server.ssh(
          "echo signed in", options: ["-i", scene.setup.path(key), "-o", "IdentitiesOnly=yes"] + options,
          agent: "/nonexistent")).finish()
    }

    @Test
    func
      `one signs in, until it is revoked and the host has fetched the list; a new one does not help a revoked key`()
      async throws
    {
      try await CommandSetup.run { setup in
        let scene = try await Scene(setup)
        try await scene.fetch("ssh/authority", to: "users.pub")
        try await scene.fetch("ssh/revoked", to: "revoked")
        try await scene.certify()
        let settings = [
          "TrustedUserCAKeys \(setup.path("users.pub"))", "RevokedKeys \(setup.path("revoked"))",
        ]
        try await SSHServer.run(in: setup.folder, authorizedKey: "", settings: settings) { server in
          let first = try await signIn(scene, server)
          #expect(first.status == 0 && first.output == "signed in\n", "\(first.errors)")

          let revoked = try await setup.tool.run(
            ["ssh-ca", "revoke", "--user", "mira", "--realm", "alpha", "--data", setup.data, "--json"])
          #expect(try revoked.json["revoked"] == 1, "\(revoked.errors)")
          #expect(try await signIn(scene, server).status == 0)
          try await scene.fetch("ssh/revoked", to: "revoked")
          #expect(try await signIn(scene, server).status == 255)
          let log = try String(contentsOfFile: server.path("sshd.log"), encoding: .utf8)
          #expect(log.contains("ID mira@alpha (serial ") && log.contains("revoked by file"), "\(log)")

          // Another certificate is another sign-in.
          try await scene.certify()
          #expect(try await signIn(scene, server).status == 0)
          let stolen = try await setup.tool.run([
            "ssh-ca", "revoke", "--key", setup.path("id.pub"), "--realm", "alpha", "--data", setup.data,
          ])
          #expect(stolen.status == 0, "\(stolen.errors)")
          try await scene.fetch("ssh/revoked", to: "revoked")
          #expect(try await signIn(scene, server).status == 255)
          await #expect(throws: WebRequests.Refused.self) { try await scene.certify() }
        }
      }
    }

    @Test func `what a retired key has signed is refused by its host, even when that still trusts the key`()
      async throws
    {
      try await CommandSetup.run { setup in
        let scene = try await Scene(setup)
        try await scene.fetch("ssh/authority", to: "users.pub")
        try await scene.certify()
        try await scene.fetch("ssh/revoked", to: "revoked")
        let settings = [
          "TrustedUserCAKeys \(setup.path("users.pub"))", "RevokedKeys \(setup.path("revoked"))",
        ]
        let shown = try await setup.tool.run(
          ["ssh-ca", "show", "--realm", "alpha", "--data", setup.data, "--json"])
        let old = try #require(try shown.json["userAuthority"]?[0]?["fingerprint"]?.stringValue)
        for command in [["rotate", "users"], ["retire", old]] {
          let done = try await setup.tool.run(
            ["ssh-ca"] + command + ["--realm", "alpha", "--data", setup.data])
          #expect(done.status == 0, "\(done.errors)")
        }
        try await SSHServer.run(in: setup.folder, authorizedKey: "", settings: settings) { server in
          #expect(try await signIn(scene, server).status == 0)
          try await scene.fetch("ssh/revoked", to: "revoked")
          #expect(try await signIn(scene, server).status == 255)
          try await scene.fetch("ssh/authority", to: "users.pub")
          try await scene.certify("other")
          #expect(try await signIn(scene, server, key: "other").status == 0)
        }
      }
    }

    @Test func `a host's certificate is enough for a client that trusts the authority, until it is revoked`()
      async throws
    {
      try await CommandSetup.run { setup in
        let scene = try await Scene(setup)
        try await scene.fetch("ssh/authority", to: "users.pub")
        try await scene.fetch("ssh/revoked", to: "revoked")
        try await scene.certify()
        try await scene.program(
          "/usr/bin/ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", setup.path("host")])
        let signed = try await setup.tool.run([
          "ssh-ca", "sign-host", setup.path("host.pub"), "--name", "127.0.0.1", "--realm", "alpha", "--data",
          setup.data, "--json",
        ])
        #expect(signed.status == 0, "\(signed.errors)")
        let shown = try await setup.tool.run(
          ["ssh-ca", "show", "--realm", "alpha", "--data", setup.data, "--json"])
        let authority = try #require(try shown.json["hostAuthority"]?[0]?["line"]?.stringValue)
        let settings = [
          "TrustedUserCAKeys \(setup.path("users.pub"))", "HostCertificate \(setup.path("host-cert.pub"))",
        ]
        try await SSHServer.run(in: setup.folder, authorizedKey: "", settings: settings) { server in
          let known = setup.path("authorities")
          try "@cert-authority [127.0.0.1]:\(server.port) \(authority)\n".write(
            toFile: known, atomically: true, encoding: .utf8)
          let options = [
            "-o", "UserKnownHostsFile=\(known)", "-o", "RevokedHostKeys=\(setup.path("revoked"))",
          ]
          // The first of two options counts.
          func connect() async throws -> (status: Int32, output: String, errors: String) {
            try await OpenSSHProgram(
              "ssh",
              options
                + server.arguments(
                  "echo signed in", options: ["-i", setup.path("id"), "-o", "IdentitiesOnly=yes"]),
              agent: "/nonexistent", in: setup.folder
            ).finish()
          }
          let trusted = try await connect()
          #expect(trusted.status == 0 && trusted.output == "signed in\n", "\(trusted.errors)")
          let serial = try signed.json["serial"]?.stringValue ?? ""
          let revoked = try await setup.tool.run([
            "ssh-ca", "revoke", "--serial", serial, "--realm", "alpha", "--data", setup.data,
          ])
          #expect(revoked.status == 0, "\(revoked.errors)")
          try await scene.fetch("ssh/revoked", to: "revoked")
          let refused = try await connect()
          #expect(refused.status == 255 && refused.errors.contains("revoked"), "\(refused.errors)")
        }
      }
    }
  }
#endif
