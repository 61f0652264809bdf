import BindingFormats
import EvidenceLedger
import Foundation
import JourneyStore
import StrictJSON
import Testing

/// A name can be given again, an account's id cannot: what belonged to an account is not the next one's of its name.
@Suite("Accounts that get the name of deleted ones") struct AccountIDTests {
  /// The account of the samples, and another one that has its name later.
  private let first = UserRecord.sample()
  private var second: UserRecord {
    var user = UserRecord.sample()
    (user.id, user.createdAt) = ("id of the second", noon + 100)
    return user
  }

  private static func query(_ user: UserRecord) -> EvidenceQuery {
    EvidenceQuery(realm: "alpha", username: user.username, accountID: user.id, limit: 10)
  }

  private static func record(_ user: UserRecord?, at date: Date, device: String = "device-1")
    -> EvidenceRecord
  {
    var record = EvidenceRecord.sample(device: device, at: date)
    record.accountID = user?.id
    return record
  }

  /// Deletes the first account, and creates the second.
  private func recreate(_ store: any ServerStore) async throws {
    #expect(try await store.deleteUser(.demo)?.id == first.id)
    try await store.createUser(second)
  }

  @Test func `evidence is found by the account's id, and by the name for those who may see all`() async throws
  {
    try await withEachStore { store in
      try await store.createUser(first)
      #expect(try await store.addEvidence(Self.record(first, at: noon + 1), once: .fresh()) == 1)
      #expect(try await store.evidence(Self.query(first)).map(\.number) == [1])
      try await recreate(store)
      // A clock that was set back changes nothing: the id decides.
      #expect(try await store.addEvidence(Self.record(second, at: noon + 0.5), once: .fresh()) == 2)
      #expect(try await store.evidence(Self.query(second)).map(\.number) == [2])
      #expect(try await store.evidence(Self.query(first)).map(\.number) == [1])
      let byName = EvidenceQuery(realm: "alpha", username: "demo", limit: 10)
      #expect(try await store.evidence(byName).map(\.number) == [2, 1])
      #expect(try await store.evidence(number: 1)?.record.accountID == first.id)
    }
  }

  @Test func `entries without an id are the account's that has the name, unless they are older`() async throws
  {
    try await withEachStore { store in
      try await store.createUser(first)
      // As a server of an earlier version writes them.
      for seconds in [-1, 0, 50, 100.5] {
        _ = try await store.addEvidence(Self.record(nil, at: noon + seconds), once: .fresh())
      }
      #expect(try await store.evidence(Self.query(first)).map(\.number) == [4, 3, 2])
      try await recreate(store)
      #expect(try await store.evidence(Self.query(second)).map(\.number) == [4])
      // Nobody has that id any more, and so nobody these entries.
      #expect(try await store.evidence(Self.query(first)).isEmpty)
    }
  }

  @Test func `what is the account's in one realm is not its namesake's in another`() async throws {
    try await withEachStore { store in
      try await store.createUser(first)
      _ = try await store.addEvidence(Self.record(first, at: noon), once: .fresh())
      var query = Self.query(first)
      query.realm = "root"
      #expect(try await store.evidence(query).isEmpty)
      #expect(try await store.pushDecisions(query).isEmpty)
    }
  }

  private func question(_ id: String) -> PushMessageRecord {
    PushMessageRecord(
      id: id, realm: "alpha", username: "demo", kind: .authentication, type: .default,
      challenge: StoredSecret([1, 2]), sentAt: noon, expiresAt: noon + 200)
  }

  /// Gives the account the device that answers.
  private func addPhone(_ store: any ServerStore, _ id: String) async throws {
    let secret = StoredSecret([1, 2])
    try await store.openPushEnrolment(
      PushMessageRecord(
        id: id, realm: "alpha", username: "demo", kind: .registration, challenge: secret,
        enrolment: .init(uuid: "uuid of m1", issuer: "Bank", sharedSecret: secret, deviceLimit: 0),
        sentAt: noon, expiresAt: noon + 60))
    _ = try await store.completePushEnrolment(
      id: id,
      device: PushDeviceRecord(
        uuid: "uuid of m1", realm: "alpha", username: "demo", deviceName: "Phone", mechanismUID: "m1",
        issuer: "Bank", sharedSecret: secret, communicationType: "poll", communicationID: "t",
        deviceType: "linux", deviceToken: "t", createdDate: noon, lastAccessDate: noon), now: noon)
  }

  @Test func `push decisions are found by the account's id`() async throws {
    try await withEachStore { store in
      try await store.createUser(first)
      for (id, user) in [("AUTHENTICATE:1", first), ("AUTHENTICATE:2", second)] {
        if user.id == second.id { try await recreate(store) }
        try await addPhone(store, "REGISTER of \(id)")
        #expect(try await store.openPushMessage(question(id), inboxes: [], limits: .standard) == .opened)
        #expect(
          try await store.decidePushMessage(
            id: id, realm: "alpha", as: .denied, by: "m1", reason: nil, now: noon + 101))
        #expect(try await store.pushDecisions(Self.query(user)).map(\.messageID) == [id])
      }
      let all = try await store.pushDecisions(EvidenceQuery(realm: "alpha", username: "demo", limit: 10))
      #expect(all.map(\.accountID) == [second.id, first.id])
    }
  }

  @Test func `of a realm that is made anew, accounts see nothing of those before`() async throws {
    try await withEachStore { store in
      try await store.createRealm("beta", at: noon, by: nil)
      let old = UserRecord.sample(realm: "beta")
      var new = second
      new.realm = "beta"
      try await store.createUser(old)
      var record = EvidenceRecord.sample(realm: "beta", at: noon + 1)
      record.accountID = old.id
      _ = try await store.addEvidence(record, once: .fresh())
      _ = try await store.deleteRealm("beta", isForced: true, at: noon + 50, by: nil)
      #expect(try await store.realmCreation("beta") == nil)
      try await store.createRealm("beta", at: noon + 60, by: nil)
      #expect(try await store.realmCreation("BETA") == noon + 60)
      try await store.createUser(new)
      var query = Self.query(new)
      query.realm = "beta"
      #expect(try await store.evidence(query).isEmpty)
      query.accountID = nil
      #expect(try await store.evidence(query).count == 1)
    }
  }

  @Test func `a session is stored for the account that was authenticated, and says which that is`()
    async throws
  {
    try await withEachStore { store in
      try await store.createUser(first)
      #expect(try await store.createSession(.sample(1)).id == first.id)
      #expect(
        try await store.session(tokenHash: SessionRecord.sample(1).tokenHash, now: noon)?.accountID
          == first.id)
      #expect(try await store.session(handle: "shandle:1")?.accountID == first.id)
      #expect(try await store.sessions(of: .demo, now: noon).map(\.accountID) == [first.id])
      try await recreate(store)
      await #expect(throws: StoreError.self) { try await store.createSession(.sample(2)) }
      await #expect(throws: StoreError.self) {
        try await store.createSession(.sample(2), with: PasswordMark(second))
      }
      #expect(try await store.sessions(of: .demo, now: noon).isEmpty)
      var session = SessionRecord.sample(3)
      session.accountID = nil
      #expect(try await store.createSession(session).id == second.id)
      session.tokenHash = [9]
      session.handle = "shandle:9"
      session.accountID = first.id
      await #expect(throws: StoreError.self) {
        try await store.replaceSession(
          tokenHash: SessionRecord.sample(3).tokenHash, with: session, now: noon)
      }
      #expect(try await store.sessions(of: .demo, now: noon).map(\.handle) == ["shandle:3"])
    }
  }

  @Test func `a device, or recovery codes, that one account's person began are not added to the next one`()
    async throws
  {
    try await withEachStore { store in
      try await store.createUser(first)
      try await recreate(store)
      let limit = DeviceLimit(0, accountID: first.id)
      #expect(try await store.addBoundDevice(.sample(), limit: limit) == .noSuchUser)
      #expect(
        try await store.addBoundDevice(
          .sample(), limit: limit, evidence: Self.record(first, at: noon), once: .fresh()) == .noSuchUser)
      #expect(try await store.evidence(EvidenceQuery(limit: 1)).isEmpty)
      await #expect(throws: StoreError.self) {
        try await store.setRecoveryCodes([[1]], kind: "OATH", of: .demo, id: first.id)
      }
      #expect(try await store.recoveryCodes(of: .demo).isEmpty)
      await #expect(throws: StoreError.self) {
        try await store.openPushEnrolment(PushStoreTests().enrolment(), id: first.id)
      }
      #expect(try await !store.hasFactors(of: .demo))

      let now = DeviceLimit(0, accountID: second.id)
      #expect(try await store.addBoundDevice(.sample(), limit: now) == .added)
      try await store.setRecoveryCodes([[1]], kind: "OATH", of: .demo, id: second.id)
      #expect(try await store.recoveryCodes(of: .demo) == ["OATH": 1])
      try await store.openPushEnrolment(PushStoreTests().enrolment(), id: second.id)
    }
  }

  @Test func `a transaction is for the account that had the name when it was made`() async throws {
    try await withEachStore { store in
      try await store.createApplication(.sample())
      try await store.createTransaction(.sample("before"))
      try await store.createUser(first)
      try await store.createTransaction(.sample("t-1"))
      func isMeant(_ id: String, for user: UserRecord) async throws -> Bool {
        try #require(try await store.transaction(id: id, realm: "alpha")).isMeant(for: user)
      }
      #expect(try await isMeant("t-1", for: first))
      #expect(try await !isMeant("t-1", for: second))
      #expect(try await !isMeant("t-1", for: .sample("other")))
      // Nobody had the name, or a server of an earlier version has made it.
      #expect(try await isMeant("before", for: first))
      #expect(try await !isMeant("before", for: second))
      let approval = TransactionApproval(
        username: "demo", accountID: first.id, keyID: "k", jws: "a.b.c", nonce: [1])
      #expect(
        try await store.decideTransaction(id: "before", realm: "alpha", .approved(approval), now: noon))
      #expect(try await store.transaction(id: "before", realm: "alpha")?.accountID == first.id)
    }
  }

  @Test func `a consent is the account's that gave it`() async throws {
    try await withEachStore { store in
      let grants = StoredGrants(store)
      try await store.createUser(first)
      try await grants.setConsent(["openid"], of: .demo, id: first.id, client: "app", now: noon)
      #expect(try await grants.consent(of: .demo, client: "app") == ["openid"])
      try await recreate(store)
      #expect(try await grants.consent(of: .demo, client: "app") == nil)
      try await grants.setConsent(["openid"], of: .demo, id: first.id, client: "app", now: noon)
      #expect(try await grants.consent(of: .demo, client: "app") == nil)
    }
  }

  @Test func `sign-ins under the name from before the account are not shown as the account's`() async throws {
    try await withEachStore { store in
      let activity = StoredActivity(store)
      func note(_ run: String, at date: Date) async throws {
        let attempt = SignInAttempt(
          realm: "alpha", run: run, journey: "Login", account: "demo", startedAt: date, latest: date,
          state: .failure, steps: [], address: "192.0.2.\(run)")
        try await activity.note([attempt], [])
      }
      try await store.createUser(first)
      try await note("1", at: noon + 1)
      _ = try await store.deleteUser(.demo)
      // A run of the old person that goes on.
      try await note("2", at: noon + 50)
      try await store.createUser(second)
      try await note("3", at: noon + 101)
      let marks = try await activity.marks(of: .demo, before: noon + 200, limit: 10)
      #expect(marks.map(\.address) == ["192.0.2.3"])
    }
  }

  @Test(arguments: [StoreKind.sqlite, .postgres])
  func `the name of who added to the ledger is forgotten when the day's count is over`(kind: StoreKind)
    async throws
  {
    try await withFolder { root in
      try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
      let place = try await BackupPlace.make(kind, in: root.appending(path: "server"))
      let store = try await place.open()
      try await store.createUser(first)
      _ = try await store.addEvidence(Self.record(first, at: noon), once: .fresh())
      _ = try await store.deleteUser(.demo)
      try await store.removeExpired(now: noon + 86_400)
      #expect(
        try await place.content()["evidence_use"]?.count == 1,
        "a clock that is behind still counts for that day")
      try await store.removeExpired(now: noon + 5 * 86_400)
      #expect(try await place.content()["evidence_use"] == [])
      try await store.close()
    }
  }
}
