import BindingFormats
import Foundation
import GRDB
import StrictJSON
import Testing

@testable import JourneyStore

private func attempt(
  _ run: String, of account: String? = "mira", realm: String = "alpha", at second: Double = 0,
  _ state: SignInAttempt.State = .failure, steps: [SignInAttempt.Step] = [.sample("check", "false")],
  reason: String? = "the password is wrong"
) -> SignInAttempt {
  SignInAttempt(
    realm: realm, run: run, journey: "Login", account: account, startedAt: noon + second,
    latest: noon + second, state: state, steps: steps, reason: reason)
}

extension SignInAttempt.Step {
  fileprivate static func sample(_ node: String, _ outcome: String?) -> Self {
    Self(journey: "Login", node: node, name: "Node \(node)", type: "SampleNode", outcome: outcome)
  }
}

private func count(
  _ series: ActivityCount.Series, _ label: String, _ amount: Int, hour: Int = 0, realm: String = "alpha"
) -> ActivityCount {
  let start = ActivityCount.Grain.hour.period(of: noon)
  return ActivityCount(
    realm: realm, series: series, grain: .hour, period: start + hour * 3600, label: label, amount: amount)
}

/// Runs `body` with the activity of an empty store of each kind of database.
private func withEachActivity(_ body: (StoredActivity, any ServerStore) async throws -> Void) async throws {
  try await withEachStore { store in
    try await body(StoredActivity(store), store)
  }
}

@Suite("What has been going on, in the store") struct ActivityStoreTests {
  @Test func `an account's runs come back, the latest first, whole and without those of others`() async throws
  {
    try await withEachActivity { activity, _ in
      try await activity.note(
        [
          // The first part was before the name was known.
          attempt("r1", of: nil, .open, steps: [.sample("page", "")], reason: nil),
          attempt("r1", at: 9), attempt("r2", at: 20, .success, reason: nil), attempt("r3", of: "bob"),
          attempt("r4", realm: "beta", at: 30),
        ], [])
      let found = try await activity.attempts(
        of: UniversalID(username: "MIRA", realm: "alpha"), limit: 10)
      #expect(found.map(\.run) == ["r2", "r1"])
      #expect(found.last?.steps.map(\.outcome) == ["", "false"])
      #expect(found.last?.state == .failure && found.last?.reason == "the password is wrong")
      #expect(found.last?.startedAt == noon && found.last?.latest == noon + 9)
      #expect(
        try await activity.attempts(of: UniversalID(username: "mira", realm: "alpha"), limit: 1).map(\.run)
          == ["r2"])
      #expect(try await activity.attempt(run: "r3", realm: "alpha")?.account == "bob")
      #expect(try await activity.attempt(run: "r3", realm: "beta") == nil)
      #expect(
        try await activity.attempts(realm: "alpha", before: noon + 20, limit: 9).map(\.run).first == "r1")
    }
  }

  @Test func `what an account's runs came to is told without their texts, before a moment and for no other`()
    async throws
  {
    try await withEachActivity { activity, _ in
      try await activity.note(
        [
          attempt("r1", .open), attempt("r1", at: 9), attempt("r2", at: 20, .success),
          attempt("r3", of: "bob", at: 5), attempt("r4", realm: "beta", at: 6),
        ], [])
      let mira = UniversalID(username: "Mira", realm: "alpha")
      let marks = try await activity.marks(of: mira, before: .distantFuture, limit: 9)
      #expect(marks.map(\.state) == [.success, .failure, .open])
      #expect(marks.map(\.time) == [noon + 20, noon + 9, noon] && marks.allSatisfy { $0.journey == "Login" })
      #expect(try await activity.marks(of: mira, before: noon + 20, limit: 1).map(\.state) == [.failure])
      #expect(marks.allSatisfy { $0.address == nil }, "where they came from is not known")
    }
  }

  @Test func `an account's latest success is found behind any number of failures, and no earlier account's`()
    async throws
  {
    try await withEachActivity { activity, store in
      let mira = UniversalID(username: "Mira", realm: "alpha")
      #expect(try await activity.latestSuccess(of: mira) == nil)
      let failures = (0..<40).map { attempt("f\($0)", at: 30 + Double($0)) }
      try await activity.note(
        [
          attempt("r1", at: 1, .success), attempt("r2", at: 20, .success),
          attempt("r3", of: "bob", at: 90, .success),
          attempt("r4", realm: "beta", at: 90, .success),
        ] + failures, [])
      #expect(try await activity.latestSuccess(of: mira) == noon + 20)
      try await store.createUser(UserRecord(realm: "alpha", username: "mira", createdAt: noon + 25))
      #expect(try await activity.latestSuccess(of: mira) == nil)
    }
  }

  @Test func `where the parts of a run came from is kept, and the latest is the run's`() async throws {
    try await withEachActivity { activity, _ in
      var (first, second) = (attempt("r1", .open), attempt("r1", at: 9))
      (first.address, second.address) = ("192.0.2.7", "2001:db8::9")
      try await activity.note([first, second, attempt("r2", at: 20)], [])
      let mira = UniversalID(username: "Mira", realm: "alpha")
      #expect(
        try await activity.marks(of: mira, before: .distantFuture, limit: 9).map(\.address)
          == [nil, "2001:db8::9", "192.0.2.7"])
      #expect(try await activity.attempt(run: "r1", realm: "alpha")?.address == "2001:db8::9")
      #expect(try await activity.attempt(run: "r2", realm: "alpha")?.address == nil)
    }
  }

  @Test func `counts of several servers add up`() async throws {
    try await withTwoServers { one, other in
      let stores = [one, other].map { StoredActivity($0) }
      for store in stores {
        try await store.note(
          [],
          [
            count(.signIns, "success", 2), count(.signIns, "failure", 1),
            count(.signIns, "success", 5, hour: 1),
          ])
      }
      let found = try await stores[0].counts(
        .signIns, .hour, realm: "ALPHA", from: noon - 3600, to: noon + 3600)
      #expect(found.map(\.label) == ["failure", "success"])
      #expect(found.map(\.amount) == [2, 4])
    }
  }

  @Test func `connections are counted for their journey, and for no other whose name begins alike`()
    async throws
  {
    try await withEachActivity { activity, _ in
      let way = ActivityCount.edge(journey: "Login", node: "n", outcome: "true")
      try await activity.note(
        [],
        [
          count(.edges, way, 3), count(.edges, way, 4, hour: 2),
          count(.edges, ActivityCount.edge(journey: "LoginToo", node: "n", outcome: "true"), 9),
          count(.edges, way, 50, hour: -30),
        ])
      #expect(try await activity.edges(journey: "Login", realm: "alpha", since: noon - 3600) == [way: 7])
      #expect(ActivityCount.edge(of: way)?.node == "n")
    }
  }

  @Test func `what is old goes, and so does what is known of a name with its account or realm`() async throws
  {
    try await withEachActivity { activity, store in
      try await store.createUser(.sample("mira"))
      try await activity.note([attempt("r1"), attempt("r2", of: "bob")], [count(.signIns, "success", 1)])
      try await store.removeExpired(now: noon + SignInAttempt.retention - 1)
      #expect(try await activity.attempts(realm: "alpha", before: noon + 1, limit: 9).count == 2)
      _ = try await store.deleteUser(UniversalID(username: "mira", realm: "alpha"))
      #expect(try await activity.attempts(realm: "alpha", before: noon + 1, limit: 9).map(\.run) == ["r2"])
      try await store.removeExpired(now: noon + SignInAttempt.retention)
      #expect(try await activity.attempts(realm: "alpha", before: noon + 1, limit: 9).isEmpty)
      func counts() async throws -> Int {
        try await activity.counts(.signIns, .hour, realm: "alpha", from: noon - 3600, to: noon + 3600).count
      }
      #expect(try await counts() == 1)
      try await store.removeExpired(now: noon + ActivityCount.Grain.hour.retention + 1)
      #expect(try await counts() == 0)

      try await store.createRealm("gone", at: noon, by: nil)
      try await activity.note([attempt("r9", realm: "gone")], [])
      _ = try await store.deleteRealm("gone", isForced: true, at: noon, by: nil)
      #expect(try await activity.attempt(run: "r9", realm: "gone") == nil)
    }
  }

  @Test func `a run is bounded, and whatever stands in it comes back as it is`() async throws {
    try await withEachActivity { activity, _ in
      let hostile = "<script>'\"; DROP TABLE users; --\u{202E}"
      let steps = (0..<200).map { SignInAttempt.Step.sample("\($0) \(hostile)", nil) }
      try await activity.note(
        [attempt("r1", of: hostile, steps: steps, reason: String(repeating: "x", count: 5000))], [])
      let found = try #require(try await activity.attempt(run: "r1", realm: "alpha"))
      #expect(found.steps.count == SignInAttempt.mostSteps)
      #expect(found.steps.last?.node == "199 \(hostile)")
      #expect(found.reason?.count == 300)
    }
  }

  @Test func `devices are counted by kind, model and attestation`() async throws {
    try await withEachActivity { activity, store in
      try await store.createUser(.sample("demo"))
      #expect(try await activity.deviceCounts(realm: "alpha").isEmpty)
      _ = try await store.addBoundDevice(.sample(), limit: DeviceLimit(0))
      #expect(
        try await activity.deviceCounts(realm: "alpha").map { [$0.kind, $0.attestation, "\($0.count)"] }
          == [["bound", "none", "1"]])
      #expect(try await activity.deviceCounts(realm: "beta").isEmpty)
    }
  }

  @Test func `an account's runs, a realm's latest runs and a page of users are found by an index`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: folder) }
    let store = try SQLiteStore(directory: folder)
    defer { withExtendedLifetime(store) {} }
    let database = try DatabaseQueue(path: folder.appending(path: "sealring.sqlite").path)
    for (sql, index) in [
      (ActivitySQL.runsOfAccount, "journey_attempts_by_account"),
      (ActivitySQL.marksOfAccount, "journey_attempts_by_account"),
      (ActivitySQL.runsOfRealm, "journey_attempts_by_time"),
      (IdentitySQL.lookup, "identities_by_value"),
      (UserSQL.page, "sqlite_autoindex_users_1"),
    ] {
      let plan = try database.read { db in
        try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN \(sql.sqlite.replacing(/\?\d*|:\w+/, with: "'1'"))")
          .map { $0["detail"] as String }
      }
      #expect(plan.contains { $0.contains(index) }, "\(plan)")
      if index == "identities_by_value" {
        #expect(plan.contains { $0.contains("users_1 (realm_key=? AND name_key=?)") }, "\(plan)")
      }
      #expect(!plan.contains { $0.hasPrefix("SCAN users") || $0.hasPrefix("SCAN journey") }, "\(plan)")
    }
  }
}
