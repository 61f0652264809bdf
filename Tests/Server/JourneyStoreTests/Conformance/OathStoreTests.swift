import BindingFormats
import Foundation
import JourneyStore
import OATH
import Testing

@Suite("Authenticators of one-time codes") struct OathStoreTests {
  private func withUser(_ body: (any ServerStore) async throws -> Void) async throws {
    try await withEachStore { store in
      try await store.createUser(.sample())
      try await body(store)
    }
  }

  func device(
    _ uuid: String = "o1", username: String = "demo", profile: OATHProfile = OATHProfile()
  ) -> OathDeviceRecord {
    OathDeviceRecord(
      uuid: uuid, realm: "alpha", username: username, secret: StoredSecret(Array(0..<20)), profile: profile,
      createdDate: noon, lastAccessDate: noon)
  }

  private func accept(
    _ store: any ServerStore, _ factor: UInt64, uuid: String = "o1", drift: Int = 0, at date: Date = noon
  ) async throws -> OathAcceptance {
    try await store.acceptOathCode(
      uuid: uuid, of: .demo, device: nil, factor: factor, drift: drift, now: date)
  }

  private func isLocked(_ store: any ServerStore, at now: Date) async throws -> Bool {
    try await store.lockout(of: UniversalID(username: "DEMO", realm: "alpha")).isLocked(at: now)
  }

  static let profiles = [
    OATHProfile(),
    OATHProfile(
      factor: .counter, hash: .sha256, digits: .eight, truncationOffset: 3, addsChecksum: true),
    OATHProfile(factor: .time(period: 60), hash: .sha512),
  ]

  @Test(arguments: profiles)
  func `what is stored is read, in any spelling of the account`(profile: OATHProfile) async throws {
    try await withUser { store in
      let stored = device(profile: profile)
      let added = try await store.addOathDevice(stored, limit: 1)
      #expect(added)
      #expect(try await store.oathDevices.all(of: UniversalID(username: "DEMO", realm: "Alpha")) == [stored])
      #expect(try await store.oathDevices.all(of: UniversalID(username: "demo", realm: "root")).isEmpty)
    }
  }

  @Test func `of two devices at once a limit of one takes one`() async throws {
    try await withUser { store in
      let added = try await withThrowingTaskGroup(of: Bool.self) { group in
        for number in 0..<8 {
          group.addTask { try await store.addOathDevice(device("o\(number)"), limit: 1) }
        }
        return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
      }
      #expect(added == 1)
      #expect(try await store.oathDevices.all(of: .demo).count == 1)
      await #expect(throws: StoreError.self) {
        try await store.addOathDevice(device(username: "none"), limit: 1)
      }
    }
  }

  @Test func `of equal codes at once one is accepted`() async throws {
    try await withUser { store in
      _ = try await store.addOathDevice(device(), limit: 1)
      let results = try await withThrowingTaskGroup(of: OathAcceptance.self) { group in
        for _ in 0..<16 { group.addTask { try await accept(store, 100, drift: -1, at: noon + 5) } }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(results.filter { $0 == .accepted }.count == 1)
      #expect(results.filter { $0 == .used }.count == 15)
      let stored = try await store.oathDevices.all(of: .demo).first
      #expect(stored?.nextFactor == 101 && stored?.drift == -1 && stored?.lastAccessDate == noon + 5)
    }
  }

  @Test
  func `no code is accepted after a later one, nor of a device that is gone, nor at the end of all counters`()
    async throws
  {
    try await withUser { store in
      _ = try await store.addOathDevice(device(), limit: 1)
      #expect(try await accept(store, 0) == .accepted)
      #expect(try await accept(store, 7) == .accepted)
      for factor: UInt64 in [0, 6, 7, UInt64(Int64.max), .max] {
        #expect(try await accept(store, factor) == .used)
      }
      #expect(try await accept(store, 8) == .accepted)
      #expect(try await accept(store, 9, uuid: "o2") == .used)
    }
  }

  @Test
  func
    `wrong codes lock the codes, whatever a right password forgets; then the right one does not help either`()
    async throws
  {
    try await withUser { store in
      _ = try await store.addOathDevice(device(), limit: 1)
      for _ in 0..<5 {
        #expect(try await !isLocked(store, at: noon))
        _ = try await store.recordFailure(
          of: .demo, scope: LockoutScope(.authenticatorCodes), policy: .standard, now: noon)
        // The password is right each time.
        try await store.recordSuccess(of: .demo)
      }
      // What can be guessed locks together: passwords wait as well.
      #expect(try await isLocked(store, at: noon + 59))
      #expect(
        try await !store.recordSuccess(
          of: UniversalID(username: "DEMO", realm: "alpha"), scope: .passwords, now: noon + 59))
      #expect(try await accept(store, 1, at: noon + 59) == .locked)
      #expect(try await !isLocked(store, at: noon + 60))
      #expect(try await accept(store, 1, at: noon + 60) == .accepted)
      // Forgotten: the next lock is short again, after five more.
      for _ in 0..<4 {
        _ = try await store.recordFailure(
          of: .demo, scope: LockoutScope(.authenticatorCodes), policy: .standard, now: noon + 61)
      }
      #expect(
        try await store.lockout(of: .demo, scope: LockoutScope(.authenticatorCodes)).consecutiveFailures == 4)
      #expect(try await !isLocked(store, at: noon + 61))
    }
  }

  @Test func `a lock of the account holds codes back too`() async throws {
    try await withUser { store in
      _ = try await store.addOathDevice(device(), limit: 1)
      for _ in 0..<5 {
        _ = try await store.recordFailure(of: .demo, policy: .standard, now: noon)
      }
      #expect(try await accept(store, 1) == .locked)
      #expect(try await accept(store, 1, at: noon + 60) == .accepted)
    }
  }

  @Test func `a device is renamed and removed, and its recovery codes go with the last one`() async throws {
    try await withUser { store in
      _ = try await store.addOathDevice(device("o1"), limit: 2)
      _ = try await store.addOathDevice(device("o2"), limit: 2)
      for kind in ["OATH", "PUSH"] {
        try await store.setRecoveryCodes([[1]], kind: kind, of: .demo)
      }
      let renamed = try await store.oathDevices.rename(
        "o1", of: UniversalID(username: "Demo", realm: "alpha"), to: "Desk")
      #expect(renamed?.deviceName == "Desk" && renamed?.secret == device().secret)
      #expect(try await store.oathDevices.rename("o3", of: .demo, to: "X") == nil)
      #expect(
        try await store.oathDevices.delete("o1", of: .demo)?.deviceName == "Desk")
      #expect(try await store.oathDevices.delete("o1", of: .demo) == nil)
      // The other one is still there, and so are the codes that stand in for it.
      #expect(try await store.oathDevices.delete("o2", of: .demo) != nil)
      #expect(
        try await !store.useRecoveryCode([1], kind: "OATH", of: .demo))
      #expect(try await store.useRecoveryCode([1], kind: "PUSH", of: .demo))
    }
  }

  @Test func `a reset removes devices, recovery codes and the skip setting; removing the user removes all`()
    async throws
  {
    try await withUser { store in
      _ = try await store.addOathDevice(device(), limit: 1)
      try await store.setRecoveryCodes([[1]], kind: "OATH", of: .demo)
      #expect(try await store.oathDevices.skipSetting(of: .demo) == .notSet)
      #expect(try await store.oathDevices.set(.skippable, of: .demo))
      #expect(try await store.oathDevices.skipSetting(of: .demo) == .skippable)
      #expect(
        try await !store.oathDevices.set(.skippable, of: UniversalID(username: "none", realm: "alpha")))
      #expect(try await store.oathDevices.reset(UniversalID(username: "DEMO", realm: "alpha")).count == 1)
      #expect(try await store.oathDevices.skipSetting(of: .demo) == .notSet)
      #expect(try await !store.useRecoveryCode([1], kind: "OATH", of: .demo))

      _ = try await store.addOathDevice(device(), limit: 1)
      _ = try await store.recordFailure(
        of: .demo, scope: LockoutScope(.authenticatorCodes), policy: .standard, now: noon)
      #expect(try await store.deleteUser(.demo) != nil)
      try await store.createUser(.sample())
      #expect(try await store.oathDevices.all(of: .demo).isEmpty)
    }
  }

  @Test func `an enrolment of both kinds stores both or neither`() async throws {
    try await withUser { store in
      func enrolment(_ id: String) -> PushMessageRecord {
        PushMessageRecord(
          id: id, realm: "alpha", username: "demo", kind: .registration, challenge: StoredSecret([1]),
          enrolment: .init(
            uuid: "p1", issuer: "Bank", sharedSecret: StoredSecret([2]), deviceLimit: 1,
            oath: device(profile: Self.profiles[1])), sentAt: noon, expiresAt: noon + 60)
      }
      func phone(_ mechanismUID: String) -> PushDeviceRecord {
        PushDeviceRecord(
          uuid: "p1", realm: "alpha", username: "demo", deviceName: "Phone", mechanismUID: mechanismUID,
          issuer: "Bank", sharedSecret: StoredSecret([2]), communicationType: "poll", communicationID: "t",
          deviceType: "linux", deviceToken: "t", createdDate: noon, lastAccessDate: noon)
      }
      for id in ["REGISTER:1", "REGISTER:2"] { try await store.openPushEnrolment(enrolment(id)) }
      #expect(try await store.pushMessage(id: "REGISTER:1", realm: "alpha") == enrolment("REGISTER:1"))
      _ = try await store.addOathDevice(device("other"), limit: 1)
      #expect(
        try await store.completePushEnrolment(id: "REGISTER:1", device: phone("m1"), now: noon)
          == .limitReached)
      #expect(try await store.pushDevices.all(of: .demo).isEmpty)
      _ = try await store.oathDevices.reset(.demo)
      #expect(
        try await store.completePushEnrolment(id: "REGISTER:2", device: phone("m2"), now: noon) == .added)
      #expect(try await store.pushDevices.all(of: .demo).count == 1)
      #expect(
        try await store.oathDevices.all(of: .demo) == [device(profile: Self.profiles[1])])
    }
  }
}
