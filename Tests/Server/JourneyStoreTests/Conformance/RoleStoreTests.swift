import BindingFormats
import Foundation
@testable import JourneyStore
import Testing

/// Who gets a role, by whom, and who is left.
@Suite("Roles in the store") struct RoleStoreTests {
  private static let boss: [UInt8] = [UInt8](repeating: 3, count: 32)

  /// A store with the root administrator `boss`, who has a session, and `demo` in alpha.
  private func withAccounts(_ body: @Sendable (any ServerStore) async throws -> Void) async throws {
    try await withEachStore { store in
      var boss = UserRecord.sample("boss", realm: "root")
      boss.isAdministrator = true
      try await store.createUser(boss)
      try await store.createUser(.sample())
      var session = SessionRecord.sample(3, username: "boss")
      session.realm = "root"
      try await store.createSession(session)
      try await body(store)
    }
  }

  private func caller(_ capability: Capability = .administrate) -> Caller {
    Caller(tokenHash: Self.boss, right: .capability(capability), now: noon)
  }

  private func grant(_ role: AccountRole, _ name: String = "demo", realm: String = "alpha") -> RoleChange {
    RoleChange(role, isGrant: true, username: name, realm: realm)
  }

  private func revoke(_ role: AccountRole, _ name: String, realm: String = "root") -> RoleChange {
    RoleChange(role, isGrant: false, username: name, realm: realm)
  }

  @Test(arguments: AccountRole.allCases)
  func `roles are granted and revoked one by one, and stay with the account`(role: AccountRole) async throws {
    try await withAccounts { store async throws in
      guard case .changed(let user, isNew: true) = try await store.changeRole(grant(role), by: caller())
      else {
        throw Unexpected()
      }
      #expect(user.roles == [role])
      #expect(try await store.changeRole(grant(role), by: caller()) == .changed(user, isNew: false))
      #expect(try await store.user(named: "DEMO", realm: "alpha")?.roles == [role])
      #expect(
        try await store.usersWithRoles(realm: "alpha", after: nil, limit: 10).map(\.username) == ["demo"])
      guard
        case .changed(let after, isNew: true) = try await store.changeRole(
          revoke(role, "demo", realm: "alpha"), by: caller())
      else { throw Unexpected() }
      #expect(after.roles.isEmpty)
      #expect(try await store.usersWithRoles(realm: "alpha", after: nil, limit: 10).isEmpty)
      #expect(try await store.changeRole(grant(role, "nobody"), by: caller()) == .noSuchUser)
    }
  }

  @Test func `nobody grants a role to the own account, in whatever case it is written`() async throws {
    try await withAccounts { store async throws in
      await #expect(throws: StoreError.self) {
        try await store.changeRole(grant(.auditor, "BOSS", realm: "ROOT"), by: caller())
      }
      #expect(try await store.user(named: "boss", realm: "root")?.roles == [.administrator])
    }
  }

  @Test func `a session from before the role does not become an administrator's`() async throws {
    try await withAccounts { store async throws in
      try await store.createSession(.sample(1))
      _ = try await store.changeRole(grant(.administrator), by: caller())
      #expect(try await store.sessions(of: .demo, now: noon).isEmpty)
      #expect(
        try await store.sessions(of: UniversalID(username: "boss", realm: "root"), now: noon).count == 1)
    }
  }

  @Test func `a role that was lost while the body was on its way grants nothing`() async throws {
    try await withAccounts { store async throws in
      var other = UserRecord.sample("other", realm: "root")
      other.isAdministrator = true
      try await store.createUser(other)
      _ = try await store.changeRole(revoke(.administrator, "boss"), by: nil)
      await #expect(throws: StoreError.self) { try await store.changeRole(grant(.auditor), by: caller()) }
      #expect(try await store.user(.demo)?.roles.isEmpty == true)
    }
  }

  @Test func `of fifty administrators who are demoted at once, one stays`() async throws {
    try await withAccounts { store async throws in
      for number in 1...49 {
        var user = UserRecord.sample("admin\(number)", realm: "root")
        user.isAdministrator = true
        try await store.createUser(user)
      }
      let names = ["boss"] + (1...49).map { "admin\($0)" }
      let refused = await withTaskGroup(of: Bool.self) { group in
        for (index, name) in names.enumerated() {
          group.addTask {
            do {
              // All the ways to lose one.
              switch index % 3 {
              case 0: _ = try await store.changeRole(revoke(.administrator, name), by: nil)
              case 1: _ = try await store.deleteUser(UniversalID(username: name, realm: "root"))
              default:
                guard let user = try await store.user(named: name, realm: "root") else { return false }
                var change = UserChange(of: user)
                change.isActive = false
                _ = try await store.updateUser(change)
              }
              return false
            } catch StoreError.lastAdministrator { return true } catch { return false }
          }
        }
        return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
      }
      #expect(refused == 1)
      let left = try await store.usersWithRoles(realm: "root", after: nil, limit: 100)
      #expect(left.filter { $0.isAdministrator && $0.isActive }.count == 1)
    }
  }

  @Test func `the last administrator of another realm may go: the root realm's rule it`() async throws {
    try await withAccounts { store async throws in
      _ = try await store.changeRole(grant(.administrator), by: caller())
      _ = try await store.changeRole(revoke(.administrator, "demo", realm: "alpha"), by: caller())
      #expect(try await store.user(.demo)?.roles.isEmpty == true)
    }
  }

  @Test(
    arguments: [
      ([], [], false), ([.helpDesk], [], true), ([.helpDesk], [.helpDesk], false),
      ([.helpDesk], [.administrator], false), ([.helpDesk], [.auditor], false), ([.auditor], [], false),
      ([.administrator], [.administrator], true), ([.helpDesk, .administrator], [.auditor], true),
    ] as [(Set<AccountRole>, Set<AccountRole>, Bool)])
  func `help reaches ordinary accounts only`(
    roles: Set<AccountRole>, target: Set<AccountRole>, isAllowed: Bool
  ) {
    #expect(Capability.support.isGranted(to: roles, over: target) == isAllowed)
  }

  @Test func `locks are told by name and kind, the longest of each, and no others`() async throws {
    try await withAccounts { store async throws in
      let policy = LockoutPolicy(failureLimit: 1, durations: [60])
      for (name, scope, later) in [
        ("Demo", LockoutScope.passwords, 0.0), ("demo", LockoutScope(.passwords, device: "d"), 30),
        ("demo", .signatures, 10), ("demo", LockoutScope(.deviceCodes), 35), ("other", .passwords, 0),
      ] {
        _ = try await store.recordFailure(
          of: UniversalID(username: name, realm: "alpha"), scope: scope, policy: policy, now: noon + later)
      }
      let locks = try await store.locks(usernames: ["demo", "boss"], realm: "alpha", now: noon + 40)
      #expect(locks == ["demo": AccountLocks(guesses: noon + 90, signatures: noon + 70)])
      #expect(try await store.locks(usernames: ["demo"], realm: "alpha", now: noon + 90).isEmpty)
      #expect(try await store.unlock(of: .demo, by: caller(.support)))
      #expect(try await store.locks(usernames: ["demo"], realm: "alpha", now: noon).isEmpty)
    }
  }

  private struct Unexpected: Error {}
}
