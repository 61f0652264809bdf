import BindingFormats
import Foundation
import JourneyStore
import StrictJSON
import Testing

extension GrantRecord {
  static func sample(
    _ id: String = "grant-1", of user: UserRecord = .sample(), client: String = "app",
    session: [UInt8]? = SessionRecord.sample(1).tokenHash, life: TimeInterval = 3600
  ) -> GrantRecord {
    GrantRecord(
      key: GrantKey(account: user.account, id: id), mark: PasswordMark(user), clientID: client,
      sessionHash: session, details: GrantDetails(scopes: ["openid"], subject: "s"), createdAt: noon,
      expiresAt: noon + life, ticketHash: [7, 7], ticketExpiry: noon + 60)
  }
}

@Suite("Grants of OpenID Connect clients") struct GrantStoreTests {
  /// Each database, with the account of the samples.
  private func withGrants(
    _ body: (any ServerStore, StoredGrants) async throws -> Void
  ) async throws {
    try await withEachStore { store in
      try await store.createUser(.sample())
      for number in [1, 2] as [UInt8] { try await store.createSession(.sample(number)) }
      try await body(store, StoredGrants(store))
    }
  }

  private static let details = {
    var details = GrantDetails(scopes: ["openid"])
    details.keyThumbprint = "key"
    return details
  }()

  @Test func `a grant is kept whole, in its realm and account, whatever the case`() async throws {
    try await withGrants { (_: any ServerStore, grants: StoredGrants) async throws in
      #expect(try await grants.openGrant(.sample()))
      #expect(try await grants.grant(GrantRecord.sample().key) == .sample())
      let other = GrantKey(account: UniversalID(username: "DEMO", realm: "ALPHA"), id: "grant-1")
      #expect(try await grants.grant(other)?.key.account.username == "demo")
      #expect(try await grants.grant(GrantKey(account: .other, id: "grant-1")) == nil)
      #expect(try await grants.grant(GrantKey(account: .demo, id: "GRANT-1")) == nil)
      #expect(try await grants.openGrant(.sample("grant-2", session: nil)))
      #expect(try await grants.grant(GrantRecord.sample("grant-2").key)?.sessionHash == nil)
    }
  }

  @Test func `nothing is granted by an account that is gone, inactive, or has another password`() async throws
  {
    try await withGrants { (store: any ServerStore, grants: StoredGrants) async throws in
      var user = UserRecord.sample()
      user.passwordVersion = 1
      #expect(try await !grants.openGrant(.sample(of: user)))
      user = .sample()
      user.id = "another"
      #expect(try await !grants.openGrant(.sample(of: user)))
      #expect(try await grants.openGrant(.sample()))
      _ = try await store.deleteUser(.demo)
      #expect(try await grants.grant(GrantRecord.sample().key) == nil)
      #expect(try await !grants.openGrant(.sample()))
    }
  }

  @Test func `of many at once one redeems a code, while it is good`() async throws {
    try await withGrants { (_: any ServerStore, grants: StoredGrants) async throws in
      let key = GrantRecord.sample().key
      #expect(try await grants.openGrant(.sample()))
      @Sendable func redeem(_ hash: [UInt8] = [7, 7], at seconds: TimeInterval = 0) async throws -> Bool {
        try await grants.redeemGrant(
          key, ticketHash: hash, details: Self.details, refreshHash: [9], now: noon + seconds)
      }
      #expect(try await !redeem([8]))
      #expect(try await !redeem(at: 60))
      let redeemed = try await withThrowingTaskGroup(of: Bool.self) { group in
        for _ in 0..<20 { group.addTask { try await redeem() } }
        return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
      }
      #expect(redeemed == 1)
      let grant = try #require(try await grants.grant(key))
      #expect(grant.details == Self.details && grant.refreshHash == [9] && grant.ticketUsedAt == noon)
    }
  }

  @Test func `of many at once one gets the next refresh token, and none after the end`() async throws {
    try await withGrants { (_: any ServerStore, grants: StoredGrants) async throws in
      let key = GrantRecord.sample().key
      #expect(try await grants.openGrant(.sample()))
      #expect(
        try await grants.redeemGrant(
          key, ticketHash: [7, 7], details: Self.details, refreshHash: [1], now: noon))
      let rotated = try await withThrowingTaskGroup(of: Bool.self) { group in
        for index in 0..<20 {
          group.addTask {
            try await grants.rotateGrant(key, oldHash: [1], newHash: [2, UInt8(index)], now: noon)
          }
        }
        return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
      }
      #expect(rotated == 1)
      let current = try #require(try await grants.grant(key)?.refreshHash)
      // With what the grant knows from then on, in the same write.
      #expect(try await grants.grant(key)?.details == Self.details)
      let details = GrantDetails(scopes: ["openid"], issuer: "https://id.example.com")
      #expect(
        try await !grants.rotateGrant(key, oldHash: [1], newHash: [4], details: details, now: noon))
      #expect(try await grants.grant(key)?.details == Self.details)
      #expect(
        try await grants.rotateGrant(key, oldHash: current, newHash: current, details: details, now: noon))
      #expect(try await grants.grant(key)?.details == details)
      #expect(try await !grants.rotateGrant(key, oldHash: current, newHash: [3], now: noon + 3600))
      #expect(try await grants.endGrant(key, now: noon))
      #expect(try await !grants.endGrant(key, now: noon))
      #expect(try await !grants.rotateGrant(key, oldHash: current, newHash: [3], now: noon))
      #expect(try await grants.grants(of: .demo, now: noon).isEmpty)
    }
  }

  @Test
  func `nothing is granted in a session that has ended, whether the grant would go on without it or not`()
    async throws
  {
    try await withGrants { (store: any ServerStore, grants: StoredGrants) async throws in
      let (ended, live) = (SessionRecord.sample(1), SessionRecord.sample(2))
      try await store.endSessions(.one(ended.tokenHash), of: .demo, now: noon)
      #expect(try await !grants.openGrant(.sample("1", session: ended.tokenHash)))
      #expect(try await !grants.openGrant(.sample("2", session: nil), in: ended.tokenHash))
      #expect(try await grants.openGrant(.sample("3", session: live.tokenHash)))
      #expect(try await grants.openGrant(.sample("4", session: nil), in: live.tokenHash))
      #expect(try await grants.grants(of: .demo, now: noon).map(\.key.id) == ["3", "4"])
      #expect(try await grants.grant(GrantKey(account: .demo, id: "4"))?.sessionHash == nil)
    }
  }

  @Test func `what is granted while all sessions end ends with them, or is not granted`() async throws {
    try await withGrants { (store: any ServerStore, grants: StoredGrants) async throws in
      let granted = try await withThrowingTaskGroup(of: Bool?.self) { group in
        for index in 0..<40 {
          group.addTask { try await grants.openGrant(.sample("grant \(index)")) }
          if index == 20 {
            group.addTask {
              try await store.endSessions(.all, of: .demo, now: noon)
              return nil
            }
          }
        }
        return try await group.compactMap { $0 }.reduce(into: [Bool]()) { $0.append($1) }
      }
      #expect(granted.count == 40)
      #expect(try await grants.grants(of: .demo, now: noon).isEmpty)
    }
  }

  @Test func `who asks too soon is told`() async throws {
    try await withGrants { (_: any ServerStore, grants: StoredGrants) async throws in
      let key = GrantRecord.sample().key
      #expect(try await grants.openGrant(.sample()))
      #expect(try await grants.pollGrant(key, notBefore: noon - 5, now: noon))
      #expect(try await !grants.pollGrant(key, notBefore: noon - 1, now: noon + 4))
      #expect(try await grants.pollGrant(key, notBefore: noon, now: noon + 5))
    }
  }

  @Test func `the end of a session ends what was granted in it, and leaves a notice for those who want one`()
    async throws
  {
    try await withGrants { (store: any ServerStore, grants: StoredGrants) async throws in
      let sessions = (0...3).map { SessionRecord.sample($0).tokenHash }
      for (id, client, session) in [
        ("1", "app", sessions[1]), ("2", "web", sessions[1]), ("3", "web", sessions[2]),
      ] {
        #expect(try await grants.openGrant(.sample(id, client: client, session: session)))
        #expect(
          try await grants.redeemGrant(
            GrantKey(account: .demo, id: id), ticketHash: [7, 7], details: Self.details, refreshHash: nil,
            now: noon))
      }
      // Never redeemed: its client knows nothing of the session.
      #expect(try await grants.openGrant(.sample("4", client: "web")))
      // A session that replaces one takes over what was granted in it.
      try await store.replaceSession(tokenHash: sessions[1], with: .sample(3), now: noon)
      try await store.endSessions(.one(sessions[1]), of: .demo, telling: ["web"], now: noon)
      #expect(try await grants.grants(of: .demo, now: noon).count == 4)
      try await store.endSessions(.one(sessions[3]), of: .demo, telling: ["web"], now: noon)
      #expect(try await grants.grants(of: .demo, now: noon).map(\.key.id) == ["3"])

      let taken = try await grants.takeLogoutNotices(limit: 10, now: noon)
      #expect(taken.map(\.key.id) == ["2"] && taken.first?.attempts == 1)
      #expect(taken.first?.clientID == "web" && taken.first?.details == Self.details)
      #expect(try await grants.takeLogoutNotices(limit: 10, now: noon + 14).isEmpty)
      #expect(try await grants.takeLogoutNotices(limit: 10, now: noon + 15).first?.attempts == 2)
      #expect(try await grants.takeLogoutNotices(limit: 10, now: noon + 89).isEmpty)
      try await grants.removeLogoutNotice(GrantKey(account: .demo, id: "2"))
      try await store.endSessions(.all, of: .demo, telling: ["web"], now: noon)
      #expect(try await grants.takeLogoutNotices(limit: 10, now: noon + 1800).map(\.key.id) == ["3"])
    }
  }

  @Test func `consent is kept for each client`() async throws {
    try await withGrants { (_: any ServerStore, grants: StoredGrants) async throws in
      #expect(try await grants.consent(of: .demo, client: "app") == nil)
      try await grants.setConsent(["openid"], of: .demo, id: nil, client: "app", now: noon)
      try await grants.setConsent(["openid", "email"], of: .demo, id: nil, client: "app", now: noon)
      #expect(try await grants.consent(of: .demo, client: "app") == ["openid", "email"])
      #expect(try await grants.consent(of: .demo, client: "web") == nil)
      #expect(try await grants.consent(of: .other, client: "app") == nil)
    }
  }

  @Test func `an account has a bounded number of grants, and what is over goes`() async throws {
    try await withGrants { (store: any ServerStore, grants: StoredGrants) async throws in
      for index in 0..<(GrantLimits.perAccount + 3) {
        var grant = GrantRecord.sample("grant \(index)", life: TimeInterval(100 + index))
        grant.createdAt = noon + TimeInterval(index)
        #expect(try await grants.openGrant(grant))
      }
      let all = try await grants.grants(of: .demo, now: noon)
      #expect(all.count == GrantLimits.perAccount && all.first?.key.id == "grant 3")
      try await store.removeExpired(now: noon + 104)
      #expect(try await grants.grant(GrantRecord.sample("grant 4").key) == nil)
      #expect(try await grants.grant(GrantRecord.sample("grant 5").key) != nil)
    }
  }

  @Test func `grants that were opened while the clock was ahead are the first to go`() async throws {
    try await withGrants { (_: any ServerStore, grants: StoredGrants) async throws in
      for index in 0..<GrantLimits.perAccount {
        var grant = GrantRecord.sample("ahead \(index)", session: nil, life: 366 * 86_400)
        grant.createdAt = noon + 365 * 86_400
        #expect(try await grants.openGrant(grant))
      }
      for id in ["now 1", "now 2"] {
        #expect(try await grants.openGrant(.sample(id, session: nil)))
        #expect(try await grants.grant(GrantRecord.sample(id).key) != nil)
      }
    }
  }
}
