import BindingFormats
import Foundation
import JourneyStore
import Testing

@Suite("WebAuthn devices") struct WebAuthnStoreTests {
  private func withUsers(_ body: (any ServerStore) async throws -> Void) async throws {
    try await withEachStore { store in
      try await store.createUser(.sample())
      try await store.createUser(.sample("other"))
      try await store.createUser(.sample("demo", realm: "root"))
      try await body(store)
    }
  }

  private func device(
    _ number: UInt8 = 1, username: String = "demo", realm: String = "alpha", signCount: UInt32 = 0,
    isBackupEligible: Bool = true
  ) -> WebAuthnDeviceRecord {
    WebAuthnDeviceRecord(
      uuid: "uuid of \(number)", realm: realm, username: username, deviceName: "Schlüssel 🔑",
      credentialID: [number, 2, 3], publicKey: [9, 8, 7], signCount: signCount,
      userHandle: Array("handle".utf8), relyingPartyID: "example.com",
      aaguid: "00000000-0000-0000-0000-000000000000", attestationFormat: "none", attestationType: "NONE",
      attachment: "platform", transports: ["internal", "hybrid"], isBackupEligible: isBackupEligible,
      isBackedUp: false, isUserVerificationInitialized: false, createdDate: noon + TimeInterval(number),
      lastAccessDate: noon)
  }

  private func use(_ signCount: UInt32, isBackedUp: Bool = false, at date: Date = noon + 60) -> WebAuthnUse {
    WebAuthnUse(signCount: signCount, isBackedUp: isBackedUp, isUserVerified: true, date: date)
  }

  @Test func `devices come back as they were, newest first, by user and by credential`() async throws {
    try await withUsers { (store: any ServerStore) async throws in
      #expect(try await store.addWebAuthnDevice(device(1), limit: 0) == .added)
      #expect(try await store.addWebAuthnDevice(device(2), limit: 0) == .added)
      #expect(
        try await store.webAuthnDevices.all(of: UniversalID(username: "DEMO", realm: "alpha")) == [
          device(2), device(1),
        ])
      #expect(try await store.webAuthnDevice(credentialID: [1, 2, 3], realm: "Alpha") == device(1))
      #expect(try await store.webAuthnDevice(credentialID: [1, 2], realm: "alpha") == nil)
      #expect(try await store.webAuthnDevices.all(of: .other).isEmpty)
    }
  }

  @Test
  func
    `a credential id belongs to one account of a realm, and the limit and the user are asked in the same write`()
    async throws
  {
    try await withUsers { (store: any ServerStore) async throws in
      #expect(try await store.addWebAuthnDevice(device(1), limit: 1) == .added)
      #expect(try await store.addWebAuthnDevice(device(2), limit: 1) == .limitReached)
      #expect(try await store.addWebAuthnDevice(device(1, username: "other"), limit: 0) == .duplicate)
      #expect(try await store.addWebAuthnDevice(device(1, realm: "root"), limit: 0) == .added)
      #expect(try await store.addWebAuthnDevice(device(3, username: "nobody"), limit: 0) == .noSuchUser)
    }
  }

  @Test(
    arguments: [
      (0, 0, WebAuthnUseResult.recorded, 0), (0, 1, .recorded, 1), (4, 5, .recorded, 5),
      (5, 5, .counterNotAdvanced, 5), (5, 4, .counterNotAdvanced, 5), (5, 0, .counterNotAdvanced, 5),
      (.max, .max, .counterNotAdvanced, .max),
    ] as [(UInt32, UInt32, WebAuthnUseResult, UInt32)])
  func `the counter is stored when it advances, or stays at zero, and never falls`(
    stored: UInt32, received: UInt32, result: WebAuthnUseResult, after: UInt32
  ) async throws {
    try await withUsers { (store: any ServerStore) async throws in
      _ = try await store.addWebAuthnDevice(device(signCount: stored), limit: 0)
      let use = use(received, isBackedUp: true)
      #expect(
        try await store.recordWebAuthnUse(use, credentialID: [1, 2, 3], realm: "alpha") == result)
      let record = try #require(try await store.webAuthnDevice(credentialID: [1, 2, 3], realm: "alpha"))
      #expect(record.signCount == after && record.lastAccessDate == noon + 60)
      #expect(record.isBackedUp && record.isUserVerificationInitialized)
    }
  }

  @Test func `of many assertions with the same counter, one is recorded`() async throws {
    try await withUsers { (store: any ServerStore) async throws in
      _ = try await store.addWebAuthnDevice(device(), limit: 0)
      let results = try await withThrowingTaskGroup(of: WebAuthnUseResult.self) { group in
        for _ in 0..<16 {
          group.addTask {
            try await store.recordWebAuthnUse(use(7), credentialID: [1, 2, 3], realm: "alpha")
          }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(results.count { $0 == .recorded } == 1)
      #expect(results.count { $0 == .counterNotAdvanced } == 15)
    }
  }

  @Test func `what cannot be backed up is never stored as backed up, and time does not run back`()
    async throws
  {
    try await withUsers { (store: any ServerStore) async throws in
      _ = try await store.addWebAuthnDevice(device(isBackupEligible: false), limit: 0)
      _ = try await store.recordWebAuthnUse(
        use(1, isBackedUp: true, at: noon - 60), credentialID: [1, 2, 3], realm: "alpha")
      let record = try #require(try await store.webAuthnDevice(credentialID: [1, 2, 3], realm: "alpha"))
      #expect(!record.isBackedUp && record.lastAccessDate == noon)
      #expect(
        try await store.recordWebAuthnUse(use(1), credentialID: [4], realm: "alpha") == .noSuchDevice)
    }
  }

  @Test func `recovery codes stay until the last device goes, and codes of other kinds stay then`()
    async throws
  {
    try await withUsers { (store: any ServerStore) async throws in
      for kind in ["WEB_AUTHN", "PUSH"] {
        try await store.setRecoveryCodes([[1], [2]], kind: kind, of: .demo)
      }
      #expect(try await store.recoveryCodes(of: .demo) == ["WEB_AUTHN": 2, "PUSH": 2])
      #expect(try await store.recoveryCodes(of: .other).isEmpty)
      _ = try await store.addWebAuthnDevice(device(1), limit: 0)
      _ = try await store.addWebAuthnDevice(device(2), limit: 0)
      _ = try await store.webAuthnDevices.delete("uuid of 1", of: .demo)
      #expect(try await store.useRecoveryCode([1], kind: "WEB_AUTHN", of: .demo))
      #expect(try await store.recoveryCodes(of: .demo) == ["WEB_AUTHN": 1, "PUSH": 2])
      _ = try await store.webAuthnDevices.delete("uuid of 2", of: .demo)
      #expect(try await !store.useRecoveryCode([2], kind: "WEB_AUTHN", of: .demo))
      #expect(try await store.useRecoveryCode([2], kind: "PUSH", of: .demo))
    }
  }

  @Test func `a device is renamed and removed by its owner's name, and goes with the account`() async throws {
    try await withUsers { (store: any ServerStore) async throws in
      _ = try await store.addWebAuthnDevice(device(1), limit: 0)
      _ = try await store.addWebAuthnDevice(device(2), limit: 0)
      #expect(
        try await store.webAuthnDevices.rename("uuid of 1", of: .other, to: "X") == nil)
      let renamed = try await store.webAuthnDevices.rename(
        "uuid of 1", of: UniversalID(username: "Demo", realm: "alpha"), to: "Work")
      #expect(renamed?.deviceName == "Work" && renamed?.credentialID == [1, 2, 3])
      #expect(
        try await store.webAuthnDevices.delete("uuid of 1", of: .other) == nil)
      #expect(
        try await store.webAuthnDevices.delete("uuid of 1", of: .demo) == renamed)
      _ = try await store.deleteUser(.demo)
      #expect(try await store.webAuthnDevice(credentialID: [2, 2, 3], realm: "alpha") == nil)
    }
  }
}
