import BindingFormats
import Concurrency
import Foundation
import JourneyStorePostgres
import Testing

@testable import JourneyStore

@Suite("A session and what has proven its person") struct SessionProofTests {
  /// One account with a bound key and a push device.
  private func withDevices(
    quotas: StoreQuotas = StoreQuotas(), _ body: (any ServerStore) async throws -> Void
  ) async throws {
    try await withEachStore(quotas: quotas) { store in
      try await store.createUser(.sample())
      #expect(try await store.addBoundDevice(.sample(), limit: 0) == .added)
      try await store.openPushEnrolment(
        PushMessageRecord(
          id: "enrolment", realm: "alpha", username: "demo", kind: .registration,
          challenge: StoredSecret([1]),
          enrolment: .init(uuid: "phone", issuer: "Bank", sharedSecret: StoredSecret([2]), deviceLimit: 1),
          sentAt: noon, expiresAt: noon + 60))
      let phone = PushDeviceRecord(
        uuid: "phone", realm: "alpha", username: "demo", deviceName: "Phone", mechanismUID: "phone",
        issuer: "Bank", sharedSecret: StoredSecret([2]), communicationType: "poll", communicationID: "",
        deviceType: "linux", deviceToken: "", createdDate: noon, lastAccessDate: noon)
      #expect(try await store.completePushEnrolment(id: "enrolment", device: phone, now: noon) == .added)
      try await body(store)
    }
  }

  private func approve(_ id: String, in store: any ServerStore) async throws {
    let message = PushMessageRecord(
      id: id, realm: "alpha", username: "demo", kind: .authentication, challenge: StoredSecret([1]),
      sentAt: noon, expiresAt: noon + 60)
    #expect(try await store.openPushMessage(message, inboxes: [], limits: .standard) == .opened)
    #expect(
      try await store.decidePushMessage(
        id: id, realm: "alpha", as: .approved, by: "phone", reason: nil, now: noon))
  }

  private func push(_ id: String, step: OnceKey? = nil) -> SessionProof {
    .push(id: id, use: PushUse(by: .demo, scope: LockoutScope(.pushAnswers), at: noon), step: step)
  }

  private func signature(
    _ once: OnceKey = .fresh(), step: OnceKey? = nil, device: String = "device-1"
  ) -> SessionProof {
    .signature(AcceptedSignature(evidence: .sample(device: device), once: once, step: step))
  }

  private func session(_ number: UInt8) -> NewSession { NewSession(.sample(number), now: noon) }

  private func sessions(_ store: any ServerStore) async throws -> Int {
    try await store.sessions(of: .demo, now: noon).count
  }

  @Test func `are one commit of SQLite, and one transaction of PostgreSQL in three round trips`() async throws
  {
    func count(_ store: any ServerStore) -> Int {
      if let store = store as? PostgresStore { return store.roundTrips }
      return (store as? SQLiteStore)?.load.waits ?? 0
    }
    try await withDevices { store in
      try await approve("message", in: store)
      let expected = store is PostgresStore ? 3 : 1
      for (number, proof) in [signature(step: .fresh()), push("message", step: .fresh())].enumerated() {
        let before = count(store)
        let opened = try await store.openSession(session(UInt8(number)), by: proof)
        #expect(count(store) - before == expected)
        #expect(opened == ProvenSession(user: .sample(), evidence: number == 0 ? 1 : nil))
      }
      #expect(try await sessions(store) == 2)
    }
  }

  @Test func `a proof that does not count opens no session, and leaves nothing`() async throws {
    try await withDevices { store in
      let (once, step) = (OnceKey.fresh(), OnceKey.fresh())
      _ = try await store.openSession(session(1), by: signature(once, step: step))
      for proof in [
        signature(once), signature(step: step), signature(device: "another"), push("unknown"),
      ] {
        await #expect(throws: ProofNotAccepted.self) { try await store.openSession(session(2), by: proof) }
      }
      try await approve("message", in: store)
      await #expect(throws: ProofNotAccepted.self) {
        try await store.openSession(session(2), by: push("message", step: step))
      }
      #expect(try await sessions(store) == 1)
      #expect(try await store.addEvidence(.sample(), once: .fresh()) == 2)
      // The message waits for an answer that counts.
      _ = try await store.openSession(session(2), by: push("message"))
      await #expect(throws: ProofNotAccepted.self) {
        try await store.openSession(session(3), by: push("message"))
      }
    }
  }

  @Test func `a proof whose session cannot be opened still counts later`() async throws {
    try await withDevices { store in
      let once = OnceKey.fresh()
      try await approve("message", in: store)
      var another = session(1)
      another.record.accountID = "id of an account that had the name"
      for proof in [signature(once), push("message")] {
        await #expect(throws: StoreError.self) { try await store.openSession(another, by: proof) }
      }
      var replacing = session(1)
      replacing.replacing = [9]
      await #expect(throws: StoreError.self) { try await store.openSession(replacing, by: signature(once)) }
      #expect(try await store.openSession(session(1), by: signature(once)).evidence == 1)
      replacing.replacing = SessionRecord.sample(1).tokenHash
      replacing.record = .sample(2)
      #expect(try await store.openSession(replacing, by: push("message")).user == .sample())
      #expect(try await store.sessions(of: .demo, now: noon).map(\.handle) == ["shandle:2"])
    }
  }

  @Test func `of many at once with one proof, one session is opened`() async throws {
    try await withDevices { store async throws in
      let once = OnceKey.fresh()
      let opened = try await inParallel(40) { number -> Bool in
        do {
          let proof = number % 2 == 0 ? signature(once) : signature()
          _ = try await store.openSession(session(UInt8(number)), by: proof)
          return true
        } catch is ProofNotAccepted { return false }
      }
      #expect(opened.count { $0 } == 21)
      #expect(try await sessions(store) == 21)
    }
  }
}
