import Bytes
import CommonFixtures
import Crypto
import Foundation
import ProofFixtures
import RuntimeLibraries
import Testing

@testable import SSHFormats

struct CertificateTests {
  private let authority = P256.Signing.PrivateKey()
  private let key = P256.Signing.PrivateKey()

  private static func publicKey(_ key: P256.Signing.PrivateKey) throws -> SSHPublicKey {
    try SSHPublicKey(point: Array(key.publicKey.x963Representation))
  }

  private func contents(
    serial: UInt64 = 7, kind: SSHCertificate.Kind = .user, identifier: String = "ada@bank",
    principals: [String] = ["ada", "deploy"], validity: Range<UInt64> = 1_700_000_000..<1_700_000_600,
    options: [String: String?] = [
      "source-address": "10.0.0.0/8", "force-command": "/usr/bin/id",
    ], extensions: [String: String?] = ["permit-pty": nil, "permit-agent-forwarding": nil]
  ) throws -> SSHCertificate.Contents {
    try SSHCertificate.Contents(
      nonce: Array(repeating: 3, count: 32), key: HostKey(parsing: try Self.publicKey(key).blob),
      serial: serial, kind: kind,
      identifier: identifier, principals: principals, validity: validity, criticalOptions: options,
      extensions: extensions)
  }

  private func issue(_ contents: SSHCertificate.Contents) async throws -> SSHCertificate {
    try await SSHCertificate(issuing: contents, by: try Self.publicKey(authority)) {
      Array(try authority.signature(for: $0).rawRepresentation)
    }
  }

  /// What `ssh-keygen` says.
  private func keygen(_ arguments: [String], in folder: URL) async throws -> (status: Int32, output: String) {
    let file = folder.appending(path: UUID().uuidString)
    let program = try SpawnedProgram(
      "/usr/bin/ssh-keygen", arguments,
      environment: SpawnedProgram.environment(["TZ": "UTC", "LC_ALL": "C"]), output: .file(file),
      errors: .output)
    let status = await program.end()
    return (status, try String(contentsOf: file, encoding: .utf8))
  }

  @Test(arguments: [SSHCertificate.Kind.user, .host])
  func `ssh-keygen reads a certificate as it was issued`(kind: SSHCertificate.Kind) async throws {
    try await withTemporaryFolder { folder in
      let certificate = try await issue(try contents(kind: kind))
      let file = folder.appending(path: "id-cert.pub")
      try certificate.line(comment: "ada").write(to: file, atomically: true, encoding: .utf8)
      let shown = try await keygen(["-L", "-f", file.path], in: folder)
      #expect(shown.status == 0, "\(shown.output)")
      let name = kind == .user ? "user" : "host"
      for part in [
        "Type: ecdsa-sha2-nistp256-cert-v01@openssh.com \(name) certificate",
        "Public key: ECDSA-CERT \(try Self.publicKey(key).fingerprint)",
        "Signing CA: ECDSA \(try Self.publicKey(authority).fingerprint) (using ecdsa-sha2-nistp256)",
        "Key ID: \"ada@bank\"", "Serial: 7", "Valid: from 2023-11-14T22:13:20 to 2023-11-14T22:23:20",
        "ada", "deploy", "force-command /usr/bin/id", "source-address 10.0.0.0/8", "permit-agent-forwarding",
        "permit-pty",
      ] { #expect(shown.output.contains(part), "\(part) in \(shown.output)") }
    }
  }

  @Test func `a certificate of ssh-keygen is read, from authorities of all types`() async throws {
    try await withTemporaryFolder { folder in
      let key = try Self.publicKey(key)
      for type in ["ed25519", "ecdsa", "rsa"] {
        let (authority, user) = (folder.appending(path: type), folder.appending(path: "\(type)-user.pub"))
        #expect(try await keygen(["-q", "-t", type, "-N", "", "-f", authority.path], in: folder).status == 0)
        try AuthorizedKey(key: key, comment: "x").line.write(to: user, atomically: true, encoding: .utf8)
        let signed = try await keygen(
          [
            "-s", authority.path, "-I", "mail", "-n", "ada,root", "-z", "12", "-V",
            "20231114221320Z:20231114222320Z",
            "-O", "clear", "-O", "permit-pty", "-O", "force-command=id", user.path,
          ], in: folder)
        #expect(signed.status == 0, "\(signed.output)")
        let line = try String(contentsOf: folder.appending(path: "\(type)-user-cert.pub"), encoding: .utf8)
        let blob = try #require(PaddedBase64.decode(line.split(separator: " ")[1]))
        let certificate = try SSHCertificate(verifying: blob)
        #expect(certificate.contents.key.blob == key.blob && certificate.contents.serial == 12)
        #expect(certificate.contents.kind == .user && certificate.contents.identifier == "mail")
        #expect(certificate.contents.principals == ["ada", "root"])
        #expect(certificate.contents.validity == 1_700_000_000..<1_700_000_600)
        #expect(certificate.contents.criticalOptions == ["force-command": "id"])
        #expect(certificate.contents.extensions == ["permit-pty": nil])
      }
    }
  }

  @Test(arguments: [("ed25519", "256"), ("ecdsa", "384"), ("rsa", "2048")])
  func `a host's certificate is read, for host keys of all types`(type: String, bits: String) async throws {
    try await withTemporaryFolder { folder in
      let (authority, host) = (folder.appending(path: "ca"), folder.appending(path: "host"))
      for (file, options) in [(authority, ["-t", "ed25519"]), (host, ["-t", type, "-b", bits])] {
        let made = try await keygen(["-q", "-N", "", "-f", file.path] + options, in: folder)
        #expect(made.status == 0, "\(made.output)")
      }
      let signed = try await keygen(
        ["-s", authority.path, "-h", "-I", "web", "-n", "web.bank.example", "\(host.path).pub"], in: folder)
      #expect(signed.status == 0, "\(signed.output)")
      let lines = try ["host.pub", "host-cert.pub"].map {
        try String(contentsOf: folder.appending(path: $0), encoding: .utf8).split(separator: " ")
      }
      let certificate = try SSHCertificate(verifying: try #require(PaddedBase64.decode(lines[1][1])))
      #expect(certificate.contents.kind == .host && certificate.type == lines[1][0])
      #expect(certificate.contents.key.blob == PaddedBase64.decode(lines[0][1]))
    }
  }

  @Test(
    arguments: [
      ("*.bank.example", true), ("WEB.bank.example", true), ("web.*,!web.bank.example", false),
      ("w?b.bank.example", true),
      ("[*.bank.example]:2222", true), ("*.example.org", false), ("bank.example", false), ("*", true),
      ("!*", false),
      ("web.bank.example*x", false), ("*b*e*a*e", true),
    ])
  func `a certificate names a host only where known_hosts trusts its authority for that name`(
    patterns: String, isNamed: Bool
  ) async throws {
    let certificate = try await issue(try contents(kind: .host, principals: ["web.bank.example"]))
    let line = "@cert-authority \(patterns) ecdsa-sha2-nistp256 "
    let other = "\(line)AAAA\n# \(line)\n"
    let trusted = "\(line)\(PaddedBase64.encode(certificate.authority.blob)) note\n"
    #expect(KnownHosts.names(in: certificate, by: other) == [])
    #expect(KnownHosts.names(in: certificate, by: other + trusted) == (isNamed ? ["web.bank.example"] : []))
    for revoked in [certificate.authority.blob, certificate.contents.key.blob] {
      let line = "\t @revoked * ecdsa-sha2-nistp256 \(PaddedBase64.encode(revoked))\n"
      #expect(KnownHosts.names(in: certificate, by: trusted + line) == [])
    }
  }

  @Test func `a security key's line and certificate are OpenSSH's`() async throws {
    try await withTemporaryFolder { folder in
      let point = Array(key.publicKey.x963Representation)
      let key = try SSHPublicKey(point: point, application: "ssh:")
      #expect(try SSHPublicKey(parsing: key.blob) == key)
      let line = AuthorizedKey(key: key, comment: "laptop").line
      #expect(
        try AuthorizedKey(parsing: line).key == key && line.hasPrefix("sk-ecdsa-sha2-nistp256@openssh.com "))
      // One type's line with the other's key.
      let mixed = "ecdsa-sha2-nistp256 " + line.split(separator: " ")[1]
      #expect(throws: SSHFormatError.self) { try AuthorizedKey(parsing: mixed) }
      let (file, authority) = (folder.appending(path: "sk.pub"), folder.appending(path: "ca"))
      try line.write(to: file, atomically: true, encoding: .utf8)
      let shown = try await keygen(["-l", "-f", file.path], in: folder)
      #expect(shown.output.contains("\(key.fingerprint) laptop (ECDSA-SK)"), "\(shown.output)")
      #expect(
        try await keygen(["-q", "-t", "ed25519", "-N", "", "-f", authority.path], in: folder).status == 0)
      let signed = try await keygen(["-s", authority.path, "-I", "x", "-n", "ada", file.path], in: folder)
      #expect(signed.status == 0, "\(signed.output)")
      let text = try String(contentsOf: folder.appending(path: "sk-cert.pub"), encoding: .utf8)
      let theirs = try SSHCertificate(verifyingLine: text.trimmingCharacters(in: .newlines))
      #expect(theirs.contents.key.blob == key.blob)
      let ours = try await SSHCertificate(
        issuing: SSHCertificate.Contents(
          nonce: [1], key: HostKey(parsing: key.blob), serial: 1, kind: .user, identifier: "x",
          principals: ["ada"], validity: 1..<2), by: try Self.publicKey(self.authority)
      ) { Array(try self.authority.signature(for: $0).rawRepresentation) }
      try ours.line(comment: "x").write(to: file, atomically: true, encoding: .utf8)
      let read = try await keygen(["-L", "-f", file.path], in: folder)
      #expect(read.output.contains("sk-ecdsa-sha2-nistp256-cert-v01@openssh.com user"), "\(read.output)")
    }
  }

  @Test func `a line that calls a certificate by another type is refused`() async throws {
    let line = try await issue(try contents()).line(comment: "x")
    #expect(try SSHCertificate(verifyingLine: line).line(comment: "x") == line)
    for other in ["x \(line)", "sk-" + line, String(line.drop { $0 != " " }), ""] {
      #expect(throws: SSHFormatError.self) { try SSHCertificate(verifyingLine: other) }
    }
  }

  // It is a person's: what it signs is not what a host or an authority signs.
  @Test func `a security key is neither a host nor an authority`() async throws {
    let key = try SSHPublicKey(point: Array(authority.publicKey.x963Representation), application: "ssh:")
    let raw = Array(try authority.signature(for: [1]).rawRepresentation)
    for signature in [
      try SSHPublicKey.signatureBlob(raw: raw),
      try SSHPublicKey.securityKeySignatureBlob(raw: raw, flags: 1, counter: 1),
    ] { #expect(try !HostKey(parsing: key.blob).isValid(signature, over: [1])) }
  }

  @Test func `a certificate that was changed in any byte, or cut, is refused`() async throws {
    let certificate = try await issue(try contents())
    #expect(try SSHCertificate(verifying: certificate.blob) == certificate)
    for place in certificate.blob.indices {
      var changed = certificate.blob
      changed[place] ^= 1
      #expect(throws: SSHFormatError.self) { try SSHCertificate(verifying: changed) }
      #expect(throws: SSHFormatError.self) {
        try SSHCertificate(verifying: Array(certificate.blob[..<place]))
      }
    }
    #expect(throws: SSHFormatError.self) { try SSHCertificate(verifying: certificate.blob + [0]) }
  }

  // OpenSSH takes a certificate without principals for every account.
  @Test(arguments: [[], [""], ["ada", ""]] as [[String]])
  func `a certificate without principals is not issued`(principals: [String]) throws {
    #expect(throws: SSHFormatError.self) { try contents(principals: principals) }
  }

  @Test func `a certificate that another key signed is not issued`() async throws {
    let other = P256.Signing.PrivateKey()
    await #expect(throws: SSHFormatError.self) {
      try await SSHCertificate(issuing: try contents(), by: try Self.publicKey(authority)) {
        Array(try other.signature(for: $0).rawRepresentation)
      }
    }
  }

  @Test(arguments: [
    (1_699_999_999, false), (1_700_000_000, true), (1_700_000_599, true), (1_700_000_600, false),
  ])
  func `a certificate is good from its first second to before its last`(time: UInt64, isValid: Bool)
    async throws
  {
    #expect(try await issue(try contents()).isValid(at: time) == isValid)
  }

  @Test func `options that are out of order, or stand twice, are refused`() async throws {
    func signed(_ extensions: [UInt8]) async throws -> [UInt8] {
      var writer: [SSHField] = [
        .text("ecdsa-sha2-nistp256-cert-v01@openssh.com"), .string([1]), .text("nistp256"),
        .string(try Self.publicKey(key).point), .uint64(1), .uint32(1), .text("id"),
      ]
      let principals: [SSHField] = [.text("ada")]
      writer.append(.nested(principals))
      writer.append(.uint64(1))
      writer.append(.uint64(2))
      writer.append(.string([]))
      writer.append(.string(extensions))
      writer.append(.string([]))
      writer.append(.string(try Self.publicKey(authority).blob))
      let signature = Array(try authority.signature(for: SSHField.bytes(writer)).rawRepresentation)
      writer.append(.string(try SSHPublicKey.signatureBlob(raw: signature)))
      return SSHField.bytes(writer)
    }
    func names(_ names: String...) -> [UInt8] {
      var writer: [SSHField] = []
      for name in names {
        writer.append(.text(name))
        writer.append(.string([]))
      }
      return SSHField.bytes(writer)
    }
    _ = try SSHCertificate(verifying: try await signed(names("a", "b")))
    for bad in [names("b", "a"), names("a", "a"), names("")] {
      let blob = try await signed(bad)
      #expect(throws: SSHFormatError.self) { try SSHCertificate(verifying: blob) }
    }
  }

  // MARK: Revocation

  private func revocations(_ certificates: KeyRevocationList.Certificates...) -> KeyRevocationList {
    KeyRevocationList(version: 3, generatedAt: 1_700_000_000, comment: "sealring", certificates: certificates)
  }

  @Test func `ssh-keygen finds the certificates revoked that our list names, and no others`() async throws {
    try await withTemporaryFolder { folder in
      let authorityKey = try Self.publicKey(authority).blob
      let list = revocations(
        .init(authority: authorityKey, serials: [7...7, 9...9, 20...29], identifiers: ["lost laptop"]),
        .init(authority: try Self.publicKey(key).blob, serials: [1...1]))
      let file = folder.appending(path: "krl")
      try Data(list.bytes).write(to: file)
      for (serial, identifier, isRevoked) in [
        (7, "x", true), (8, "x", false), (9, "x", true), (19, "x", false), (20, "x", true), (29, "x", true),
        (30, "x", false), (1, "x", false), (1, "lost laptop", true),
      ] as [(UInt64, String, Bool)] {
        let certificate = try await issue(try contents(serial: serial, identifier: identifier))
        let name = folder.appending(path: "c.pub")
        try certificate.line(comment: "c").write(to: name, atomically: true, encoding: .utf8)
        let asked = try await keygen(["-Q", "-f", file.path, name.path], in: folder)
        #expect((asked.status != 0) == isRevoked, "\(serial) \(identifier): \(asked.output)")
        #expect(asked.output.contains(isRevoked ? "REVOKED" : "ok"), "\(asked.output)")
        #expect(list.revokes(certificate) == isRevoked)
      }
      #expect(try KeyRevocationList(parsing: list.bytes) == list)
    }
  }

  @Test func `a revoked key is found, by itself and in a certificate`() async throws {
    try await withTemporaryFolder { folder in
      var list = revocations()
      list.keys = [try Self.publicKey(key).blob]
      let (file, name) = (folder.appending(path: "krl"), folder.appending(path: "k.pub"))
      try Data(list.bytes).write(to: file)
      let certificate = try await issue(try contents())
      for line in [
        AuthorizedKey(key: try Self.publicKey(key), comment: "k").line, certificate.line(comment: "c"),
      ] {
        try line.write(to: name, atomically: true, encoding: .utf8)
        let asked = try await keygen(["-Q", "-f", file.path, name.path], in: folder)
        #expect(asked.status != 0 && asked.output.contains("REVOKED"), "\(asked.output)")
      }
      #expect(list.revokes(certificate))
      #expect(try KeyRevocationList(parsing: list.bytes) == list)
    }
  }

  @Test func `a list of ssh-keygen is read: serial numbers, ranges, bitmaps, identifiers and keys`()
    async throws
  {
    try await withTemporaryFolder { folder in
      let authority = folder.appending(path: "ca")
      #expect(
        try await keygen(["-q", "-t", "ecdsa", "-N", "", "-f", authority.path], in: folder).status == 0)
      let rules = folder.appending(path: "rules")
      try
        "serial: 1\nserial: 100-200\nserial: 300\nserial: 302\nserial: 305\nid: lost\nkey: \(AuthorizedKey(key: try Self.publicKey(key), comment: "").line)\n"
        .write(to: rules, atomically: true, encoding: .utf8)
      let made = try await keygen(
        ["-k", "-f", folder.appending(path: "krl").path, "-s", "\(authority.path).pub", rules.path],
        in: folder)
      #expect(made.status == 0, "\(made.output)")
      let list = try KeyRevocationList(
        parsing: Array(try Data(contentsOf: folder.appending(path: "krl"))))
      let certificates = try #require(list.certificates.first)
      #expect(certificates.serials == [1...1, 100...200, 300...300, 302...302, 305...305])
      #expect(certificates.identifiers == ["lost"])
      #expect(list.keys == [try Self.publicKey(key).blob])
    }
  }

  @Test func `a list with a section that is not known, or cut, is refused`() throws {
    let list = revocations(
      .init(authority: try Self.publicKey(authority).blob, serials: [1...1, 5...9], identifiers: ["x"]))
    #expect(throws: SSHFormatError.self) {
      try KeyRevocationList(parsing: list.bytes + [9, 0, 0, 0, 0])
    }
    let header = revocations().bytes.count
    for count in 0..<list.bytes.count where count != header {
      #expect(throws: SSHFormatError.self) { try KeyRevocationList(parsing: Array(list.bytes[..<count])) }
    }
  }

  @Test func `ranges that touch are one, to the largest number`() throws {
    let revoked = KeyRevocationList.Certificates(
      authority: [1], serials: [5...6, 1...4, 9...9, .max - 1 ... .max, 0 ... .max - 5])
    #expect(revoked.serials == [0 ... .max - 5, .max - 1 ... .max])
    let list = revocations(revoked)
    #expect(try KeyRevocationList(parsing: list.bytes) == list)
  }
}
