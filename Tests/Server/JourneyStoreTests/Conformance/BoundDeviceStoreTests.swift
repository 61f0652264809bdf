import BindingFormats
import Foundation
@testable import JourneyStore
import StrictJSON
import Testing

@Suite("Bound devices") struct BoundDeviceStoreTests {
  private func withUser(_ body: (any ServerStore) async throws -> Void) async throws {
    try await withEachStore { store in
      try await store.createUser(.sample())
      try await body(store)
    }
  }

  @Test func `a device is read back as given, newest first`() async throws {
    try await withUser { store async throws in
      let old = BoundDeviceRecord.sample("old", at: noon)
      let new = BoundDeviceRecord.sample("new", at: noon.addingTimeInterval(1))
      var twin = BoundDeviceRecord.sample("twin", at: noon)
      twin.attestation = ["kind": "tpm", "root": ["subject": "CN=TPM Root"]]
      for device in [new, old, twin] { #expect(try await store.addBoundDevice(device, limit: 0) == .added) }
      #expect(
        try await store.boundDevices.all(of: UniversalID(username: "DEMO", realm: "alpha")) == [
          new, twin, old,
        ])
      #expect(
        try await store.boundDevice(uuid: "old", of: UniversalID(username: "Demo", realm: "Alpha")) == old)
      #expect(try await store.boundDevice(uuid: "OLD", of: .demo) == nil)
      #expect(try await store.boundDevice(uuid: "old", of: .other) == nil)
    }
  }

  @Test func `who signs comes with account, lock and the one device`() async throws {
    try await withUser { store in
      let device = BoundDeviceRecord.sample("device")
      #expect(try await store.addBoundDevice(device, limit: 0) == .added)
      _ = try await store.recordFailure(of: .demo, policy: .standard, now: noon)
      let lockout = try await store.recordFailure(
        of: .demo, scope: .signatures, policy: LockoutPolicy(failureLimit: 1),
        now: noon)
      #expect(
        try await store.signer(uuid: "device", of: UniversalID(username: "DEMO", realm: "Alpha"))
          == SignerRecord(user: .sample(), lockout: lockout, device: device))
      #expect(
        try await store.signer(uuid: "other", of: .demo)
          == SignerRecord(user: .sample(), lockout: lockout, device: nil))
      #expect(
        try await store.signer(uuid: "device", of: UniversalID(username: "ghost", realm: "alpha")) == nil)
    }
  }

  @Test func `neither the id nor the key may come twice for one user, and both may for two`() async throws {
    try await withUser { store in
      #expect(try await store.addBoundDevice(.sample("a", thumbprint: "t"), limit: 0) == .added)
      #expect(try await store.addBoundDevice(.sample("a", thumbprint: "u"), limit: 0) == .duplicate)
      #expect(
        try await store.addBoundDevice(.sample("b", username: "DEMO", thumbprint: "t"), limit: 0)
          == .duplicate)
      try await store.createUser(.sample("other"))
      #expect(
        try await store.addBoundDevice(.sample("a", username: "other", thumbprint: "t"), limit: 0) == .added)
      #expect(try await store.addBoundDevice(.sample("z", username: "nobody"), limit: 0) == .noSuchUser)
    }
  }

  @Test(arguments: [(0, 6), (1, 1), (3, 3)])
  func `the limit counts the user's devices; 0 is no limit`(limit: Int, fits: Int) async throws {
    try await withUser { store in
      var outcomes: [DeviceAddition] = []
      for number in 0..<6 {
        outcomes.append(try await store.addBoundDevice(.sample("\(number)"), limit: DeviceLimit(limit)))
      }
      #expect(outcomes.count { $0 == .added } == fits)
      #expect(outcomes.count { $0 == .limitReached } == 6 - fits)
      #expect(try await store.boundDevices.all(of: .demo).count == fits)
    }
  }

  @Test func `of many that race for the last place, one gets it`() async throws {
    try await withUser { store in
      let outcomes = try await inParallel(40) { number in
        try await store.addBoundDevice(.sample("device \(number)"), limit: 1)
      }
      #expect(outcomes.count { $0 == .added } == 1)
      #expect(outcomes.count { $0 == .limitReached } == 39)
      #expect(try await store.boundDevices.all(of: .demo).count == 1)
    }
  }

  @Test func `renaming and deleting return the record, or nothing for an unknown one`() async throws {
    try await withUser { store in
      var device = BoundDeviceRecord.sample()
      _ = try await store.addBoundDevice(device, limit: 0)
      device.deviceName = "Kitchen"
      let id = device.uuid
      #expect(
        try await store.boundDevices.rename(id, of: .demo, to: "Kitchen") == device
      )
      #expect(try await store.boundDevice(uuid: id, of: .demo) == device)
      #expect(
        try await store.boundDevices.rename(id, of: UniversalID(username: "x", realm: "alpha"), to: "y")
          == nil)
      #expect(
        try await store.boundDevices.delete(id, of: UniversalID(username: "x", realm: "alpha")) == nil)
      #expect(try await store.boundDevices.delete(id, of: .demo) == device)
      #expect(try await store.boundDevices.delete(id, of: .demo) == nil)
    }
  }
}
