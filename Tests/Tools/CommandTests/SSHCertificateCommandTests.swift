import Agent
import Bytes
import CommonFixtures
import Concurrency
import Crypto
import Foundation
import PrivateFiles
import SSHFormats
import StrictJSON
import Testing

@testable import sealring

/// What of a server's certificate is believed, and what is done without a question. With ssh it is played in EndToEndTests.
@Suite struct SSHCertificateCommandTests {
  private struct Scene {
    let server: ScriptedAuthority
    let tool: CommandLineTool
    var file: URL { tool.home.appending(path: "ssh/laptop-cert.pub") }
    var isKept: Bool { FileManager.default.fileExists(atPath: file.path(percentEncoded: false)) }

    var kept: SSHCertificate {
      get throws {
        let text = try String(contentsOf: file, encoding: .utf8)
        return try SSHCertificate(verifyingLine: text.trimmingCharacters(in: .newlines))
      }
    }

    func run(_ arguments: [String], input: String = "") async throws -> CommandResult {
      try await tool.run(
        ["ssh"] + arguments + ["--server", server.address, "--realm", "alpha"], input: input)
    }

    func renew(_ options: [String] = []) async throws -> CommandResult {
      try await run(["certificate", "--json"] + options)
    }

    func change(_ change: @escaping @Sendable (inout ScriptedAuthority.Issue) -> Void) {
      server.state.withLock { $0.change = change }
    }

    /// Puts a certificate into the place of the key's.
    func put(_ change: (inout ScriptedAuthority.Issue) -> Void) async throws {
      let listed = try await tool.run(["ssh", "key", "--json"]).json
      let line = try #require(listed[0]?["authorizedKey"]?.stringValue)
      var issue = ScriptedAuthority.Issue(
        key: try AuthorizedKey(parsing: line).key.blob, authority: server.key)
      change(&issue)
      try Data((ScriptedAuthority.certificate(issue).line(comment: "") + "\n").utf8).write(to: file)
    }
  }

  private func withScene(
    signedIn: Bool = true, key: [String] = ["laptop"], _ body: (Scene) async throws -> Void
  ) async throws {
    try await withTemporaryFolder { folder in
      let server = try ScriptedAuthority()
      defer { server.stop() }
      let tool = CommandLineTool(home: folder)
      let added = try await tool.run(["ssh", "key", "add"] + key + ["--no-pin", "--store", "software"])
      #expect(added.status == 0, "\(added.errors)")
      if signedIn {
        try await ClientHome.$ofTask.withValue(ClientHome(directory: folder)) {
          _ = try await KeptSessions().keep(
            KeptSession(
              server: server.address, realm: "alpha", username: "mira", token: "session", createdAt: Date()))
        }
      }
      try await body(Scene(server: server, tool: tool))
    }
  }

  @Test func `the kept session gives a certificate, which is kept for its owner and used again`() async throws
  {
    try await withScene { scene in
      let first = try await scene.renew()
      #expect(first.status == 0, "\(first.errors)")
      #expect(try first.json["principals"] == ["mira"])
      #expect(try first.json["file"]?.stringValue == scene.file.path(percentEncoded: false))
      let mode = try FileManager.default.attributesOfItem(atPath: scene.file.path(percentEncoded: false))
      #expect(mode[.posixPermissions] as? Int == 0o600)
      let kept = try scene.kept
      let again = try await scene.run(["certificate"])
      #expect(
        again.status == 0 && again.errors.contains("Key laptop is certified for mira until"),
        "\(again.errors)")
      let quiet = try await scene.run(["certificate", "--for", "web.example"])
      #expect(quiet.status == 0 && quiet.errors.isEmpty && quiet.output.isEmpty, "\(quiet.errors)")
      #expect(try scene.kept == kept && scene.server.asked == 1)
      // It may have been revoked, which nothing here shows.
      #expect(try await scene.run(["login", "--json"]).status == 0)
      #expect(try scene.kept == kept)
      #expect(try await scene.run(["login", "--json", "--new"]).status == 0)
      #expect(try scene.kept != kept && scene.server.asked == 2)
      #expect(scene.server.state.withLock { $0.requests.contains { $0.contains("authenticate") } } == false)
    }
  }

  /// What a server certifies instead, and what the command then says.
  struct Lie: Sendable {
    let reason: String
    let change: @Sendable (inout ScriptedAuthority.Issue) -> Void

    init(_ reason: String, _ change: @escaping @Sendable (inout ScriptedAuthority.Issue) -> Void) {
      (self.reason, self.change) = (reason, change)
    }
  }

  @Test(
    arguments: [
      Lie("another key") { $0.key = $0.authority.publicKey.blob }, Lie("a host's") { $0.kind = .host },
      Lie("not signed by an authority that the realm presents") { $0.authority = P256.Signing.PrivateKey() },
      Lie("other accounts: root") { ($0.principals, $0.told) = (["root"], ["mira"]) },
      Lie("other accounts: mira, root") { ($0.principals, $0.told) = (["mira", "root"], ["mira"]) },
      Lie("longer than the realm says") { $0.seconds = -60..<86_400 },
      Lie("longer than the realm says") { $0.isForever = true },
      Lie("not valid now") { $0.seconds = -600 ..< -60 }, Lie("not valid now") { $0.seconds = 300..<600 },
      Lie("cannot be read") { $0.line = "ecdsa-sha2-nistp256-cert-v01@openssh.com AAAA" },
      Lie("cannot be read") { $0.line = "" },
    ])
  func `a certificate that is not what was asked for is refused, and not kept`(lie: Lie) async throws {
    try await withScene { scene in
      scene.change(lie.change)
      let result = try await scene.renew()
      #expect(result.status == 1 && result.errors.contains(lie.reason), "\(result.errors)")
      #expect(!scene.isKept)
    }
  }

  @Test func `with accounts that were asked for, a certificate for more is refused`() async throws {
    try await withScene { scene in
      scene.change { $0.principals = ["mira", "root"] }
      let result = try await scene.renew(["--principal", "mira"])
      #expect(result.status == 1 && result.errors.contains("other accounts: mira, root"), "\(result.errors)")
      #expect(!scene.isKept)
      scene.change { _ in }
      #expect(try await scene.renew(["--principal", "mira"]).status == 0)
      #expect(scene.server.state.withLock { $0.bodies.last }?["principals"] == ["mira"])
      // One that is for others than are asked for now is not used.
      scene.change { $0.principals = ["deploy", "mira"] }
      let both = try await scene.renew(["--principal", "mira", "--principal", "deploy"])
      #expect(both.status == 1 && both.errors.contains("nobody was asked"), "\(both.errors)")
    }
  }

  @Test func `renewed while nobody looks, a certificate names nobody new`() async throws {
    try await withScene { scene in
      try await scene.put { $0.seconds = -600 ..< -1 }
      scene.change { $0.principals = ["mira", "root"] }
      let result = try await scene.renew()
      #expect(result.status == 1 && result.errors.contains("nobody was asked"), "\(result.errors)")
      #expect(try scene.kept.contents.principals == ["mira"])
      scene.change { _ in }
      #expect(try await scene.renew().status == 0)
    }
  }

  @Test func `nor does one of another authority, which an honest server's new key renews unasked`()
    async throws
  {
    try await withScene { scene in
      #expect(try await scene.renew().status == 0)
      // The server presents another key, and so the kept certificate will not do any more.
      let new = P256.Signing.PrivateKey()
      scene.server.state.withLock { $0.userKeys = [new] }
      scene.change { ($0.authority, $0.principals) = (new, ["mira", "root"]) }
      let grown = try await scene.renew()
      #expect(grown.status == 1 && grown.errors.contains("nobody was asked"), "\(grown.errors)")
      #expect(try scene.kept.contents.principals == ["mira"])
      scene.change { $0.authority = new }
      let rotated = try await scene.renew()
      #expect(rotated.status == 0, "\(rotated.errors)")
      #expect(
        try scene.kept.authority.blob == SSHPublicKey(point: Array(new.publicKey.x963Representation)).blob)
    }
  }

  @Test(
    arguments: [
      Lie("ends") { $0.seconds = -540..<50 }, Lie("has ended") { $0.seconds = -600 ..< -1 },
      Lie("authority") { $0.authority = P256.Signing.PrivateKey() },
      Lie("key") { $0.key = $0.authority.publicKey.blob }, Lie("kind") { $0.kind = .host },
    ])
  func `a kept certificate that is about to end, of another authority, key or kind is replaced`(
    kept: Lie
  ) async throws {
    try await withScene { scene in
      try await scene.put(kept.change)
      let before = try scene.kept
      let result = try await scene.renew()
      #expect(result.status == 0, "\(result.errors)")
      #expect(try scene.kept != before && scene.server.asked == 1)
    }
  }

  @Test func `while the server cannot be reached, a certificate that is still good is used, and no other`()
    async throws
  {
    try await withScene { scene in
      #expect(try await scene.renew().status == 0)
      let kept = try scene.kept
      scene.server.stop()
      let away = try await scene.renew()
      #expect(away.status == 0, "\(away.errors)")
      #expect(try scene.kept == kept)
      try await scene.put { $0.seconds = -600 ..< -1 }
      let ended = try await scene.renew()
      #expect(ended.status == 1 && ended.errors.contains("unreachable"), "\(ended.errors)")
      try await scene.put { $0.isForever = true }
      let forever = try await scene.renew()
      #expect(try forever.json["expiresAt"] == "9999-12-31T23:59:59Z", "\(forever.errors)")
    }
  }

  @Test func `two at once ask the server once, and both have the certificate`() async throws {
    try await withScene { scene in
      async let one = scene.renew()
      async let two = scene.renew()
      let results = try await [one, two]
      #expect(results.map(\.status) == [0, 0], "\(results.map(\.errors))")
      #expect(try results[0].json["expiresAt"] == results[1].json["expiresAt"])
      #expect(scene.server.asked == 1)
    }
  }

  @Test func `without a session, or one that is enough, the command says what to run`() async throws {
    try await withScene(signedIn: false) { scene in
      let result = try await scene.run(["certificate", "--for", "web.example"])
      #expect(
        result.status == 1 && result.errors.contains("sealring ssh login web.example"), "\(result.errors)")
      #expect(scene.server.asked == 0)
    }
    try await withScene { scene in
      scene.server.state.withLock { $0.isSignedIn = false }
      let ended = try await scene.run(["certificate"])
      #expect(ended.status == 1 && ended.errors.contains("sealring ssh login"), "\(ended.errors)")
    }
    try await withScene { scene in
      scene.change {
        $0.refusal = (
          403, ["message": "Level 2 is needed.", "detail": ["authLevel": 2, "journey": "Strong"]]
        )
      }
      let weak = try await scene.run(["proxy", "web.example", "22"])
      #expect(weak.status == 1 && weak.errors.contains("Level 2 is needed."), "\(weak.errors)")
      #expect(weak.errors.contains("sealring ssh login web.example"))
      // Signing in again would not change this.
      scene.change { $0.refusal = (403, ["message": "You have no accounts."]) }
      let nobody = try await scene.run(["certificate"])
      #expect(nobody.status == 1 && nobody.errors.contains("You have no accounts."), "\(nobody.errors)")
      #expect(!nobody.errors.contains("ssh login"))
    }
  }

  @Test(arguments: [["laptop"], ["laptop", "--sk"]])
  func `where only attested keys are certified, others are not sent`(key: [String]) async throws {
    try await withScene(key: key) { scene in
      scene.server.state.withLock { $0.requiresAttestation = true }
      let result = try await scene.renew()
      #expect(
        result.status == 1 && result.errors.contains("only keys that a TPM attests"), "\(result.errors)")
      #expect(scene.server.asked == 0)
    }
  }

  @Test func `a security key is certified like the others`() async throws {
    try await withScene(key: ["laptop", "--sk"]) { scene in
      let result = try await scene.renew()
      #expect(result.status == 0, "\(result.errors)")
      #expect(try scene.kept.type == "sk-ecdsa-sha2-nistp256-cert-v01@openssh.com")
    }
  }

  @Test(arguments: [
    "-oProxyCommand=id", "-p", "mira@-oProxyCommand=id", "-l@web", "a\nb", "a b", "$(id)", "a;b", "`id`", "",
    "@", "a@",
  ])
  func `what could be an option of ssh, or more than a name, is no host`(host: String) async throws {
    try await withScene { scene in
      for arguments in [
        ["login", host], ["login", "--", host], ["certificate", "--for", host], ["proxy", host, "22"],
      ] {
        let result = try await scene.run(arguments)
        #expect(result.status == 64, "\(arguments): \(result.errors)")
      }
      #expect(scene.server.state.withLock { $0.requests } == [])
    }
  }

  @Test(arguments: [("web", "0"), ("web", "65536"), ("web", "ssh"), ("mira@web", "22")])
  func `a proxy needs a host and its port`(host: String, port: String) async throws {
    try await withScene { scene in
      let result = try await scene.run(["proxy", host, port])
      #expect(result.status == 64)
    }
  }

  @Test func `of several keys one has to be named`() async throws {
    try await withScene { scene in
      let add = ["ssh", "key", "add", "second", "--no-pin", "--store", "software"]
      #expect(try await scene.tool.run(add).status == 0)
      let result = try await scene.renew()
      #expect(result.status == 1 && result.errors.contains("laptop, second"), "\(result.errors)")
      #expect(try await scene.renew(["--key", "laptop"]).status == 0)
      #expect(try await scene.renew(["--key", "third"]).status == 1)
      #expect(scene.isKept)
      #expect(try await scene.tool.run(["ssh", "key", "remove", "laptop", "--yes"]).status == 0)
      #expect(!scene.isKept)
    }
  }

  @Test(arguments: [["certificate"], ["login"], ["trust", "*.example.com"]])
  func `a realm without an authority is said, and so is what it says that makes no sense`(arguments: [String])
    async throws
  {
    try await withScene { scene in
      scene.server.state.withLock { $0.lifetime = 0 }
      let strange = try await scene.run(arguments)
      #expect(strange.status == 1 && strange.errors.contains("not in a known form"), "\(strange.errors)")
      scene.server.state.withLock { $0.lifetime = nil }
      let none = try await scene.run(arguments)
      #expect(none.status == 1 && none.errors.contains("no authority for SSH certificates"), "\(none.errors)")
    }
  }

  // MARK: Hosts

  @Test func `the lines that trust the realm's hosts are printed, and appended once`() async throws {
    try await withScene { scene in
      let key = ScriptedAuthority.line(scene.server.hostKey)
      let printed = try await scene.run(["trust", "*.example.com,10.0.0.*"])
      let line = "@cert-authority *.example.com,10.0.0.* \(key) \(scene.server.address) alpha\n"
      #expect(printed.output == line, "\(printed.errors)")
      let file = scene.tool.home.appending(path: "known_hosts")
      try Data("a ssh-ed25519 AAAA".utf8).write(to: file)
      let options = ["--file", file.path(percentEncoded: false)]
      for _ in 1...2 {
        #expect(try await scene.run(["trust", "*.example.com,10.0.0.*"] + options).status == 0)
      }
      #expect(try String(contentsOf: file, encoding: .utf8) == "a ssh-ed25519 AAAA\n" + line)
      let other = try await scene.run(["trust", "web", "--json"] + options)
      #expect(try other.json["added"] == 1)
    }
  }

  @Test func `lines of keys that the realm does not present any more go, and nothing else`() async throws {
    try await withScene { scene in
      let (old, new) = (ScriptedAuthority.line(scene.server.hostKey), P256.Signing.PrivateKey())
      let origin = "\(scene.server.address) alpha"
      // Of somebody else, of another realm, of a person's hand, and with a byte that is no UTF-8.
      let others = """
        web ssh-ed25519 AAAA \(origin)\r
        @cert-authority *.example.org \(old) \(scene.server.address) beta
        @cert-authority *.example.net \(old)
        @revoked * \(old) \(origin)

        """
      let file = scene.tool.home.appending(path: "known_hosts")
      var bytes = Data(others.utf8)
      bytes.insert(0xE9, at: 0)
      try bytes.write(to: file)
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o644], ofItemAtPath: file.path(percentEncoded: false))
      let link = scene.tool.home.appending(path: "link")
      try FileManager.default.createSymbolicLink(at: link, withDestinationURL: file)
      let options = ["--file", link.path(percentEncoded: false)]
      for pattern in ["*.example.com", "10.0.0.*"] {
        #expect(try await scene.run(["trust", pattern] + options).status == 0)
      }

      // While both are presented, both are trusted.
      scene.server.state.withLock { $0.hostKeys = [new, scene.server.hostKey] }
      let both = try await scene.run(["trust", "*.example.com", "--json"] + options)
      #expect(try both.json["added"] == 1 && both.json["removed"] == [], "\(both.errors)")
      scene.server.state.withLock { $0.hostKeys = [new] }
      let changed = try await scene.run(["trust", "*.example.com"] + options)
      #expect(changed.status == 0 && changed.errors.contains("Removed"), "\(changed.errors)")
      let line = "@cert-authority *.example.com \(ScriptedAuthority.line(new)) \(origin)\n"
      #expect(try Data(contentsOf: file) == bytes + Data(line.utf8))
      let attributes = try FileManager.default.attributesOfItem(atPath: file.path(percentEncoded: false))
      #expect(attributes[.posixPermissions] as? Int == 0o644)
      #expect(
        try FileManager.default.destinationOfSymbolicLink(atPath: link.path(percentEncoded: false)) != "")
    }
  }

  @Test func `how ssh learns which hosts' certificates were taken back is said`() async throws {
    try await withScene { scene in
      let list = "\(scene.server.address)/json/realms/root/realms/alpha/ssh/revoked"
      let printed = try await scene.run(["trust", "*.example.com"])
      #expect(
        printed.errors.contains("RevokedHostKeys") && printed.errors.contains(list), "\(printed.errors)")
      #expect(!printed.output.contains("RevokedHostKeys"))
      let json = try await scene.run(["trust", "*.example.com", "--json"])
      #expect(try json.json["revokedHostKeys"]?.stringValue == list)
    }
  }

  @Test(arguments: ["", "a b", "a\n@cert-authority *", "#", "|1|a|b", "@revoked", "ä"])
  func `what could begin another line or marker is no pattern`(pattern: String) async throws {
    try await withScene { scene in
      let result = try await scene.run(["trust", pattern])
      #expect(result.status == 64)
      #expect(scene.server.state.withLock { $0.requests } == [])
    }
  }
}

extension P256.Signing.PublicKey {
  /// As a key of SSH.
  fileprivate var blob: [UInt8] {
    (try? SSHPublicKey(point: Array(x963Representation)).blob) ?? []
  }
}
