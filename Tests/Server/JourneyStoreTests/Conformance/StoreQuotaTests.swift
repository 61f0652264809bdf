import BindingFormats
import Bytes
import EvidenceLedger
import Foundation
import JourneyStore
import OATH
import StrictJSON
import Testing

@Suite("What one account or application can make a store keep") struct StoreQuotaTests {
  /// Runs `body` with a store that has the user `demo` and the application `app-1`.
  private func withQuotas(
    _ change: (inout StoreQuotas) -> Void, _ body: (any ServerStore) async throws -> Void
  ) async throws {
    var quotas = StoreQuotas()
    change(&quotas)
    try await withEachStore(quotas: quotas) { store in
      try await store.createUser(.sample())
      try await store.createUser(.sample("other"))
      try await store.createApplication(.sample())
      try await body(store)
    }
  }

  private func expectExhausted(_ body: () async throws -> Void) async {
    await #expect {
      try await body()
    } throws: { error in
      if case .exhausted? = error as? StoreError { true } else { false }
    }
  }

  @Test func `one session too many ends the oldest of the account, and nobody else's`() async throws {
    try await withQuotas({ $0.sessionsPerAccount = 2 }) { store in
      func session(_ number: UInt8, _ username: String = "demo") -> SessionRecord {
        SessionRecord(
          tokenHash: [number], handle: "handle \(number)", realm: "alpha", username: username,
          createdAt: noon + TimeInterval(number), latestAccess: noon + TimeInterval(number),
          maximumIdle: 1800,
          expiresAt: noon + 7200, properties: [:])
      }
      try await store.createSession(session(1, "other"))
      for number in 2...5 as ClosedRange<UInt8> { try await store.createSession(session(number)) }
      let live = try await store.sessions(of: .demo, now: noon + 10)
      #expect(live.map(\.handle) == ["handle 4", "handle 5"])
      #expect(try await store.session(tokenHash: [1], now: noon + 10) != nil)
    }
  }

  @Test func `sessions that were opened while the clock was ahead are the first to end`() async throws {
    try await withQuotas({ $0.sessionsPerAccount = 2 }) { store in
      for (number, days) in [(1, 365), (2, 365), (3, 0), (4, 0), (5, 0)] as [(UInt8, Double)] {
        let begin = noon + days * 86_400 + Double(number)
        try await store.createSession(
          SessionRecord(
            tokenHash: [number], handle: "handle \(number)", realm: "alpha", username: "demo",
            createdAt: begin, latestAccess: begin, maximumIdle: 1800, expiresAt: begin + 7200,
            properties: [:]))
        #expect(try await store.session(tokenHash: [number], now: begin) != nil, "\(number)")
      }
      #expect(
        try await store.sessions(of: .demo, now: noon + 10).map(\.handle) == ["handle 4", "handle 5"])
    }
  }

  @Test func `an account has so many devices of each kind, although the journey sets no limit`() async throws
  {
    try await withQuotas({ $0.devicesPerAccount = 2 }) { store in
      for number in 1...3 {
        let bound = try await store.addBoundDevice(.sample("device-\(number)"), limit: 0)
        #expect(bound == (number < 3 ? .added : .limitReached))
        let oath = OathDeviceRecord(
          uuid: "o\(number)", realm: "alpha", username: "demo", secret: StoredSecret(Array(0..<20)),
          profile: OATHProfile(), createdDate: noon, lastAccessDate: noon)
        #expect(try await store.addOathDevice(oath, limit: 0) == (number < 3))
        let webAuthn = WebAuthnDeviceRecord(
          uuid: "w\(number)", realm: "alpha", username: "demo", deviceName: "Key",
          credentialID: [UInt8(number)], publicKey: [9], signCount: 0, userHandle: [1],
          relyingPartyID: "example.com", aaguid: "00000000-0000-0000-0000-000000000000",
          attestationFormat: "none", attestationType: "NONE", attachment: "platform", transports: [],
          isBackupEligible: false, isBackedUp: false, isUserVerificationInitialized: false,
          createdDate: noon, lastAccessDate: noon)
        let added = try await store.addWebAuthnDevice(webAuthn, limit: 0)
        #expect(added == (number < 3 ? .added : .limitReached))
      }
    }
  }

  @Test func `an application has so many open transactions; those that are over make room`() async throws {
    try await withQuotas({ $0.openTransactionsPerApplication = 2 }) { store in
      try await store.createApplication(.sample("app-2", name: "Bank"))
      for id in ["t-1", "t-2"] { try await store.createTransaction(.sample(id)) }
      await expectExhausted { try await store.createTransaction(.sample("t-3")) }
      try await store.createTransaction(.sample("t-4", application: "app-2"))
      #expect(
        try await store.decideTransaction(id: "t-1", realm: "alpha", .refused(reason: "no"), now: noon))
      try await store.createTransaction(.sample("t-3"))
      await #expect {
        try await store.createTransaction(.sample("t-5", application: "none"))
      } throws: { error in
        if case .missing? = error as? StoreError { true } else { false }
      }
    }
  }

  @Test func `many transactions sent at once do not outrun the count`() async throws {
    try await withQuotas({ $0.openTransactionsPerApplication = 5 }) { store in
      let stored = await withTaskGroup(of: Bool.self) { group in
        for number in 0..<40 {
          group.addTask { (try? await store.createTransaction(.sample("t-\(number)"))) != nil }
        }
        return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
      }
      #expect(stored == 5)
    }
  }

  @Test func `a realm has so many applications`() async throws {
    try await withQuotas({ $0.applicationsPerRealm = 2 }) { store in
      try await store.createApplication(.sample("app-2", name: "Bank"))
      await expectExhausted { try await store.createApplication(.sample("app-3", name: "Bar")) }
      try await store.createApplication(.sample("app-3", name: "Bar", realm: "root"))
    }
  }

  @Test func `an account that has filled its day of the ledger signs no more until tomorrow; others go on`()
    async throws
  {
    try await withQuotas({ $0.evidenceBytesPerAccountAndDay = 2000 }) { store in
      for name in ["demo", "other"] {
        _ = try await store.addBoundDevice(.sample("device of \(name)", username: name), limit: 0)
      }
      func sign(_ username: String = "demo", at date: Date = noon) async throws {
        let accepted = try await store.accept(
          AcceptedSignature(
            evidence: EvidenceRecord(
              kind: .sign, time: Int64(date.timeIntervalSince1970 * 1000), realm: "alpha", journey: "SignIn",
              nodeID: "node", username: username, userID: "id=\(username)", device: "device of \(username)",
              key: ["kty": "EC"], jws: String(repeating: "x", count: 600)),
            once: .fresh()))
        guard case .accepted = accepted else { throw CancellationError() }
      }
      /// Signs until it is refused; how often it was not.
      func fill(at date: Date) async throws -> Int {
        for count in 0..<10 {
          do { try await sign(at: date) } catch StoreError.exhausted { return count }
        }
        return 10
      }
      let number = try await fill(at: noon)
      #expect((1...3).contains(number))
      try await sign("other")
      #expect(try await fill(at: noon + 86_400) == number)
      // A clock that goes back does not give yesterday's room again.
      #expect(try await fill(at: noon) == 0)
      #expect(try await store.evidence(EvidenceQuery(realm: "alpha", limit: 100)).count == 2 * number + 1)
      // Nor does one that was a year ahead take the room of the year.
      #expect(try await fill(at: noon + 366 * 86_400) == number)
      #expect(try await fill(at: noon + 2 * 86_400) == number)
      #expect(try await fill(at: noon + 86_400) == 0)
    }
  }

  @Test func `SSH certificates, for which a session is enough, keep nobody from signing`() async throws {
    try await withQuotas({
      ($0.evidenceBytesPerAccountAndDay, $0.certificateBytesPerAccountAndDay) = (2000, 3000)
    }) { store in
      _ = try await store.addBoundDevice(.sample("device"), limit: 0)
      let stored = StoredSSHAuthorities(store)
      _ = try await stored.set([:], of: "alpha", newKeys: [(.sample(), [1])], at: noon)
      func evidence(_ kind: EvidenceRecord.Kind) -> EvidenceRecord {
        EvidenceRecord(
          kind: kind, time: Int64(noon.timeIntervalSince1970 * 1000), realm: "alpha", journey: "SignIn",
          nodeID: "node", username: "demo", userID: "id=demo", device: "device", key: ["kty": "EC"],
          jws: String(repeating: "x", count: 600))
      }
      var issued = 0
      while issued < 10 {
        do {
          try await stored.issue(
            .sample(UInt64(issued + 1)), evidence: evidence(.certify), once: nil, by: nil)
        } catch StoreError.exhausted { break }
        issued += 1
      }
      #expect((2...4).contains(issued))
      let accepted = try await store.accept(
        AcceptedSignature(evidence: evidence(.sign), once: .fresh()))
      guard case .accepted = accepted else { throw CancellationError() }
      #expect(try await store.evidence(EvidenceQuery(realm: "alpha", limit: 100)).count == issued + 1)
    }
  }

  @Test func `an application whose approvals have used up a day's evidence keeps nobody else from signing`()
    async throws
  {
    try await withQuotas({ $0.evidenceBytesPerApplicationAndDay = 3000 }) { store in
      _ = try await store.addBoundDevice(.sample("device"), limit: 0)
      func approve(_ application: String?) async throws {
        let transaction: JSONObject? = application.map { ["nonce": "n", "application": .string($0)] }
        let accepted = try await store.accept(
          AcceptedSignature(
            evidence: EvidenceRecord(
              kind: .sign, time: Int64(noon.timeIntervalSince1970 * 1000), realm: "alpha", journey: "Approve",
              nodeID: "node", username: "demo", userID: "id=demo", device: "device", key: ["kty": "EC"],
              transaction: transaction, jws: String(repeating: "x", count: 600)),
            once: .fresh()))
        guard case .accepted = accepted else { throw CancellationError() }
      }
      var approvals = 0
      while approvals < 10, (try? await approve("shop")) != nil { approvals += 1 }
      #expect((1...4).contains(approvals))
      await #expect(throws: StoreError.self) { try await approve("shop") }
      try await approve("bank")
      try await approve(nil)
      #expect(try await store.evidence(EvidenceQuery(realm: "alpha", limit: 100)).count == approvals + 2)
    }
  }

  @Test(arguments: [false, true])
  func
    `failures of names that nobody has are forgotten, the oldest first, however they were counted; those of accounts are not`(
      settled: Bool
    ) async throws
  {
    try await withQuotas({ $0.failuresOfUnknownNames = 10 }) { store in
      func fail(_ name: String, at second: Int) async throws {
        if settled {
          _ = try await store.settleAttempt(
            of: UniversalID(username: name, realm: "alpha"), scope: .passwords, isRight: false,
            policy: .standard, now: noon + TimeInterval(second))
          return
        }
        _ = try await store.recordFailure(
          of: UniversalID(username: name, realm: "alpha"), scope: .passwords, policy: .standard,
          now: noon + TimeInterval(second)
        )
      }
      func isRemembered(_ name: String) async throws -> Bool {
        try await store.lockout(of: UniversalID(username: name, realm: "alpha"), scope: .passwords)
          != LockoutState()
      }
      try await fail("demo", at: 0)
      for number in 1...30 { try await fail("stranger \(number)", at: number) }
      #expect(try await isRemembered("demo"))
      var remembered: [Int] = []
      for number in 1...30 where try await isRemembered("stranger \(number)") { remembered.append(number) }
      #expect(remembered == Array(21...30))
    }
  }
}
