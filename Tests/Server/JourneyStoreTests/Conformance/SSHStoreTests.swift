import BindingFormats
import EvidenceLedger
import Foundation
import GRDB
import StrictJSON
import Testing

@testable import JourneyStore

extension SSHKeyRecord {
  static func sample(_ name: String = "k1", _ purpose: SSHKeyPurpose = .user, after: TimeInterval = 0) -> Self
  {
    SSHKeyRecord(
      fingerprint: "SHA256:\(name)", purpose: purpose, publicKey: Array(name.utf8), createdAt: noon + after)
  }
}

extension SSHCertificateRecord {
  static func sample(
    _ serial: UInt64 = 1, username: String? = "demo", subject: String = "SHA256:subject",
    life: TimeInterval = 600
  ) -> SSHCertificateRecord {
    SSHCertificateRecord(
      realm: "alpha", username: username, accountID: username.map { "id of \($0)" }, serial: serial,
      authority: username == nil ? "SHA256:h1" : "SHA256:k1", subject: subject,
      principals: ["demo", "deploy"],
      isAttested: true, createdAt: noon, expiresAt: noon + life)
  }
}

@Suite("SSH authorities in every database") struct SSHStoreTests {
  /// Each database, with an authority in the realm of the samples and their account.
  private func withAuthority(
    _ body: (any ServerStore, StoredSSHAuthorities) async throws -> Void
  ) async throws {
    try await withEachStore { store in
      for name in ["demo", "other"] { try await store.createUser(.sample(name)) }
      let stored = StoredSSHAuthorities(store)
      #expect(
        try await stored.set(
          ["lifetime": 60], of: "alpha",
          newKeys: [(.sample(), [1, 2, 3]), (.sample("h1", .host), [4, 5])], at: noon))
      try await body(store, stored)
    }
  }

  @Test
  func `an authority is kept whole, made once, and gets new rules only in place of those that were read`()
    async throws
  {
    try await withAuthority { (_: any ServerStore, stored: StoredSSHAuthorities) async throws in
      #expect(try await stored.authority(of: "ALPHA")?.settings == ["lifetime": 60])
      #expect(try await stored.authority(of: "beta") == nil)
      #expect(
        try await !stored.set(["lifetime": 90], of: "alpha", newKeys: [(.sample("k2"), [9])], at: noon))
      #expect(try await !stored.set(["lifetime": 90], of: "alpha", replacing: ["lifetime": 30], at: noon))
      #expect(try await !stored.set(["lifetime": 90], of: "root", replacing: ["lifetime": 60], at: noon))
      #expect(try await stored.authority(of: "alpha")?.settings == ["lifetime": 60])
      #expect(try await stored.set(["lifetime": 90], of: "alpha", replacing: ["lifetime": 60], at: noon))
      #expect(try await stored.authority(of: "alpha")?.settings == ["lifetime": 90])
      #expect(try await stored.keys(of: "alpha") == [.sample("h1", .host), .sample()])
      #expect(try await stored.secret(of: "SHA256:k1") == [1, 2, 3])
      #expect(try await stored.secret(of: "SHA256:k2") == nil)
    }
  }

  @Test func `the key that signs is not retired; another one is, and its private part goes`() async throws {
    try await withAuthority { (_: any ServerStore, stored: StoredSSHAuthorities) async throws in
      try await stored.add(.sample("k2", after: 1), secret: [9], to: "alpha")
      #expect(try await stored.keys(of: "alpha").first == .sample("k2", after: 1))
      for key in ["SHA256:k2", "SHA256:h1", "SHA256:none"] {
        #expect(try await !stored.retire(key, of: "alpha", at: noon), "\(key)")
      }
      #expect(try await !stored.retire("SHA256:k1", of: "beta", at: noon))
      #expect(try await stored.retire("SHA256:k1", of: "alpha", at: noon))
      #expect(try await !stored.retire("SHA256:k1", of: "alpha", at: noon))
      #expect(try await stored.secret(of: "SHA256:k1") == nil)
      #expect(try await stored.revocations(of: "alpha").keys == [Array("k1".utf8)])
      // What it signs from now on is not stored.
      await #expect(throws: StoredSSHAuthorities.Refusal.changedMeanwhile) {
        try await stored.issue(.sample(), evidence: nil, once: nil, by: nil)
      }
    }
  }

  @Test func `a certificate is stored for an active account with that id, and for a host`() async throws {
    try await withAuthority { (store: any ServerStore, stored: StoredSSHAuthorities) async throws in
      try await stored.issue(.sample(), evidence: .sample(.certify), once: nil, by: nil)
      #expect(try await store.evidence(number: 1)?.record.kind == .certify)
      try await stored.issue(.sample(2, username: nil), evidence: nil, once: nil, by: nil)
      var stranger = SSHCertificateRecord.sample(3)
      stranger.accountID = "another"
      let standing = try await stored.standing(of: "SHA256:h1", in: "alpha")
      #expect(standing.isAuthority && !standing.isRevoked)
      for wrong in [stranger, .sample(4, subject: "SHA256:h1"), .sample(5, username: "nobody")] {
        await #expect(throws: StoredSSHAuthorities.Refusal.changedMeanwhile) {
          try await stored.issue(wrong, evidence: .sample(.certify), once: nil, by: nil)
        }
      }
      #expect(try await store.evidence(number: 2) == nil)
      // A serial number is given once.
      await #expect(throws: StoreError.self) {
        try await stored.issue(.sample(), evidence: nil, once: nil, by: nil)
      }
    }
  }

  @Test func `an account that was changed meanwhile has other principals`() async throws {
    try await withAuthority { (store: any ServerStore, stored: StoredSSHAuthorities) async throws in
      var certificate = SSHCertificateRecord.sample()
      certificate.accountRevision = 0
      var change = UserChange(of: .sample())
      change.attributes = ["sshNames": "other"]
      _ = try await store.updateUser(change)
      await #expect(throws: StoredSSHAuthorities.Refusal.changedMeanwhile) {
        try await stored.issue(certificate, evidence: nil, once: nil, by: nil)
      }
      certificate.accountRevision = 1
      try await stored.issue(certificate, evidence: nil, once: nil, by: nil)
    }
  }

  @Test func `of certificates that are issued while the account is deactivated none is left over`()
    async throws
  {
    try await withAuthority { (store: any ServerStore, stored: StoredSSHAuthorities) async throws in
      try await store.createSession(.sample())
      let caller = Caller(tokenHash: SessionRecord.sample().tokenHash, right: .ownAccount, now: noon)
      let issued = try await withThrowingTaskGroup(of: Int.self) { group in
        for serial in UInt64(1)...20 {
          group.addTask {
            do {
              try await stored.issue(
                .sample(serial, life: 1e9), evidence: .sample(.certify), once: nil, by: caller)
            } catch is StoredSSHAuthorities.Refusal { return 0 } catch StoreError.unauthorized { return 0 }
            return 1
          }
          guard serial == 10 else { continue }
          group.addTask {
            var change = UserChange(of: .sample())
            change.isActive = false
            _ = try await store.updateUser(change)
            return 0
          }
        }
        return try await group.reduce(0, +)
      }
      #expect(try await stored.revocations(of: "alpha").serials.values.first?.count ?? 0 == issued)
      #expect(try await store.evidence(EvidenceQuery(limit: 100)).count == issued)
      await #expect(throws: StoreError.self) {
        try await stored.issue(.sample(21), evidence: nil, once: nil, by: caller)
      }
    }
  }

  @Test func `a challenge is used up with the certificate, or not at all`() async throws {
    try await withAuthority { (store: any ServerStore, stored: StoredSSHAuthorities) async throws in
      let once = OnceKey(key: [1, 2, 3], expiry: noon + 300)
      var stranger = SSHCertificateRecord.sample(3)
      stranger.accountID = "another"
      await #expect(throws: StoredSSHAuthorities.Refusal.changedMeanwhile) {
        try await stored.issue(stranger, evidence: nil, once: once, by: nil)
      }
      try await stored.issue(.sample(), evidence: .sample(.certify), once: once, by: nil)
      await #expect(throws: StoredSSHAuthorities.Refusal.replayed) {
        try await stored.issue(.sample(2), evidence: .sample(.certify), once: once, by: nil)
      }
      #expect(try await store.evidence(number: 2) == nil)
    }
  }

  @Test func `certificates are taken back by serial, account and key, and with the account`() async throws {
    try await withAuthority { (store: any ServerStore, stored: StoredSSHAuthorities) async throws in
      let authority = Array("k1".utf8)
      for serial in UInt64(1)...4 {
        try await stored.issue(
          .sample(serial, username: serial > 2 ? "other" : "demo", subject: "SHA256:\(serial)"),
          evidence: nil,
          once: nil, by: nil)
      }
      func revoke(_ revocation: SSHRevocation, at date: Date = noon) async throws -> Int {
        try await stored.revoke(revocation, in: "alpha", at: date, by: nil).total
      }
      #expect(try await stored.revocations(of: "alpha") == SSHRevocations(keys: [], serials: [:]))
      #expect(try await revoke(.serial(1), at: noon + 600) == 0)
      #expect(try await revoke(.serial(1)) == 1)
      #expect(try await revoke(.account(.demo)) == 1)
      #expect(try await revoke(.key(fingerprint: "SHA256:3", publicKey: [3])) == 1)
      #expect(try await revoke(.key(fingerprint: "SHA256:3", publicKey: [3])) == 0)
      #expect(
        try await stored.revocations(of: "alpha")
          == SSHRevocations(keys: [[3]], serials: [authority: [1, 2, 3]]))
      #expect(try await stored.standing(of: "SHA256:3", in: "alpha").isRevoked)
      #expect(try await !stored.standing(of: "SHA256:3", in: "beta").isRevoked)
      _ = try await store.deleteUser(.other)
      #expect(try await stored.revocations(of: "alpha").serials == [authority: [1, 2, 3, 4]])
    }
  }

  @Test func `those of hosts belong to no account, whatever name is given`() async throws {
    try await withAuthority { (store: any ServerStore, stored: StoredSSHAuthorities) async throws in
      try await stored.issue(.sample(1, username: nil), evidence: nil, once: nil, by: nil)
      let nobody = UniversalID(username: "", realm: "alpha")
      #expect(try await stored.revoke(.account(nobody), in: "alpha", at: noon, by: nil).total == 0)
      try await store.endSessions(.all, of: nobody, now: noon)
      #expect(try await stored.revocations(of: "alpha").serials.isEmpty)
      #expect(try await stored.knows(serial: 1, in: "ALPHA"))
      #expect(try await !stored.knows(serial: 1, in: "beta"))
      #expect(try await !stored.knows(serial: 2, in: "alpha"))
      let count = try await stored.revoke(.serial(1), in: "alpha", at: noon, by: nil)
      #expect(count.hosts == 1 && count.users == 0)
    }
  }

  @Test func `they go with the other sessions in one write, and with one that somebody else ends`()
    async throws
  {
    try await withAuthority { (store: any ServerStore, stored: StoredSSHAuthorities) async throws in
      for number in UInt8(1)...3 { try await store.createSession(.sample(number)) }
      try await store.createSession(.sample(4, username: "other"))
      try await stored.issue(.sample(1), evidence: nil, once: nil, by: nil)
      try await stored.issue(.sample(2, username: "other"), evidence: nil, once: nil, by: nil)
      let kept = SessionRecord.sample(1).tokenHash
      let ended = try await store.endSessions(.others(than: kept), of: .demo, now: noon)
      #expect(ended.sessions == 2 && ended.certificates == 1)
      #expect(try await store.sessions(of: .demo, now: noon).map(\.tokenHash) == [kept])
      #expect(try await store.sessions(of: .other, now: noon).count == 1)
      #expect(try await store.endSessions(.others(than: kept), of: .demo, now: noon).sessions == 0)

      try await stored.issue(.sample(3), evidence: nil, once: nil, by: nil)
      func end(takesBack: Bool) async throws -> EndedSessions {
        try await store.endSessions(
          .one(kept), of: .demo, takesBackCertificates: takesBack, now: noon)
      }
      #expect(try await end(takesBack: false).sessions == 1)
      let authority = Array("k1".utf8)
      #expect(try await stored.revocations(of: "alpha").serials == [authority: [1]])
      // Also of a session that has gone meanwhile.
      let late = try await end(takesBack: true)
      #expect(late.sessions == 0 && late.certificates == 1)
      #expect(try await stored.revocations(of: "alpha").serials == [authority: [1, 3]])
    }
  }

  @Test func `what is revoked is found by an index, however many certificates there are`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: folder) }
    let store = try SQLiteStore(directory: folder)
    defer { withExtendedLifetime(store) {} }
    let database = try DatabaseQueue(path: folder.appending(path: "sealring.sqlite").path)
    let plan = try database.read { db in
      try Row.fetchAll(
        db,
        sql: "EXPLAIN QUERY PLAN \(SSHSQL.revokedCertificates.sqlite.replacing("?", with: "'1'"))"
      ).map { $0["detail"] as String }
    }
    #expect(plan.contains { $0.contains("ssh_certificates_revoked") }, "\(plan)")
    #expect(!plan.contains { $0.contains("SCAN") || $0.contains("TEMP B-TREE") }, "\(plan)")
  }

  @Test func `they leave the table a day after their end`() async throws {
    try await withAuthority { (store: any ServerStore, stored: StoredSSHAuthorities) async throws in
      try await stored.issue(.sample(), evidence: nil, once: nil, by: nil)
      _ = try await stored.revoke(.serial(1), in: "alpha", at: noon, by: nil)
      try await store.removeExpired(now: noon + 600 + 86_300)
      #expect(try await stored.revocations(of: "alpha").serials.count == 1)
      try await store.removeExpired(now: noon + 600 + 86_500)
      #expect(try await stored.revocations(of: "alpha").serials.isEmpty)
    }
  }
}
