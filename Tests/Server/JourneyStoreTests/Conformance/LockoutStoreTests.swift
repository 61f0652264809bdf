import BindingFormats
import Concurrency
import Foundation
import Testing

@testable import JourneyStore

@Suite("Lockout") struct LockoutStoreTests {
  @Test(arguments: ["demo", "nobody"])
  func `five failures lock for 1, 5, 15, then 60 minutes, known or not`(name: String) async throws {
    try await withEachStore { store in
      try await store.createUser(.sample())
      var now = noon
      #expect(try await store.lockout(of: UniversalID(username: name, realm: "alpha")) == LockoutState())
      for (lock, minutes) in [1.0, 5, 15, 60, 60, 60].enumerated() {
        for failure in 1...4 {
          let state = try await store.recordFailure(
            of: UniversalID(username: name, realm: "alpha"), policy: .standard, now: now)
          #expect(state.consecutiveFailures == failure)
          #expect(!state.isLocked(at: now))
        }
        let locked = try await store.recordFailure(
          of: UniversalID(username: name, realm: "alpha"), policy: .standard, now: now)
        let end = now + minutes * 60
        #expect(locked == LockoutState(consecutiveFailures: 0, lockCount: lock + 1, lockedUntil: end))
        #expect(
          try await store.lockout(of: UniversalID(username: name.uppercased(), realm: "alpha")) == locked)

        // Tries during the lock neither count nor lengthen it.
        #expect(
          try await store.recordFailure(
            of: UniversalID(username: name, realm: "alpha"), policy: .standard, now: end - 1)
            == locked)
        #expect(locked.isLocked(at: end - 0.001))
        #expect(!locked.isLocked(at: end))
        now = end
      }
    }
  }

  @Test func `a success forgets everything, and the schedule begins anew`() async throws {
    try await withEachStore { store in
      try await store.recordSuccess(of: .demo)
      for _ in 1...7 {
        _ = try await store.recordFailure(of: .demo, policy: .standard, now: noon)
      }
      try await store.recordSuccess(of: UniversalID(username: "DEMO", realm: "alpha"))
      #expect(try await store.lockout(of: .demo) == LockoutState())
      for _ in 1...5 {
        _ = try await store.recordFailure(of: .demo, policy: .standard, now: noon)
      }
      #expect(try await store.lockout(of: .demo).lockedUntil == noon + 60)
    }
  }

  @Test func `failures that come at once are all counted, and lock once`() async throws {
    try await withEachStore { store in
      let policy = LockoutPolicy(failureLimit: 20, durations: [60])
      let counted = try await inParallel(30) { _ in
        try await store.settleAttempt(of: .demo, isRight: false, policy: policy, now: noon)
      }
      #expect(counted.count(where: \.self) == 20)
      #expect(
        try await store.lockout(of: .demo)
          == LockoutState(consecutiveFailures: 0, lockCount: 1, lockedUntil: noon + 60))
    }
  }

  @Test(
    arguments: [
      (
        LockoutPolicy(failureLimit: 1, durations: [7, 9]), 1,
        LockoutState(lockCount: 1, lockedUntil: noon + 7)
      ),
      (
        LockoutPolicy(failureLimit: 1, durations: [7, 9]), 3,
        LockoutState(lockCount: 1, lockedUntil: noon + 7)
      ),
      (LockoutPolicy(failureLimit: 2, durations: [7]), 2, LockoutState(lockCount: 1, lockedUntil: noon + 7)),
      (LockoutPolicy(failureLimit: 0, durations: [7]), 9, LockoutState(consecutiveFailures: 9)),
      (LockoutPolicy(failureLimit: 1, durations: []), 3, LockoutState(consecutiveFailures: 3)),
    ])
  func `other policies`(policy: LockoutPolicy, failures: Int, expected: LockoutState) async throws {
    try await withEachStore { store in
      var state = LockoutState()
      for _ in 0..<failures {
        state = try await store.recordFailure(of: .demo, policy: policy, now: noon)
      }
      #expect(state == expected)
    }
  }

  private func fail(
    _ scope: LockoutScope, times: Int = 5, on store: any ServerStore, at now: Date = noon
  ) async throws {
    for _ in 0..<times {
      _ = try await store.recordFailure(
        of: .demo, scope: scope, policy: .standard, now: now)
    }
  }

  private func isLocked(_ scope: LockoutScope, on store: any ServerStore, at now: Date = noon) async throws
    -> Bool
  {
    try await store.lockout(of: UniversalID(username: "DEMO", realm: "alpha"), scope: scope).isLocked(at: now)
  }

  private static let kinds = LockoutScope.Kind.allCases
  private static let guesses = kinds.filter(\.isGuess)

  @Test(arguments: kinds)
  func `a lock on a guess stops all guesses of its device, and other locks nothing else`(
    kind: LockoutScope.Kind
  ) async throws {
    let devices = [nil, "phone", "laptop"]
    for failing in devices.map({ LockoutScope(kind, device: $0) }) {
      try await withEachStore { store in
        try await fail(failing, on: store)
        for device in devices {
          for other in Self.kinds {
            let scope = LockoutScope(other, device: device)
            let isStopped = device == failing.device && (kind == other || kind.isGuess && other.isGuess)
            #expect(try await isLocked(scope, on: store) == isStopped, "\(failing) \(scope)")
            // Forgotten where the success was, and nowhere else.
            #expect(try await store.recordSuccess(of: .demo, scope: scope, now: noon) != isStopped)
          }
        }
        #expect(
          try await !store.recordSuccess(of: .demo, scope: failing, now: noon + 59))
        #expect(try await isLocked(failing, on: store, at: noon + 59))
        #expect(
          try await store.recordSuccess(of: .demo, scope: failing, now: noon + 60))
        #expect(
          try await store.lockout(of: .demo, scope: failing) == LockoutState())
      }
    }
  }

  @Test(arguments: guesses)
  func `only a right guess of a kind forgets the wrong ones of that kind`(kind: LockoutScope.Kind)
    async throws
  {
    for device in [nil, "phone"] {
      let scope = LockoutScope(kind, device: device)
      try await withEachStore { store in
        for _ in 1...4 {
          try await fail(scope, times: 1, on: store)
          for other in Self.kinds where other != kind {
            #expect(
              try await store.settleAttempt(
                of: .demo, scope: LockoutScope(other, device: device), isRight: true, policy: .standard,
                now: noon))
          }
        }
        #expect(try await store.lockout(of: .demo, scope: scope).consecutiveFailures == 4)
        try await fail(scope, times: 1, on: store)
        #expect(try await isLocked(scope, on: store))
        #expect(try await store.recordSuccess(of: .demo, scope: scope, now: noon + 60))
        try await fail(scope, times: 4, on: store, at: noon + 60)
        #expect(try await !isLocked(scope, on: store, at: noon + 60))
      }
    }
  }

  @Test func `five wrong guesses in a row lock whatever they were, and a right one between them counts anew`()
    async throws
  {
    try await withEachStore { store in
      let scopes = Self.guesses.map { LockoutScope($0) }
      try #require(scopes.count == 5)
      for scope in scopes.dropLast() { try await fail(scope, times: 1, on: store) }
      #expect(try await store.recordSuccess(of: .demo, scope: scopes[0], now: noon))
      for scope in scopes.dropLast() {
        #expect(try await !isLocked(scope, on: store))
        try await fail(scope, times: 1, on: store)
      }
      try await fail(scopes[4], times: 1, on: store)
      for scope in scopes { #expect(try await isLocked(scope, on: store)) }
      #expect(try await !isLocked(.signatures, on: store))
      let locks = try await store.locks(usernames: ["demo"], realm: "alpha", now: noon)
      #expect(locks == ["demo": AccountLocks(guesses: noon + 60)])
    }
  }

  @Test func `rows of earlier servers count on`() {
    // Those for all guesses and for the codes of authenticators.
    #expect(LockoutScope(.authenticatorCodes).counted == ["codes", "guesses"])
    #expect(LockoutScope.passwords.counted == ["passwords", "guesses"])
  }

  @Test func `somebody who has collected many known devices has ten counts and the common one`() async throws
  {
    try await withEachStore { store in
      for number in 1...50 { try await fail(LockoutScope(.passwords, device: "device \(number)"), on: store) }
      #expect(try await isLocked(LockoutScope(.passwords, device: "device 10"), on: store))
      // The eleventh and all after it counted in common.
      #expect(try await store.lockout(of: .demo).lockCount == 1)
      #expect(try await isLocked(LockoutScope(.passwords, device: "device 51"), on: store))
      // Nobody else's devices are concerned.
      #expect(
        try await store.lockout(
          of: .other, scope: LockoutScope(.passwords, device: "device 1"))
          == LockoutState())
    }
  }

  @Test func `an unlocked account begins anew in every way`() async throws {
    try await withEachStore { store in
      let all = Self.kinds.map { LockoutScope($0) } + [LockoutScope(.passwords, device: "phone")]
      for scope in all { try await fail(scope, on: store) }
      #expect(try await store.unlock(of: UniversalID(username: "Demo", realm: "alpha")))
      for scope in all {
        #expect(
          try await store.lockout(of: .demo, scope: scope) == LockoutState())
      }
      #expect(try await !store.unlock(of: .demo))
    }
  }
}

extension LockoutStoreTests {
  @Test func `attempts are judged one after the other: under a lock neither right nor wrong ones count`()
    async throws
  {
    try await withEachStore { store in
      func settle(_ isRight: Bool, at now: Date = noon) async throws -> Bool {
        try await store.settleAttempt(
          of: .demo, scope: .passwords, isRight: isRight, policy: .standard, now: now)
      }
      #expect(try await settle(true))
      for _ in 0..<4 { #expect(try await settle(false)) }
      #expect(try await settle(true))
      #expect(try await store.lockout(of: .demo) == LockoutState())
      for _ in 0..<5 { #expect(try await settle(false)) }
      let locked = try await store.lockout(of: .demo)
      #expect(locked.isLocked(at: noon))
      #expect(try await settle(true) == false)
      #expect(try await settle(false) == false)
      #expect(try await store.lockout(of: .demo) == locked)
      #expect(try await settle(true, at: noon + 60))
      #expect(try await store.lockout(of: .demo) == LockoutState())
    }
  }
}

@Suite("The lock of an account") struct AccountLockTests {
  @Test func `reports the lock that it begins, once, and counts nothing while it lasts`() async throws {
    try await withEachStore { store in
      let ends = Locked<[Date]>([])
      let lock = AccountLock(
        store: store, of: .demo, scope: .passwords, policy: .standard, clock: { noon },
        lockBegan: { end in ends.withLock { $0.append(end) } })
      for _ in 1...7 { try await lock.countFailure() }
      #expect(ends.withLock { $0 } == [noon + 60])
      #expect(try await lock.isLocked())
      #expect(try await !lock.recordSuccess())
      #expect(try await !lock.settle(isRight: true))
      #expect(try await store.lockout(of: .demo).lockCount == 1)
    }
  }

  @Test func `a success forgets the failures before it`() async throws {
    try await withEachStore { store in
      let lock = AccountLock(
        store: store, of: .demo, scope: .passwords, policy: .standard, clock: { noon },
        lockBegan: { _ in Issue.record("locked") })
      for success in [{ try await lock.recordSuccess() }, { try await lock.settle(isRight: true) }] {
        for _ in 1...4 { try await lock.countFailure() }
        #expect(try await success())
        #expect(try await store.lockout(of: .demo) == LockoutState())
      }
    }
  }
}
