import EvidenceLedger
import Foundation
import JourneyStore
import StrictJSON
import Testing

@Suite("Evidence") struct EvidenceStoreTests {
  private func withDevice(_ body: (any ServerStore) async throws -> Void) async throws {
    try await withEachStore { store in
      try await store.createUser(.sample())
      #expect(try await store.addBoundDevice(.sample(), limit: 0) == .added)
      try await body(store)
    }
  }

  /// All entries, the oldest first.
  private func entries(_ store: any ServerStore) async throws -> [EvidenceEntry] {
    try await store.evidence(EvidenceQuery(limit: 1000)).reversed()
  }

  @Test func `an accepted signature leaves its evidence, notes the use and forgets failures`() async throws {
    try await withDevice { store async throws in
      for scope: LockoutScope in [.passwords, .signatures] {
        _ = try await store.recordFailure(
          of: .demo, scope: scope, policy: .standard, now: noon)
      }
      let record = EvidenceRecord.sample(at: noon + 60)
      let signature = AcceptedSignature(evidence: record, once: .fresh(), forgetsFailures: true)
      #expect(try await store.accept(signature) == .accepted(evidence: 1))
      let device = try await store.boundDevice(uuid: "device-1", of: .demo)
      #expect(device?.lastAccessDate == noon + 60)
      #expect(
        try await store.lockout(of: .demo, scope: .signatures) == LockoutState())
      // It says nothing of the passwords that were guessed.
      #expect(try await store.lockout(of: .demo).consecutiveFailures == 1)
      let entry = try #require(try await store.evidence(number: 1))
      #expect(entry.record == record)
      #expect(try await entries(store) == [entry])
    }
  }

  @Test func `the last access never goes back in time`() async throws {
    try await withDevice { store async throws in
      for date in [noon + 60, noon] {
        _ = try await store.accept(AcceptedSignature(evidence: .sample(at: date), once: .fresh()))
      }
      let device = try await store.boundDevice(uuid: "device-1", of: .demo)
      #expect(device?.lastAccessDate == noon + 60)
    }
  }

  @Test func `of equal signatures that come at once, one counts and leaves evidence`() async throws {
    try await withDevice { store async throws in
      let signature = AcceptedSignature(evidence: .sample(), once: .init(key: [1, 2], expiry: noon + 60))
      let results = try await inParallel(50) { _ in try await store.accept(signature) }
      #expect(results.count { $0 == .accepted(evidence: 1) } == 1)
      #expect(results.count { $0 == .replayed } == 49)
      #expect(try await entries(store).count == 1)
    }
  }

  @Test func `of fifty proofs that answer one step at once, one counts and leaves evidence`() async throws {
    try await withDevice { store async throws in
      let step = OnceKey(key: [7], expiry: noon + 60)
      let results = try await inParallel(50) { number in
        try await store.accept(
          AcceptedSignature(
            evidence: .sample(at: noon + Double(number)), once: .fresh(), step: step))
      }
      #expect(results.count { $0 == .accepted(evidence: 1) } == 1)
      #expect(results.count { $0 == .answeredBefore } == 49)
      #expect(try await entries(store).count == 1)
      #expect(try await !store.consume(step.key, until: step.expiry), "the step is used up")
    }
  }

  @Test func `a step that was used up lets nothing count, and changes nothing`() async throws {
    try await withDevice { store async throws in
      let (step, once) = (OnceKey(key: [7], expiry: noon + 60), OnceKey(key: [8], expiry: noon + 60))
      #expect(try await store.consume(step.key, until: step.expiry))
      let signature = AcceptedSignature(evidence: .sample(at: noon + 60), once: once, step: step)
      #expect(try await store.accept(signature) == .answeredBefore)
      #expect(try await store.boundDevice(uuid: "device-1", of: .demo)?.lastAccessDate == noon)
      #expect(try await store.consume(once.key, until: noon), "the proof was not consumed")
      #expect(try await entries(store).isEmpty)
    }
  }

  @Test func `a proof that does not count leaves its step to be used up by itself`() async throws {
    try await withDevice { store async throws in
      let once = OnceKey.fresh()
      _ = try await store.addEvidence(.sample(), once: once)
      let step = OnceKey(key: [7], expiry: noon + 60)
      #expect(
        try await store.accept(AcceptedSignature(evidence: .sample(), once: once, step: step)) == .replayed)
      _ = try await store.boundDevices.delete("device-1", of: .demo)
      #expect(
        try await store.accept(AcceptedSignature(evidence: .sample(), once: .fresh(), step: step))
          == .noSuchDevice)
      #expect(try await store.consume(step.key, until: step.expiry))
    }
  }

  @Test func `without the device nothing counts`() async throws {
    try await withDevice { store async throws in
      _ = try await store.boundDevices.delete("device-1", of: .demo)
      let signature = AcceptedSignature(evidence: .sample(), once: .init(key: [1], expiry: noon + 60))
      #expect(try await store.accept(signature) == .noSuchDevice)
      #expect(try await store.consume([1], until: noon), "nothing was consumed")
      #expect(try await entries(store).isEmpty)
    }
  }

  @Test func `a binding and its evidence are stored together, or neither`() async throws {
    try await withDevice { store async throws in
      let second = BoundDeviceRecord.sample("device-2")
      let evidence = EvidenceRecord.sample(.bind, device: "device-2")
      for limit in [1, 2, 3] {
        _ = try await store.addBoundDevice(
          second, limit: DeviceLimit(limit), evidence: evidence, once: .fresh())
      }
      #expect(try await entries(store).map(\.record) == [evidence])
    }
  }

  @Test func `a proof that was accepted binds nothing again, and leaves nothing`() async throws {
    try await withDevice { store async throws in
      let once = OnceKey.fresh()
      let evidence = EvidenceRecord.sample(.bind, device: "device-2")
      #expect(try await store.addEvidence(evidence, once: once) == 1)
      #expect(try await store.addEvidence(evidence, once: once) == nil)
      let added = try await store.addBoundDevice(
        .sample("device-2"), limit: 0, evidence: evidence, once: once)
      #expect(added == .replayed)
      #expect(try await store.boundDevices.all(of: .demo).map(\.uuid) == ["device-1"])
      #expect(
        try await store.accept(AcceptedSignature(evidence: .sample(at: noon + 60), once: once)) == .replayed)
      let device = try await store.boundDevice(uuid: "device-1", of: .demo)
      #expect(device?.lastAccessDate == noon, "a repetition is no use of the device")
      #expect(try await entries(store).count == 1)
    }
  }

  @Test func `of fifty equal bindings at once, one is stored`() async throws {
    try await withDevice { store async throws in
      let once = OnceKey.fresh()
      let results = try await inParallel(50) { number in
        try await store.addBoundDevice(
          .sample("other \(number)"), limit: 0, evidence: .sample(.bind, device: "other \(number)"),
          once: once)
      }
      #expect(results.count { $0 == .added } == 1 && results.count { $0 == .replayed } == 49)
      #expect(try await entries(store).count == 1)
    }
  }

  @Test func `evidence that cannot be kept lets nothing count`() async throws {
    try await withDevice { store async throws in
      var record = EvidenceRecord.sample()
      record.jws = String(repeating: "A", count: EvidenceEntry.maximumLineBytes)
      let signature = AcceptedSignature(
        evidence: record, once: .init(key: [1], expiry: noon + 60),
        step: .init(key: [2], expiry: noon + 60))
      await #expect(throws: StoreError.self) { try await store.accept(signature) }
      for key: [UInt8] in [[1], [2]] {
        #expect(try await store.consume(key, until: noon), "nothing was consumed")
      }
      #expect(try await entries(store).isEmpty)
    }
  }

  @Test func `retention takes the content of old entries, and nothing of the others`() async throws {
    try await withEachStore { store in
      for day in 0..<5 {
        _ = try await store.addEvidence(.sample(at: noon + Double(day) * 86400), once: .fresh())
      }
      let time = Int64(noon.timeIntervalSince1970 * 1000)
      #expect(try await store.removeEvidenceContent(before: time).removed == 0)
      #expect(try await store.removeEvidenceContent(before: time + 2 * 86_400_000 + 1).removed == 3)
      #expect(try await store.evidence(EvidenceQuery(limit: 9)).map(\.number) == [5, 4])
      #expect(
        try await store.evidence(EvidenceQuery(since: time, kind: "sign", limit: 9)).map(\.number) == [5, 4])
      #expect(try await store.evidence(EvidenceQuery(realm: "alpha", username: "demo", limit: 9)).count == 2)
      #expect(try await store.evidence(number: 3) == nil)
      // What has gone stays gone, and the chain goes on.
      #expect(try await store.removeEvidenceContent(before: time).removed == 3)
      #expect(try await store.addEvidence(.sample(at: noon + 5 * 86400), once: .fresh()) == 6)
      #expect(try await store.removeEvidenceContent(before: .max).removed == 6)
      #expect(try await store.addEvidence(.sample(at: noon + 6 * 86400), once: .fresh()) == 7)
      #expect(try await store.evidence(EvidenceQuery(limit: 9)).map(\.number) == [7])
    }
  }

  @Test func `retention goes in portions, no further than it may, and what goes counts once`() async throws {
    try await withEachStore { store in
      for number in 0..<9 {
        _ = try await store.addEvidence(.sample(at: noon + Double(number)), once: .fresh())
      }
      let end = Int64((noon + 100).timeIntervalSince1970 * 1000)
      func portion(_ leaves: Int64, limit: Int) async throws -> EvidenceRemoval {
        try await store.removeEvidencePortion(
          before: end, amongFirst: leaves, limit: limit, machineTime: nil)
      }
      #expect(try await portion(0, limit: 9) == EvidenceRemoval(removed: 0, new: 0, isComplete: true))
      #expect(try await portion(3, limit: 0) == EvidenceRemoval(removed: 0, new: 0, isComplete: false))
      #expect(try await portion(3, limit: 2) == EvidenceRemoval(removed: 2, new: 2, isComplete: false))
      #expect(try await portion(3, limit: 2) == EvidenceRemoval(removed: 3, new: 1, isComplete: true))
      #expect(try await portion(3, limit: 0) == EvidenceRemoval(removed: 3, new: 0, isComplete: true))
      #expect(try await portion(2, limit: 2) == EvidenceRemoval(removed: 3, new: 0, isComplete: true))
      // Several servers at once.
      let removals = try await inParallel(8) { _ in
        try await store.removeEvidenceContent(before: end, amongFirst: 7)
      }
      #expect(removals.map(\.new).reduce(0, +) == 4 && removals.allSatisfy { $0.removed == 7 })
      #expect(try await store.evidence(EvidenceQuery(limit: 9)).map(\.number) == [9, 8])
    }
  }

  @Test func `entries are found by user and realm in any case, newest first, page by page`() async throws {
    try await withEachStore { store in
      for (name, realm) in [("ada", "alpha"), ("bob", "alpha"), ("ada", "root"), ("Ada", "alpha")] {
        _ = try await store.addEvidence(.sample(username: name, realm: realm), once: .fresh())
      }
      func numbers(_ query: EvidenceQuery) async throws -> [Int64] {
        try await store.evidence(query).map(\.number)
      }
      #expect(try await numbers(EvidenceQuery(limit: 9)) == [4, 3, 2, 1])
      #expect(try await numbers(EvidenceQuery(realm: "ALPHA", limit: 9)) == [4, 2, 1])
      #expect(try await numbers(EvidenceQuery(realm: "alpha", username: "ADA", limit: 9)) == [4, 1])
      #expect(try await numbers(EvidenceQuery(realm: "alpha", before: 4, limit: 1)) == [2])
      #expect(try await numbers(EvidenceQuery(limit: 0)) == [])
      // A name is one person's in a realm only.
      #expect(try await numbers(EvidenceQuery(username: "ada", limit: 9)) == [])
      #expect(try await store.evidence(number: 5) == nil)
    }
  }
}
