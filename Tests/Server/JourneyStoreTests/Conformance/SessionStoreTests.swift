import BindingFormats
import Foundation
import JourneyStore
import Testing

@Suite("Sessions") struct SessionStoreTests {
  private func withUser(_ body: (any ServerStore) async throws -> Void) async throws {
    try await withEachStore { store in
      try await store.createUser(.sample())
      try await body(store)
    }
  }

  @Test func `a session is read back as given`() async throws {
    try await withUser { store in
      let session = SessionRecord.sample()
      try await store.createSession(session)
      #expect(try await store.session(tokenHash: session.tokenHash, now: noon) == session)
      #expect(try await store.session(tokenHash: [1], now: noon) == nil)
      #expect(
        try await store.sessions(of: UniversalID(username: "DEMO", realm: "Alpha"), now: noon) == [session])
    }
  }

  @Test func `the step that makes a session is prolonged with it, and not without it`() async throws {
    try await withUser { store in
      let longer = OnceKey(key: [1], expiry: noon + 1)
      #expect(try await store.consume([1], until: noon))
      try await store.createSession(.sample(1), with: nil, prolonging: longer)
      #expect(try await store.expiry(of: [1]) == noon + 1)
      let again = OnceKey(key: [1], expiry: noon + 2)
      let old = SessionRecord.sample(1).tokenHash
      try await store.replaceSession(
        tokenHash: old, with: .sample(2), mark: nil, now: noon, prolonging: again)
      #expect(try await store.expiry(of: [1]) == noon + 2)
      let late = OnceKey(key: [1], expiry: noon + 3)
      await #expect(throws: StoreError.self) {
        try await store.replaceSession(
          tokenHash: old, with: .sample(3), mark: nil, now: noon, prolonging: late)
      }
      #expect(try await store.expiry(of: [1]) == noon + 2)
    }
  }

  @Test(arguments: ["ghost", "asleep"])
  func `nobody is signed in who is not there or not active`(username: String) async throws {
    try await withUser { store in
      var inactive = UserRecord.sample("asleep")
      inactive.isActive = false
      try await store.createUser(inactive)
      await #expect {
        try await store.createSession(.sample(username: username))
      } throws: {
        if case .missing? = $0 as? StoreError { true } else { false }
      }
      #expect(
        try await store.sessions(of: UniversalID(username: username, realm: "alpha"), now: noon).isEmpty)
    }
  }

  @Test func `whose password or account was replaced meanwhile is not signed in with the old one`()
    async throws
  {
    try await withUser { store in
      let user = try #require(try await store.user(.demo))
      let mark = PasswordMark(user)
      #expect(PasswordMark(text: mark.text) == mark)
      try await store.createSession(.sample(1), with: mark)
      for other in [
        PasswordMark(accountID: mark.accountID, version: mark.version + 1),
        PasswordMark(accountID: mark.accountID + "x", version: mark.version),
      ] {
        await #expect(throws: StoreError.self) { try await store.createSession(.sample(2), with: other) }
        await #expect(throws: StoreError.self) {
          try await store.replaceSession(
            tokenHash: SessionRecord.sample(1).tokenHash, with: .sample(2), mark: other, now: noon)
        }
      }
      #expect(try await store.sessions(of: .demo, now: noon) == [.sample(1)])
    }
  }

  @Test func `a session's beginning returns the account as it is then`() async throws {
    try await withUser { store in
      var change = UserChange(realm: "alpha", username: "demo", accountID: UserRecord.sample().id)
      change.password = UserChange.Password(hash: "another", checkedVersion: nil)
      guard case .changed(let changed) = try await store.updateUser(change) else {
        Issue.record("the password was not changed")
        return
      }
      #expect(try await store.createSession(.sample(1), with: nil) == changed)
      let replaced = try await store.replaceSession(
        tokenHash: SessionRecord.sample(1).tokenHash, with: .sample(2), mark: PasswordMark(changed), now: noon
      )
      #expect(replaced == changed)
    }
  }

  @Test func `who is deactivated while a session begins has none afterwards`() async throws {
    try await withUser { store in
      for round in 0..<10 {
        var change = UserChange(realm: "alpha", username: "demo", accountID: UserRecord.sample().id)
        change.isActive = true
        _ = try await store.updateUser(change)
        change.isActive = false
        let begun = Task { try? await store.createSession(.sample(UInt8(round))) }
        _ = try await store.updateUser(change)
        _ = await begun.value
        change.isActive = true
        _ = try await store.updateUser(change)
        #expect(try await store.sessions(of: .demo, now: noon).isEmpty)
      }
    }
  }

  @Test func `a session has the account's own spelling`() async throws {
    try await withUser { store in
      var session = SessionRecord.sample(username: "DEMO")
      session.accountID = "id of demo"
      try await store.createSession(session)
      #expect(
        try await store.session(tokenHash: [UInt8](repeating: 1, count: 32), now: noon)?.username == "demo")
    }
  }

  @Test func `token and handle are unique`() async throws {
    try await withUser { store in
      try await store.createSession(.sample(1))
      var sameHandle = SessionRecord.sample(2)
      sameHandle.handle = SessionRecord.sample(1).handle
      for session in [.sample(1), sameHandle] {
        await #expect {
          try await store.createSession(session)
        } throws: {
          if case .conflict? = $0 as? StoreError { true } else { false }
        }
      }
    }
  }

  /// Idle time 10, life 25; used at the given seconds.
  @Test(
    arguments: [
      (uses: [], asked: 9.9, alive: true), (uses: [], asked: 10, alive: false),
      (uses: [9.0], asked: 18, alive: true),
      (uses: [9], asked: 19, alive: false), (uses: [9, 18], asked: 24.9, alive: true),
      (uses: [9, 18], asked: 25, alive: false), (uses: [9, 18, 24], asked: 26, alive: false),
      (uses: [11], asked: 12, alive: false), (uses: [9, 3], asked: 18, alive: true),
    ] as [(uses: [Double], asked: Double, alive: Bool)])
  func `idle time and life`(uses: [Double], asked: Double, alive: Bool) async throws {
    try await withUser { store in
      let session = SessionRecord.sample(idle: 10, life: 25)
      try await store.createSession(session)
      for use in uses {
        let isLive = try await store.session(tokenHash: session.tokenHash, now: noon + use) != nil
        #expect(try await store.touchSession(tokenHash: session.tokenHash, now: noon + use) == isLive)
      }
      let found = try await store.session(tokenHash: session.tokenHash, now: noon + asked)
      #expect((found != nil) == alive)
      #expect(try await store.sessions(of: .demo, now: noon + asked).isEmpty != alive)
    }
  }

  @Test func `sessions end one at a time, all but one, and all of a user at once`() async throws {
    try await withUser { store in
      try await store.createUser(.sample("other"))
      for number in 1...5 as ClosedRange<UInt8> { try await store.createSession(.sample(number)) }
      try await store.createSession(.sample(6, username: "other"))
      func end(_ ending: EndingSessions, of account: UniversalID = .demo) async throws -> Int {
        try await store.endSessions(ending, of: account, now: noon).sessions
      }
      let version = try await store.user(.demo)?.passwordVersion ?? 0
      #expect(try await end(.one(SessionRecord.sample(1).tokenHash), of: .other) == 0)
      #expect(try await end(.one(SessionRecord.sample(1).tokenHash)) == 1)
      #expect(try await end(.one(SessionRecord.sample(1).tokenHash)) == 0)
      #expect(
        try await store.session(handle: "shandle:2")?.tokenHash == SessionRecord.sample(2).tokenHash)
      #expect(try await store.user(.demo)?.passwordVersion == version)
      #expect(try await end(.others(than: SessionRecord.sample(5).tokenHash)) == 3)
      #expect(try await store.session(handle: "shandle:2") == nil)
      #expect(try await store.session(handle: "shandle:5") != nil)
      #expect(try await end(.all, of: UniversalID(username: "Demo", realm: "alpha")) == 1)
      #expect(try await end(.all) == 0)
      #expect(try await store.user(.demo)?.passwordVersion == version + 3)
      #expect(try await store.sessions(of: .other, now: noon).count == 1)
      #expect(try await store.touchSession(tokenHash: SessionRecord.sample(3).tokenHash, now: noon) == false)
    }
  }

  @Test func `level, journey and time of the proof come back as they were stored`() async throws {
    try await withUser { store in
      var session = SessionRecord.sample(1)
      session.authLevel = 2
      session.service = "StepUp"
      session.authenticatedAt = noon - 30
      try await store.createSession(session)
      #expect(try await store.session(tokenHash: session.tokenHash, now: noon) == session)
      let plain = SessionRecord.sample(2)
      try await store.createSession(plain)
      let stored = try await store.session(tokenHash: plain.tokenHash, now: noon)
      #expect(stored?.authLevel == 0 && stored?.service == nil && stored?.authenticatedAt == noon)
    }
  }

  @Test func `a session takes another's place in one write: of several at once, one`() async throws {
    try await withUser { store in
      let old = SessionRecord.sample(1)
      try await store.createSession(old)
      let done = await withTaskGroup(of: Bool.self) { group in
        for number in 2...9 {
          group.addTask {
            do {
              try await store.replaceSession(
                tokenHash: old.tokenHash, with: .sample(UInt8(number)), now: noon)
              return true
            } catch { return false }
          }
        }
        return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
      }
      #expect(done == 1)
      #expect(try await store.session(tokenHash: old.tokenHash, now: noon) == nil)
      #expect(try await store.sessions(of: .demo, now: noon).count == 1)
    }
  }

  @Test func `a session that has ended, or is another account's, is not replaced, and nothing changes`()
    async throws
  {
    try await withUser { store in
      try await store.createUser(.sample("other"))
      let others = SessionRecord.sample(1, username: "other")
      try await store.createSession(others)
      try await store.createSession(.sample(2, idle: 10))
      for hash in [others.tokenHash, SessionRecord.sample(2).tokenHash, [9]] {
        await #expect(throws: StoreError.self) {
          try await store.replaceSession(tokenHash: hash, with: .sample(3), now: noon + 20)
        }
      }
      #expect(try await store.session(tokenHash: others.tokenHash, now: noon) != nil)
      #expect(try await store.session(tokenHash: SessionRecord.sample(3).tokenHash, now: noon) == nil)
    }
  }

  @Test func `what has expired is removed, what has not stays`() async throws {
    try await withUser { store in
      try await store.createSession(.sample(1, idle: 10))
      try await store.createSession(.sample(2, idle: 30))
      for number in 0..<1200 {
        _ = try await store.consume([UInt8(number / 256), UInt8(number % 256)], until: noon - 3590)
      }
      // Beyond its end, because another server's clock may be behind.
      _ = try await store.consume([1], until: noon - 3589)
      for name in ["ghost", "demo"] {
        _ = try await store.recordFailure(
          of: UniversalID(username: name, realm: "alpha"), policy: .standard, now: noon - 90_000)
      }
      _ = try await store.recordFailure(
        of: UniversalID(username: "new ghost", realm: "alpha"), policy: .standard, now: noon)
      let phone = LockoutScope(.passwords, device: "phone")
      _ = try await store.recordFailure(
        of: .demo, scope: phone, policy: .standard, now: noon - 90_000)
      try await store.removeExpired(now: noon + 10)

      // Before their end again: only rows that are still there can be found.
      #expect(try await store.session(tokenHash: SessionRecord.sample(1).tokenHash, now: noon) == nil)
      #expect(try await store.session(tokenHash: SessionRecord.sample(2).tokenHash, now: noon) != nil)
      #expect(try await store.consume([0, 0], until: noon + 99))
      #expect(try await store.consume([4, 175], until: noon + 99))
      #expect(try await store.consume([1], until: noon + 99) == false)
      #expect(
        try await store.lockout(of: UniversalID(username: "ghost", realm: "alpha")).consecutiveFailures == 0)
      #expect(try await store.lockout(of: .demo).consecutiveFailures == 1)
      #expect(
        try await store.lockout(of: .demo, scope: phone).consecutiveFailures == 0)
      #expect(
        try await store.lockout(of: UniversalID(username: "new ghost", realm: "alpha")).consecutiveFailures
          == 1)
    }
  }
}
