#if os(Linux)
  import CommonFixtures
  import Crypto
  import Foundation
  import PersonPrompts
  import RuntimeLibraries
  import SSHFormats
  import Testing

  @testable import Agent

  /// Sign-ins by certificate, with OpenSSH's own client and server, which knows the authority and no key.
  struct CertificateSignInTests {
    private struct Scene {
      let server: SSHServer
      let socket: String
      let agent: AgentScene
      let authority: P256.Signing.PrivateKey

      /// Signs in with a certificate.
      func signIn(
        serial: UInt64 = 1, principals: [String] = [NSUserName()], seconds: Range<Int> = -60..<600,
        by other: P256.Signing.PrivateKey? = nil, options: [String] = [], command: String = "echo signed in"
      ) async throws -> (status: Int32, output: String, errors: String) {
        let certificate = try await certificate(
          serial: serial, principals: principals, seconds: seconds, by: other)
        let (key, file) = (server.path("id.pub"), server.path("id-cert.pub"))
        try agent.key.line.write(toFile: key, atomically: true, encoding: .utf8)
        try certificate.line(comment: "ada").write(toFile: file, atomically: true, encoding: .utf8)
        let certified = ["-i", key, "-o", "CertificateFile=\(file)", "-o", "IdentitiesOnly=yes"]
        return await (try server.ssh(command, options: certified + options, agent: socket)).finish()
      }

      func certificate(
        serial: UInt64 = 1, principals: [String] = [NSUserName()], seconds: Range<Int> = -60..<600,
        by other: P256.Signing.PrivateKey? = nil
      ) async throws -> SSHCertificate {
        let (authority, now) = (other ?? authority, Int(Date().timeIntervalSince1970))
        let contents = try SSHCertificate.Contents(
          nonce: (0..<32).map { _ in UInt8.random(in: 0...255) },
          key: HostKey(parsing: agent.key.publicKey.blob), serial: serial,
          kind: .user, identifier: "ada@bank", principals: principals,
          validity: UInt64(now + seconds.lowerBound)..<UInt64(now + seconds.upperBound),
          extensions: ["permit-agent-forwarding": nil])
        return try await SSHCertificate(
          issuing: contents, by: SSHPublicKey(point: Array(authority.publicKey.x963Representation))
        ) { Array(try authority.signature(for: $0).rawRepresentation) }
      }

      var certificates: SSHCertificates { SSHCertificates(folder: server.folder.appending(path: "kept")) }

      /// Signs in with what the agent offers by itself.
      func signInByAgent() async throws -> (status: Int32, output: String, errors: String) {
        await (try server.ssh("echo signed in", agent: socket)).finish()
      }

      /// What `ssh-add -l` shows.
      func listed() async throws -> String {
        await (try OpenSSHProgram("ssh-add", ["-l"], agent: socket, in: server.folder)).finish().output
      }
    }

    private static func keygen(_ arguments: [String]) async throws {
      let program = try SpawnedProgram(
        "/usr/bin/ssh-keygen", ["-q"] + arguments, environment: SpawnedProgram.environment([:]),
        output: .nothing,
        errors: .nothing)
      #expect(await program.end() == 0)
    }

    @Test(arguments: [("127.0.0.1", true), ("*.elsewhere", false)])
    func `a host that shows a certificate is named when its authority is trusted for that name`(
      pattern: String, isTrusted: Bool
    ) async throws {
      try await withTemporaryFolder { folder in
        let (authority, host) = (folder.appending(path: "ca").path, folder.appending(path: "host").path)
        for file in [authority, host] { try await Self.keygen(["-t", "ed25519", "-N", "", "-f", file]) }
        try await Self.keygen(["-s", authority, "-h", "-I", "host", "-n", "127.0.0.1", "\(host).pub"])
        let key = try String(contentsOfFile: "\(authority).pub", encoding: .utf8)
        let scene = try await AgentScene(
          answers: [.pin(AgentScene.pin)], knownHosts: "@cert-authority \(pattern) \(key)")
        let file = folder.appending(path: "run/agent")
        let listener = AgentListener(try AgentSocket.listen(at: file), log: scene.questions.log) {
          scene.agent.conversation(with: $0)
        }
        listener.start()
        defer { listener.stop() }
        let settings = ["HostCertificate \(host)-cert.pub"]
        try await SSHServer.run(in: folder, authorizedKey: scene.key.line, settings: settings) { server in
          try "@cert-authority [127.0.0.1]:\(server.port) \(key)"
            .write(toFile: server.path("known_hosts"), atomically: true, encoding: .utf8)
          let ssh = try server.ssh("echo signed in", agent: file.path(percentEncoded: false))
          let result = await ssh.finish()
          #expect(result.output == "signed in\n", "\(result.errors)")
          let shown = try #require(scene.person.questions.first)
          #expect(shown["Host"] == (isTrusted ? "127.0.0.1" : "not in known_hosts"))
          #expect(shown["Host key"]?.hasPrefix("SHA256:") == true)
        }
      }
    }

    private func withScene(
      allowsForwarding: Bool = false, revoking serials: [ClosedRange<UInt64>] = [],
      _ body: (Scene) async throws -> Void
    ) async throws {
      try await withTemporaryFolder { folder in
        let scene = try await AgentScene(
          answers: [.pin(AgentScene.pin), .pin(AgentScene.pin)], allowsForwarding: allowsForwarding,
          certificates: SSHCertificates(folder: folder.appending(path: "kept")))
        let file = folder.appending(path: "run/agent")
        let listener = AgentListener(try AgentSocket.listen(at: file), log: scene.questions.log) {
          scene.agent.conversation(with: $0)
        }
        listener.start()
        defer { listener.stop() }
        let authority = P256.Signing.PrivateKey()
        let key = try SSHPublicKey(point: Array(authority.publicKey.x963Representation))
        let (trusted, revoked) = (folder.appending(path: "authorities"), folder.appending(path: "revoked"))
        try AuthorizedKey(key: key, comment: "sealring").line.write(
          to: trusted, atomically: true, encoding: .utf8)
        let list = KeyRevocationList(
          version: 1, generatedAt: 1, certificates: [.init(authority: key.blob, serials: serials)])
        try Data(list.bytes).write(to: revoked)
        let settings = ["TrustedUserCAKeys \(trusted.path)", "RevokedKeys \(revoked.path)"]
        try await SSHServer.run(in: folder, authorizedKey: "", settings: settings) { server in
          try await body(
            Scene(
              server: server, socket: file.path(percentEncoded: false), agent: scene, authority: authority))
        }
      }
    }

    @Test func `a certificate signs in, and the question shows what it says`() async throws {
      try await withScene { scene in
        let result = try await scene.signIn()
        #expect(result.status == 0 && result.output == "signed in\n", "\(result.errors)")
        let question = try #require(scene.agent.person.questions.first)
        #expect(question["Certificate"] == "ada@bank" && question["Certified for"] == NSUserName())
        let authority = try SSHPublicKey(point: Array(scene.authority.publicKey.x963Representation))
        #expect(
          question.details.contains("  \(try HostKey(parsing: authority.blob).fingerprint)\n"),
          "\(question.details)")
      }
    }

    @Test func `however many accounts a certificate is for, the question has its authority whole`()
      async throws
    {
      try await withScene { scene in
        let names = [NSUserName()] + (1...30).map { "account-\($0)" + String(repeating: "a", count: 60) }
        let result = try await scene.signIn(principals: names)
        #expect(result.output == "signed in\n", "\(result.errors)")
        let question = try #require(scene.agent.person.questions.first)
        #expect(question["Certified for"]?.hasSuffix("… and 27 more") == true)
        let authority = try SSHPublicKey(point: Array(scene.authority.publicKey.x963Representation))
        #expect(question.details.contains("  \(try HostKey(parsing: authority.blob).fingerprint)\n"))
        #expect(question.details.utf8.count < 900, "\(question.details)")
      }
    }

    @Test func `a certificate that is kept beside the key is offered by itself`() async throws {
      try await withScene { scene in
        #expect(try await scene.signInByAgent().status == 255)
        try scene.certificates.keep(try await scene.certificate(), of: scene.agent.key)
        #expect(try await scene.listed().contains("laptop (ECDSA-CERT)"))
        let result = try await scene.signInByAgent()
        #expect(result.output == "signed in\n", "\(result.errors)")
        #expect(scene.agent.person.questions.first?["Certificate"] == "ada@bank")
        let mode = try FileManager.default.attributesOfItem(
          atPath: scene.certificates.file(of: scene.agent.key).path(percentEncoded: false))
        #expect(mode[.posixPermissions] as? Int == 0o600)
      }
    }

    @Test func `a kept certificate that expires is not offered any more`() async throws {
      try await withScene { scene in
        try scene.certificates.keep(try await scene.certificate(), of: scene.agent.key)
        #expect(try await scene.listed().contains("ECDSA-CERT"))
        scene.agent.date.advance(by: 601)
        let listed = try await scene.listed()
        #expect(!listed.contains("ECDSA-CERT") && listed.contains("laptop (ECDSA)"))
      }
    }

    @Test func `a kept file of another key, of a host, or damaged is not offered`() async throws {
      try await withScene { scene in
        let file = scene.certificates.file(of: scene.agent.key)
        let theirs = try await AgentScene(answers: [])
        let other = Scene(server: scene.server, socket: "", agent: theirs, authority: scene.authority)
        let own = try await scene.certificate()
        let contents = own.contents
        let host = try await SSHCertificate(
          issuing: SSHCertificate.Contents(
            nonce: contents.nonce, key: contents.key, serial: 1, kind: .host, identifier: "x",
            principals: ["x"], validity: contents.validity),
          by: SSHPublicKey(point: Array(scene.authority.publicKey.x963Representation))
        ) { Array(try scene.authority.signature(for: $0).rawRepresentation) }
        try scene.certificates.keep(own, of: scene.agent.key)
        #expect(try scene.certificates.certificate(of: scene.agent.key) == own)
        let lines = [
          try await other.certificate().line(comment: ""), host.line(comment: ""),
          String(own.line(comment: "").dropLast(9)), "", scene.agent.key.line, "\u{0}",
        ]
        for line in lines {
          try Data(line.utf8).write(to: file)
          #expect(try scene.certificates.certificate(of: scene.agent.key) == nil)
          #expect(try await !scene.listed().contains("CERT"))
        }
        try FileManager.default.removeItem(at: file)
        try FileManager.default.createSymbolicLink(
          at: file, withDestinationURL: URL(filePath: "/etc/hostname"))
        let listed = try await scene.listed()
        #expect(!listed.contains("CERT") && listed.contains("laptop (ECDSA)"))
      }
    }

    @Test func `expired, not yet valid, revoked, for another account or of another authority it does not`()
      async throws
    {
      try await withScene(revoking: [5...9]) { scene in
        let refused = [
          try await scene.signIn(seconds: -600 ..< -60), try await scene.signIn(seconds: 600..<900),
          try await scene.signIn(serial: 7), try await scene.signIn(principals: ["somebody-else"]),
          try await scene.signIn(by: P256.Signing.PrivateKey()),
        ]
        #expect(refused.map(\.status) == [255, 255, 255, 255, 255])
        let signedIn = try await scene.signIn(serial: 10)
        #expect(signedIn.status == 0, "\(signedIn.errors)")
      }
    }

    @Test(arguments: [false, true])
    func `a host that the agent was forwarded to signs in by it only when that is allowed`(isAllowed: Bool)
      async throws
    {
      try await withScene(allowsForwarding: isAllowed) { scene in
        let inner = scene.server.arguments(
          "echo inside",
          options: [
            "-i", scene.server.path("id.pub"), "-o", "CertificateFile=\(scene.server.path("id-cert.pub"))",
          ])
        let result = try await scene.signIn(
          options: ["-A"], command: "ssh " + inner.map { "'\($0)'" }.joined(separator: " "))
        #expect((result.output == "inside\n") == isAllowed, "\(result.errors)")
        #expect(scene.agent.person.questions.count == (isAllowed ? 2 : 1))
      }
    }
  }
#endif
