import Bytes
import Crypto
import ProofFixtures
import Testing

@testable import SSHFormats

struct SSHFormatsTests {
  /// Made by `ssh-keygen -t ecdsa`; its fingerprint by `ssh-keygen -l`.
  private let line =
    "ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBD6b/s4LRmTOh1Tgx6MLOe9chixy0oZmRM5yxdVjm4VLxflvRwNkIXTVtmBpoNt2XKweWBVWYen3th800RZ3VFA= ada@laptop"
  private let fingerprint = "SHA256:wbGfWmVyGP+28FrkITVcd0+Rf5262Gc+oVcON309bPg"

  @Test func `OpenSSH's key and fingerprint are read and written`() throws {
    let key = try AuthorizedKey(parsing: line)
    #expect(key.line == line)
    #expect(key.comment == "ada@laptop")
    #expect(key.key.fingerprint == fingerprint)
    #expect(try SSHPublicKey(parsing: key.key.blob) == key.key)
  }

  @Test func `a comment never begins a line`() throws {
    let key = try AuthorizedKey(parsing: line).key
    #expect(!AuthorizedKey(key: key, comment: "a\nssh-rsa AAAA").line.contains("\n"))
  }

  @Test(
    arguments: [
      [0xFF, 0xFF, 0xFF, 0xFF], [0, 0, 0, 5, 1], [0x7F, 0xFF, 0xFF, 0xFF, 1, 2], [0, 0, 0], [],
    ] as [[UInt8]])
  func `a length that lies is refused`(bytes: [UInt8]) {
    #expect(throws: SSHFormatError.self) {
      var reader = SSHReader(bytes)
      _ = try reader.string()
    }
    #expect(throws: SSHFormatError.self) { try AgentRequest(parsing: [13] + bytes) }
    #expect(throws: SSHFormatError.self) { try AgentRequest(parsing: [27] + bytes) }
    #expect(throws: SSHFormatError.self) { try UserAuthenticationRequest(parsing: bytes) }
    #expect(throws: SSHFormatError.self) { try SessionBinding(verifying: bytes) }
    #expect(throws: SSHFormatError.self) { try HostKey(parsing: bytes) }
    #expect(throws: SSHFormatError.self) { try SSHPublicKey(parsing: bytes) }
  }

  @Test(
    arguments: [
      ([0], [0, 0, 0, 0]), ([0x7F], [0, 0, 0, 1, 0x7F]), ([0x80], [0, 0, 0, 2, 0, 0x80]),
      ([0, 0, 9, 0xA3], [0, 0, 0, 2, 9, 0xA3]),
    ] as [([UInt8], [UInt8])])
  func `numbers are written as RFC 4251 section 5 has them`(digits: [UInt8], bytes: [UInt8]) throws {
    let writer: [SSHField] = [.number(digits)]
    #expect(SSHField.bytes(writer) == bytes)
    var reader = SSHReader(bytes)
    #expect(try reader.number(limit: 2) == Array(digits.drop { $0 == 0 }))
  }

  @Test(arguments: [[0, 0, 0, 1, 0x80], [0, 0, 0, 2, 0, 0x7F], [0, 0, 0, 3, 1, 2, 3]] as [[UInt8]])
  func `a number that is negative, padded or too long is refused`(bytes: [UInt8]) {
    #expect(throws: SSHFormatError.self) {
      var reader = SSHReader(bytes)
      _ = try reader.number(limit: 2)
    }
  }

  @Test func `a point that is not on the curve is refused`() throws {
    var point = try AuthorizedKey(parsing: line).key.point
    point[64] ^= 1
    #expect(throws: SSHFormatError.self) { try SSHPublicKey(point: point) }
  }

  @Test func `a signature is two numbers behind the name of the algorithm`() throws {
    let key = P256.Signing.PrivateKey()
    let blob = try SSHPublicKey.signatureBlob(
      raw: Array(key.signature(for: Array("data".utf8)).rawRepresentation))
    let host = try HostKey(
      parsing: SSHPublicKey(point: Array(key.publicKey.x963Representation)).blob)
    #expect(host.isValid(blob, over: Array("data".utf8)))
    #expect(!host.isValid(blob, over: Array("date".utf8)))
  }

  @Test(arguments: [nil, [1, 2, 3]] as [[UInt8]?])
  func `a sign-in is read whole, and nothing else is one`(hostKey: [UInt8]?) throws {
    let key = try AuthorizedKey(parsing: line).key
    let session = [UInt8](repeating: 7, count: 32)
    let bytes = UserAuthenticationRequest.bytes(
      sessionIdentifier: session, user: "ada", key: key, hostKey: hostKey)
    let request = try UserAuthenticationRequest(parsing: bytes)
    #expect(request.sessionIdentifier == session && request.user == "ada" && request.key == key)
    #expect(request.hostKey == hostKey && request.certificate == nil && request.service == "ssh-connection")
    #expect(request.bytes == bytes)
    for count in 0..<bytes.count {
      #expect(throws: SSHFormatError.self) { try UserAuthenticationRequest(parsing: Array(bytes[..<count])) }
    }
    #expect(throws: SSHFormatError.self) { try UserAuthenticationRequest(parsing: bytes + [0]) }
    let other = UserAuthenticationRequest.bytes(
      sessionIdentifier: session, user: "ada", key: key, hostKey: hostKey, service: "x")
    #expect(throws: SSHFormatError.self) { try UserAuthenticationRequest(parsing: other) }
  }

  @Test(arguments: [
    "eyJhbGciOiJFUzI1NiJ9.eyJjaGFsbGVuZ2UiOiJhIn0", "SSHSIG\u{0}\u{0}\u{0}\u{3}git", "",
  ])
  func `what a server of Sealring takes for a proof is never a sign-in by SSH`(data: String) {
    #expect(throws: SSHFormatError.self) { try UserAuthenticationRequest(parsing: Array(data.utf8)) }
  }

  @Test(
    arguments: [
      .identities, .sign(key: [1], data: [2, 3], flags: 4), .lock(passphrase: [5]), .unlock(passphrase: []),
      .extension(name: "query", contents: [6]), .other(17),
    ] as [AgentRequest])
  func `requests are read as they are written`(request: AgentRequest) throws {
    #expect(try AgentRequest(parsing: request.bytes) == request)
  }

  @Test func `an agent's list is read as it is written, and a length that lies lists nothing more`() {
    let identities = [
      AgentReply.Identity(blob: [1, 2], comment: "laptop"), AgentReply.Identity(blob: [], comment: ""),
    ]
    let message = AgentReply.identities(identities).bytes
    #expect(AgentReply.identities(in: message) == identities)
    for other in [
      [], AgentReply.failure.bytes, [12], [12, 0xFF, 0xFF, 0xFF, 0xFF], Array(message.dropLast(9)),
    ] {
      #expect(AgentReply.identities(in: other).count < 2)
    }
  }

  @Test func `a message above 256 KiB is refused`() {
    #expect(throws: SSHFormatError.self) {
      try AgentRequest(parsing: [UInt8](repeating: 11, count: AgentRequest.maximumBytes + 1))
    }
  }

  /// OpenSSH, too, skips spaces and tabs before a line.
  @Test(arguments: ["", " ", "\t \t"])
  func `a host is named by known_hosts, unless its name is hashed, a pattern or marked`(indent: String) throws
  {
    let blob: [UInt8] = [1, 2, 3]
    let key = PaddedBase64.encode(blob)
    let text = """
      \(indent)# a comment
      \(indent)# \(key) \(key)
      \(indent)bank.example,10.0.0.1 ssh-ed25519 \(key) note
      |1|c2FsdA==|aGFzaA== ssh-ed25519 \(key)
      *.example ssh-ed25519 \(key)
      \(indent)@revoked evil.example ssh-ed25519 \(key)
      other.example ssh-ed25519 AAAA
      """
    // What the line with the marker says of this key holds for all of its names.
    #expect(KnownHosts.names(of: blob, in: text) == [])
    let unmarked = text.replacing("@revoked", with: "@other")
    #expect(KnownHosts.names(of: blob, in: unmarked) == ["bank.example", "10.0.0.1"])
  }
}
