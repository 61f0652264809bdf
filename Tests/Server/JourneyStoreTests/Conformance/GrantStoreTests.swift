import BindingFormats
import Foundation
import JourneyStore
import StrictJSON
import Testing

extension GrantRecord {
  static func sample(
    _ id: String = "grant-1", of user: UserRecord = .sample(), client: String = "app",
    session: [UInt8]? = [1], life: TimeInterval = 3600
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
      #expect(try await !grants.rotateGrant(key, oldHash: current, newHash: [3], now: noon + 3600))
      #expect(try await grants.endGrant(key, now: noon))
      #expect(try await !grants.endGrant(key, now: noon))
      #expect(try await !grants.rotateGrant(key, oldHash: current, newHash: [3], now: noon))
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
    try await withGrants { (_: any ServerStore, grants: StoredGrants) async throws in
      for (id, client, session) in [("1", "app", [UInt8(1)]), ("2", "web", [1]), ("3", "web", [2])] {
        #expect(try await grants.openGrant(.sample(id, client: client, session: session)))
        #expect(
          try await grants.redeemGrant(
            GrantKey(account: .demo, id: id), ticketHash: [7, 7], details: Self.details, refreshHash: nil,
            now: noon))
      }
      // Never redeemed: its client knows nothing of the session.
      #expect(try await grants.openGrant(.sample("4", client: "web")))
      try await grants.moveGrants(of: .demo, from: [1], to: [3])
      #expect(try await grants.endGrants(of: .demo, session: [1], notified: ["web"], now: noon) == 0)
      #expect(try await grants.endGrants(of: .demo, session: [3], notified: ["web"], now: noon) == 3)
      #expect(try await grants.grants(of: .demo, now: noon).map(\.key.id) == ["3"])

      let taken = try await grants.takeLogoutNotices(limit: 10, now: noon)
      #expect(taken.map(\.key.id) == ["2"] && taken.first?.attempts == 1)
      #expect(taken.first?.clientID == "web" && taken.first?.details == Self.details)
      #expect(try await grants.takeLogoutNotices(limit: 10, now: noon + 14).isEmpty)
      #expect(try await grants.takeLogoutNotices(limit: 10, now: noon + 15).first?.attempts == 2)
      #expect(try await grants.takeLogoutNotices(limit: 10, now: noon + 89).isEmpty)
      try await grants.removeLogoutNotice(GrantKey(account: .demo, id: "2"))
      #expect(try await grants.endGrants(of: .demo, session: nil, notified: ["web"], now: noon) == 1)
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
}
