import Accounts
import BindingFormats
import Bytes
import EvidenceLedger
import Foundation
import CommonFixtures
import JourneyStore
import SecurityEvents
import SSHFormats
import StrictJSON
import Testing

@testable import SSHAuthority

@Suite("SSH certificates of accounts") struct CertifyTests {
  @Test
  func `a certificate says who signs in, until when, and what they may; row, event and ledger say so, too`()
    async throws
  {
    let world = try await World()
    let session = try await world.session()
    let certificate = try await world.certify(for: session)
    let contents = certificate.contents
    #expect(contents.kind == .user && contents.principals == ["ada"] && contents.identifier == "ada@alpha")
    #expect(contents.validity == 1_799_999_940..<1_800_000_600)
    #expect(contents.criticalOptions.isEmpty)
    #expect(contents.extensions.keys.sorted() == ["permit-port-forwarding", "permit-pty"])
    let published = try await world.authority.published(World.realm)
    #expect(certificate.authority.fingerprint == published.userKeys.first?.fingerprint)

    let event = try #require(world.events(.sshCertificateIssued).first)
    #expect(event.account == "ada" && event.realm == "alpha" && event.accountID == session.accountID)
    #expect(event.detail["serial"] == .string(String(contents.serial)))
    #expect(event.detail["key"] == .string(contents.key.fingerprint))
    #expect(event.detail["principals"] == ["ada"] && event.detail["attested"] == false)

    let entry = try #require(try await world.store.evidence(number: 1))
    #expect(entry.record.kind == .certify && entry.record.username == "ada")
    #expect(entry.record.accountID == session.accountID && entry.record.journey == "Login")
    #expect(SignedStatement(entry) == .certificate("SSH certificate \(contents.serial) for ada"))
    let claims = try entry.verifySignature()
    let line = try #require(claims["certificate"]?.stringValue)
    #expect(PaddedBase64.decode(line.split(separator: " ")[1]) == certificate.blob)
  }

  @Test func `an entry of a certificate cannot be changed`() async throws {
    let world = try await World()
    _ = try await world.certify()
    let entry = try #require(try await world.store.evidence(number: 1))
    var record = entry.record
    record.username = "bob"
    record.userID = UniversalID(username: "bob", realm: "alpha").text
    let forged = try EvidenceEntry(number: 1, previous: entry.previous, record: record)
    #expect(throws: EvidenceFault.self) { try forged.verifySignature() }
  }

  @Test func `a key in a FIDO authenticator is certified with its application`() async throws {
    let world = try await World()
    let issued = try await world.authority.certify(
      SSHCertificateRequest(publicKey: Subject().securityKeyLine), for: try await world.session(),
      in: World.realm)
    let certificate = try World.certificate(issued)
    #expect(certificate.type == "sk-ecdsa-sha2-nistp256-cert-v01@openssh.com")
    #expect(certificate.contents.key.type == SSHPublicKey.securityKeyType)
  }

  @Test(
    arguments: [
      (1, "Login", true), (2, "Strong", true), (0, "Login", false), (1, "Strong", false), (2, "Login", false),
      (2, nil, false),
    ] as [(Int, String?, Bool)])
  func `a session needs the level and the journey, which the refusal names`(
    level: Int, journey: String?, isGood: Bool
  ) async throws {
    let isStrict = level == 2 || journey == "Strong"
    let world = try await World { settings in
      if isStrict { (settings.authLevel, settings.journey) = (2, "Strong") }
    }
    let session = try await world.session(level: level, journey: journey)
    if isGood { return _ = try await world.certify(for: session) }
    let refused = try await refusal { _ = try await world.certify(for: session) }
    #expect(refused.kind == .forbidden)
    #expect(refused.detail?["authLevel"] == (isStrict ? 2 : 1))
    #expect(refused.detail?["journey"] == (isStrict ? "Strong" : nil))
  }

  @Test func `another realm's session gets nothing, whatever its account is called`() async throws {
    let world = try await World()
    let session = try await world.session("ada", realm: "root", level: 9)
    #expect(try await refusal { _ = try await world.certify(for: session) }.kind == .forbidden)
    #expect(
      try await refusal { _ = try await world.authority.challenge(for: session, in: World.realm) }.kind
        == .forbidden)
    #expect(
      try await refusal { _ = try await world.certify(for: session, in: "root") }.kind == .notFound)
  }

  @Test func `an inactive account, a locked one and one that has only the name get nothing`() async throws {
    let world = try await World()
    let session = try await world.session()
    for _ in 1...5 {
      _ = try await world.store.settleAttempt(
        of: World.ada, isRight: false, policy: .standard, now: world.clock.now)
    }
    #expect(
      try await refusal { _ = try await world.certify(for: session) }.description.contains("locked"))
    world.clock.advance(by: 3600)
    _ = try await world.certify(for: session)
    _ = try await world.accounts.change(World.ada, by: .operator) { _ in
      var change = AccountChange()
      change.isActive = false
      return change
    }
    #expect(try await refusal { _ = try await world.certify(for: session) }.kind == .forbidden)
    _ = try await world.accounts.delete(World.ada, by: .operator)
    try await world.store.createUser(UserRecord(realm: "alpha", username: "ada", createdAt: world.clock.now))
    #expect(try await refusal { _ = try await world.certify(for: session) }.kind == .forbidden)
  }

  @Test func `a session that has ended meanwhile gets nothing`() async throws {
    let world = try await World()
    let session = try await world.session()
    try await world.store.endSessions(.one(session.tokenHash), of: session.account, now: world.clock.now)
    await #expect(throws: StoreError.self) { _ = try await world.certify(for: session) }
    #expect(try await world.store.evidence(number: 1) == nil)
  }

  @Test func `a certificate ends with its session`() async throws {
    let world = try await World()
    let certificate = try await world.certify(for: try await world.session(life: 90))
    #expect(certificate.contents.validity.upperBound == 1_800_000_090)
  }

  // MARK: Principals

  @Test(arguments: [
    ("ada", true), ("ada.lovelace-1_2+x@bank", true), ("root", true), ("", false), ("a,root", false),
    ("a\nroot", false), ("a b", false), ("*", false), ("-oProxy", false), ("ä", false), ("a\"", false),
    (String(repeating: "a", count: 65), false),
  ])
  func `a principal is a plain name`(text: String, isFit: Bool) async throws {
    let world = try await World { $0.principals = ["sshNames"] }
    _ = try await world.accounts.change(World.ada, by: .operator) { _ in
      var change = AccountChange()
      change.attributes = .setting(["sshNames": [.string(text)]])
      return change
    }
    if isFit {
      #expect(try await world.certify().contents.principals == [text])
    } else {
      #expect(try await refusal { _ = try await world.certify() }.kind == .forbidden)
    }
  }

  @Test(arguments: ["root", "Root", "a,b", "ä"])
  func `a name that somebody registered is no principal when it is root's or unfit`(name: String) async throws
  {
    let world = try await World()
    try await world.store.createUser(UserRecord(realm: "alpha", username: name, createdAt: world.clock.now))
    let session = try await world.session(name)
    #expect(try await refusal { _ = try await world.certify(for: session) }.kind == .forbidden)
  }

  @Test func `attributes that accounts may change themselves give no principals`() async throws {
    let world = try await World { $0.principals = ["givenName", "mail", "aliasList", "sshNames"] }
    _ = try await world.accounts.change(World.ada, by: .operator) { _ in
      var change = AccountChange()
      change.mail = ["root@example.com"]
      change.attributes = .setting(["givenName": "root", "sshNames": "deploy"])
      return change
    }
    #expect(try await world.certify().contents.principals == ["deploy"])
  }

  @Test func `a request narrows its principals, and never widens them`() async throws {
    let world = try await World { $0.principals = ["userName", "sshNames"] }
    _ = try await world.accounts.change(World.ada, by: .operator) { _ in
      var change = AccountChange()
      change.attributes = .setting(["sshNames": ["deploy", "ada", "backup"]])
      return change
    }
    #expect(try await world.certify().contents.principals == ["ada", "deploy", "backup"])
    #expect(try await world.certify(principals: ["backup"]).contents.principals == ["backup"])
    for wanted in [["root"], ["deploy", "root"], [], [""], ["bob"]] {
      #expect(
        try await refusal { _ = try await world.certify(principals: wanted) }.kind == .forbidden, "\(wanted)")
    }
  }

  // MARK: Keys

  private static let refused = [
    "", "ecdsa-sha2-nistp256", "ecdsa-sha2-nistp256 AAAA", "command=\"id\" \(Subject().line)",
    "ssh-ed25519 \(Subject().line.split(separator: " ")[1])",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl weak",
    rsa,
    "ecdsa-sha2-nistp256 \(PaddedBase64.encode(offCurve))",
  ]

  private static let rsa: String = {
    let writer: [SSHField] = [
      .text("ssh-rsa"), .number([1, 0, 1]), .number([0xC5] + Array(repeating: 0x11, count: 383)),
    ]
    return "ssh-rsa \(PaddedBase64.encode(SSHField.bytes(writer)))"
  }()

  private static var offCurve: [UInt8] {
    let writer: [SSHField] = [
      .text("ecdsa-sha2-nistp256"), .text("nistp256"), .string([4] + Array(repeating: 1, count: 64)),
    ]
    return SSHField.bytes(writer)
  }

  @Test(arguments: refused)
  func `other keys than those of devices are not certified`(line: String) async throws {
    let world = try await World()
    let session = try await world.session()
    let refused = try await refusal {
      _ = try await world.authority.certify(
        SSHCertificateRequest(publicKey: line), for: session, in: World.realm)
    }
    #expect(refused.kind == .invalid)
  }

  @Test func `no authority's key is certified, retired or not, and no revoked one`() async throws {
    let world = try await World()
    let session = try await world.session()
    let published = try await world.authority.published(World.realm)
    _ = try await world.authority.rotate(.user, of: World.realm, by: .operator)
    try await world.authority.retire(
      try #require(published.userKeys.first?.fingerprint), of: World.realm, by: .operator)
    try await world.authority.create(SSHAuthoritySettings(), of: "beta", by: .operator)
    let others = try await world.authority.published("beta")
    for key in published.userKeys + published.hostKeys + others.hostKeys {
      let refused = try await refusal {
        _ = try await world.authority.certify(
          SSHCertificateRequest(publicKey: key.line), for: session, in: World.realm)
      }
      #expect(refused.kind == .invalid)
    }
    let stolen = Subject()
    _ = try await world.authority.revoke(.key(line: stolen.line), in: World.realm, by: .operator)
    #expect(try await refusal { _ = try await world.certify(stolen) }.kind == .forbidden)
  }

  @Test func `fifty requests at once get fifty certificates, each recorded`() async throws {
    let world = try await World()
    let session = try await world.session()
    let serials = try await withThrowingTaskGroup(of: UInt64.self) { group in
      for _ in 1...50 {
        group.addTask { try await world.certify(for: session).contents.serial }
      }
      return try await group.reduce(into: Set<UInt64>()) { $0.insert($1) }
    }
    #expect(serials.count == 50 && serials.allSatisfy { $0 <= UInt64(Int64.max) })
    #expect(try await world.store.evidence(EvidenceQuery(realm: "alpha", limit: 100)).count == 50)
    #expect(
      try await world.authority.revoke(.account(username: "ada"), in: World.realm, by: .operator).total == 50)
  }
}
