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
      let states = try await inParallel(30) { _ in
        try await store.recordFailure(of: .demo, policy: policy, now: noon)
      }
      #expect(Set(states.map(\.consecutiveFailures)) == Set(0...19))
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

  @Test func `guesses, signatures, and each known device have a count of their own`() async throws {
    let all = LockoutScope.Kind.allCases.flatMap { kind in
      [LockoutScope(kind), LockoutScope(kind, device: "phone"), LockoutScope(kind, device: "laptop")]
    }
    for failing in all {
      try await withEachStore { store in
        try await fail(failing, on: store)
        for scope in all { #expect(try await isLocked(scope, on: store) == (scope == failing)) }
        // Forgotten where the success was, and nowhere else.
        for scope in all where scope != failing {
          #expect(
            try await store.recordSuccess(of: .demo, scope: scope, now: noon))
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

  @Test func `somebody who has collected many known devices has ten counts and the common one`() async throws
  {
    try await withEachStore { store in
      for number in 1...50 { try await fail(LockoutScope(.guesses, device: "device \(number)"), on: store) }
      #expect(try await isLocked(LockoutScope(.guesses, device: "device 10"), on: store))
      // The eleventh and all after it counted in common.
      #expect(try await store.lockout(of: .demo).lockCount == 1)
      #expect(try await isLocked(LockoutScope(.guesses, device: "device 51"), on: store))
      // Nobody else's devices are concerned.
      #expect(
        try await store.lockout(
          of: .other, scope: LockoutScope(.guesses, device: "device 1"))
          == LockoutState())
    }
  }

  @Test func `an unlocked account begins anew in every way`() async throws {
    try await withEachStore { store in
      let all = [LockoutScope.guesses, .signatures, LockoutScope(.guesses, device: "phone")]
      for scope in all { try await fail(scope, on: store) }
      try await store.recordWrongOathCode(
        of: .demo, device: nil, policy: LockoutPolicy(failureLimit: 1), now: noon)
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
          of: .demo, scope: .guesses, isRight: isRight, policy: .standard, now: now)
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
        store: store, of: .demo, scope: .guesses, policy: .standard, clock: { noon },
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
        store: store, of: .demo, scope: .guesses, policy: .standard, clock: { noon },
        lockBegan: { _ in Issue.record("locked") })
      for success in [{ try await lock.recordSuccess() }, { try await lock.settle(isRight: true) }] {
        for _ in 1...4 { try await lock.countFailure() }
        #expect(try await success())
        #expect(try await store.lockout(of: .demo) == LockoutState())
      }
    }
  }
}
