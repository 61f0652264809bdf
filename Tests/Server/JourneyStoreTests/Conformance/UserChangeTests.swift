import BindingFormats
import Foundation
import JourneyStore
import StrictJSON
import Testing

/// Each change is one write that sets what was asked and looks again at who asked.
@Suite("Changes of accounts") struct UserChangeTests {
  private static let own: [UInt8] = [UInt8](repeating: 1, count: 32)
  private static let other: [UInt8] = [UInt8](repeating: 2, count: 32)
  private static let administrators: [UInt8] = [UInt8](repeating: 3, count: 32)

  /// A store with `demo`, who has two sessions, and the administrator `boss` of the root realm, who has one.
  private func withAccounts(_ body: (any ServerStore, UserRecord) async throws -> Void) async throws {
    try await withEachStore { store in
      let user = UserRecord.sample()
      try await store.createUser(user)
      var boss = UserRecord.sample("boss", realm: "root")
      boss.isAdministrator = true
      try await store.createUser(boss)
      // The last administrator of the root realm could not be deleted.
      var second = UserRecord.sample("second", realm: "root")
      second.isAdministrator = true
      try await store.createUser(second)
      try await store.createSession(.sample(1))
      try await store.createSession(.sample(2))
      var session = SessionRecord.sample(3, username: "boss")
      session.realm = "root"
      try await store.createSession(session)
      try await body(store, user)
    }
  }

  private func live(_ store: any ServerStore) async throws -> [Bool] {
    var live: [Bool] = []
    for token in [Self.own, Self.other, Self.administrators] {
      live.append(try await store.session(tokenHash: token, now: noon) != nil)
    }
    return live
  }

  private func caller(_ token: [UInt8] = Self.own, _ right: Caller.Right = .ownAccount) -> Caller {
    Caller(tokenHash: token, right: right, now: noon)
  }

  @Test func `only what is given is set`() async throws {
    try await withAccounts { store, user in
      var change = UserChange(of: user, caller: caller())
      change.mail = ["new@example.com"]
      var expected = user
      expected.mail = ["new@example.com"]
      expected.revision = 1
      let first = try await store.updateUser(change)
      #expect(first == .changed(expected))
      change = UserChange(of: user, caller: caller())
      change.attributes = ["cn": "Changed"]
      change.mustChangePassword = true
      change.passwordExpiry = .at(noon)
      expected.attributes = ["cn": "Changed"]
      expected.revision = 2
      expected.mustChangePassword = true
      expected.passwordExpiry = noon
      #expect(try await store.updateUser(change) == .changed(expected))
      change = UserChange(of: user)
      change.passwordExpiry = .never
      expected.passwordExpiry = nil
      expected.revision = 3
      #expect(try await store.updateUser(change) == .changed(expected))
      #expect(try await store.user(named: "DEMO", realm: "alpha") == expected)
      #expect(try await live(store) == [true, true, true])
    }
  }

  @Test func `a new password ends the account's other sessions in the same write`() async throws {
    try await withAccounts { store, user in
      var change = UserChange(of: user, caller: caller())
      change.password = .init(hash: "new", checkedVersion: 0)
      guard case .changed(let changed) = try await store.updateUser(change) else { throw Unchanged() }
      #expect(changed.passwordHash == "new" && changed.passwordVersion == 1)
      #expect(try await live(store) == [true, false, true])
      change.caller = caller(Self.administrators, .capability(.administrate))
      change.password = .init(hash: "newer")
      guard case .changed = try await store.updateUser(change) else { throw Unchanged() }
      #expect(try await live(store) == [false, false, true])
    }
  }

  @Test func `a deactivation ends all of the account's sessions, though one asked for it`() async throws {
    try await withAccounts { store, user in
      var change = UserChange(of: user, caller: caller())
      change.isActive = false
      guard case .changed = try await store.updateUser(change) else { throw Unchanged() }
      #expect(try await live(store) == [false, false, true])
    }
  }

  @Test func `a password is not replaced when it is no longer the one that was checked`() async throws {
    try await withAccounts { store, user in
      var reset = UserChange(of: user)
      reset.password = .init(hash: "reset")
      _ = try await store.updateUser(reset)
      var change = UserChange(of: user)
      change.password = .init(hash: "new", checkedVersion: user.passwordVersion)
      change.mail = []
      #expect(try await store.updateUser(change) == .passwordChanged)
      let stored = try #require(await store.user(.demo))
      #expect(stored.passwordHash == "reset" && stored.mail == user.mail)
    }
  }

  @Test func `another account of the same name is not changed`() async throws {
    try await withAccounts { store, user in
      _ = try await store.deleteUser(.demo)
      var again = UserRecord.sample()
      again.id = "another"
      try await store.createUser(again)
      var change = UserChange(of: user)
      change.password = .init(hash: "old owner's", checkedVersion: 0)
      #expect(try await store.updateUser(change) == .noSuchUser)
      #expect(try await store.renewPasswordHash(of: user, to: "old owner's") == false)
      #expect(try await store.user(.demo) == again)
      #expect(try await store.updateUser(UserChange(of: .sample("nobody"))) == .noSuchUser)
    }
  }

  /// What a caller loses between the check and the write.
  enum Loss: CaseIterable { case session, time, account, right, otherAccount }

  @Test(arguments: Loss.allCases)
  func `a caller who has lost the right meanwhile changes, makes and deletes nothing`(loss: Loss) async throws
  {
    try await withAccounts { store, user in
      var asking = caller(Self.administrators, .capability(.administrate))
      switch loss {
      case .session:
        try await store.endSessions(
          .one(Self.administrators), of: UniversalID(username: "boss", realm: "root"), now: noon)
      case .time: asking.now = noon + 7200
      case .account:
        var change = UserChange(of: .sample("boss", realm: "root"))
        change.isActive = false
        _ = try await store.updateUser(change)
      case .right: asking.tokenHash = Self.other
      case .otherAccount: asking.right = .ownAccount
      }
      var change = UserChange(of: user, caller: asking)
      change.password = .init(hash: "new")
      await #expect(throws: StoreError.self) { try await store.updateUser(change) }
      await #expect(throws: StoreError.self) { try await store.createUser(.sample("new"), by: asking) }
      await #expect(throws: StoreError.self) {
        try await store.deleteUser(.demo, by: asking)
      }
      #expect(try await store.user(.demo) == user)
      #expect(try await store.user(named: "new", realm: "alpha") == nil)
    }
  }

  private struct Unchanged: Error {}
}
