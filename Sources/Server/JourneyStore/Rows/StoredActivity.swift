package import BindingFormats
internal import Bytes
package import Foundation
internal import StrictJSON

/// The store of activity: runs of journeys, counts for plots, and numbers of devices by kind. It is for people to look at: the server
/// decides nothing by it.
package struct StoredActivity: Sendable {
  private let store: any ServerStore
  private let randomBytes: @Sendable (Int) -> [UInt8]

  package init(
    _ store: any ServerStore, randomBytes: @escaping @Sendable (Int) -> [UInt8] = SystemRandom.bytes
  ) {
    self.store = store
    self.randomBytes = randomBytes
  }

  /// Adds parts of runs and counts, in one write. Counts add up with what is there.
  package func note(_ attempts: [SignInAttempt], _ counts: [ActivityCount]) async throws {
    guard !attempts.isEmpty || !counts.isEmpty else { return }
    let rows = attempts.map { attempt in
      SQLStatement(
        ActivitySQL.insertAttempt, attempt.values(part: randomBytes(6).hexadecimal))
    }
    // Sorted, so that two servers that count the same do not deadlock.
    let sorted = counts.sorted {
      ($0.realm, $0.series.rawValue, $0.grain.rawValue, $0.period, $0.label)
        < ($1.realm, $1.series.rawValue, $1.grain.rawValue, $1.period, $1.label)
    }
    let sums = sorted.map { SQLStatement(ActivitySQL.add, $0.values) }
    _ = try await store.change("what has been going on", rows + sums)
  }

  /// The latest runs in which the name was known, the latest first.
  package func attempts(of account: UniversalID, limit: Int) async throws -> [SignInAttempt] {
    let key = AccountKey(account)
    return try await latest(ActivitySQL.runsOfAccount, key.values, realm: key.realm, limit)
  }

  /// The states of the account's runs before `date`, the latest first: a mark for each pause of a run, and for its end. Runs from before
  /// the account was created are left out.
  package func marks(
    of account: UniversalID, before date: Date, limit: Int
  ) async throws -> [SignInAttempt.Mark] {
    try await store.rows(
      ActivitySQL.attempts, ActivitySQL.marksOfAccount,
      AccountKey(account).values + [date, max(1, min(limit, 1000))]
    ) {
      try SignInAttempt.Mark(
        journey: $0.text("journey"), state: $0.known("state"), time: $0.date("latest_at"),
        address: $0.optionalText("client_address"))
    }
  }

  /// The time of the account's latest successful run that is kept, however many others came after it; `nil` when there is none.
  package func latestSuccess(of account: UniversalID) async throws -> Date? {
    try await store.rows(ActivitySQL.attempts, ActivitySQL.latestSuccess, AccountKey(account).values) {
      try $0.date("latest_at")
    }.first
  }

  /// The realm's latest runs before `date`, the latest first.
  package func attempts(realm: String, before date: Date, limit: Int) async throws -> [SignInAttempt] {
    let realm = RealmKey(realm).realm
    return try await latest(ActivitySQL.runsOfRealm, [realm, date], realm: realm, limit)
  }

  /// One run; `nil` when it is not kept (any more).
  package func attempt(run: String, realm: String) async throws -> SignInAttempt? {
    try await whole([run], realm: RealmKey(realm).realm).first
  }

  /// The runs whose ids a statement finds, in the order of its rows.
  private func latest(
    _ sql: SQL, _ values: StatementValues, realm: String, _ limit: Int
  ) async throws -> [SignInAttempt] {
    // A run has a row for each pause that it made.
    let most: StatementValues = [max(1, min(limit, 200)) * 6]
    var seen: Set<String> = []
    let runs = try await store.rows(ActivitySQL.attempts, sql, values + most) { try $0.text("run_id") }
      .filter { seen.insert($0).inserted }
    return try await whole(Array(runs.prefix(max(0, limit))), realm: realm)
  }

  private func whole(_ runs: [String], realm: String) async throws -> [SignInAttempt] {
    guard !runs.isEmpty else { return [] }
    // Padded, so that there are few statements to prepare.
    let places = runs.count == 1 ? 1 : 200
    let padded = (runs + Array(repeating: "", count: max(0, places - runs.count))).prefix(places)
    let values = StatementValues(([realm] + padded).map(\.storedValue))
    let parts = try await store.rows(
      ActivitySQL.attempts, ActivitySQL.parts(places), values, SignInAttempt.init)
    var found: [String: SignInAttempt] = [:]
    for part in parts {
      if found[part.run] == nil { found[part.run] = part } else { found[part.run]?.add(part) }
    }
    return runs.compactMap { found[$0] }
  }

  /// The counts of a series from `start` on and before `end`, by period and label.
  package func counts(
    _ series: ActivityCount.Series, _ grain: ActivityCount.Grain, realm: String, from start: Date,
    to end: Date
  ) async throws -> [ActivityCount] {
    let realm = RealmKey(realm).realm
    return try await store.rows(
      ActivitySQL.counts,
      """
      SELECT period, label, amount FROM activity_counts
        WHERE realm_key = ? AND series = ? AND grain = ? AND period >= ? AND period < ? ORDER BY period, label
      """,
      [
        realm, series.rawValue, grain.rawValue, Int(start.timeIntervalSince1970),
        Int(end.timeIntervalSince1970),
      ]
    ) {
      try ActivityCount(
        realm: realm, series: series, grain: grain, period: $0.integer("period"), label: $0.text("label"),
        amount: $0.integer("amount"))
    }
  }

  /// How often each connection of the journey was taken since `start`, by ``ActivityCount/edge(journey:node:outcome:)``.
  package func edges(journey: String, realm: String, since start: Date) async throws -> [String: Int] {
    // Labels begin with the journey's name and a line feed.
    let first = ActivityCount.edge(journey: journey, node: "", outcome: "").prefix { $0 != "\n" }
    let rows = try await store.rows(
      ActivitySQL.counts,
      """
      SELECT label, amount FROM activity_counts
        WHERE realm_key = ? AND series = ? AND grain = ? AND period >= ? AND label >= ? AND label < ?
      """,
      [
        RealmKey(realm).realm, ActivityCount.Series.edges.rawValue, ActivityCount.Grain.hour.rawValue,
        ActivityCount.Grain.hour.period(of: start), "\(first)\n", "\(first)\u{B}",
      ]
    ) { (try $0.text("label"), try $0.integer("amount")) }
    return Dictionary(rows) { $0 + $1 }
  }

  /// How many devices the realm has, by kind, model and attestation. Looks at every device of the realm.
  package func deviceCounts(realm: String) async throws -> [DeviceCount] {
    try await store.rows("devices", ActivitySQL.devices, [RealmKey(realm).realm]) {
      try DeviceCount(
        kind: $0.text("kind"), model: $0.text("model"), attestation: $0.text("attestation"),
        count: $0.integer("devices"))
    }
  }
}

extension SignInAttempt {
  fileprivate func values(part: String) -> StatementValues {
    [
      RealmKey(realm).realm, run, part, account, journey, state.rawValue, stepsJSON, shortReason, startedAt,
      latest, latest.addingTimeInterval(Self.retention), address,
    ]
  }

  fileprivate static let columns = """
    realm_key, run_id, journey, name_key, started_at, latest_at, state, steps, reason, client_address
    """

  fileprivate init(_ row: StoredRow) throws {
    try self.init(
      realm: row.text("realm_key"), run: row.text("run_id"), journey: row.text("journey"),
      account: row.optionalText("name_key"), startedAt: row.date("started_at"), latest: row.date("latest_at"),
      state: row.known("state"), steps: Self.steps(from: try? JSONValue(parsing: row.text("steps"))),
      reason: row.optionalText("reason"), address: row.optionalText("client_address"))
  }
}

extension ActivityCount {
  fileprivate var values: StatementValues {
    [
      RealmKey(realm).realm, series.rawValue, grain.rawValue, period, label, amount,
      Date(timeIntervalSince1970: Double(period) + grain.retention),
    ]
  }
}

/// Statements about activity, the same in every database.
package enum ActivitySQL {
  static let attempts = "journey_attempts"
  static let counts = "activity_counts"

  // Constants, because every sign-in executes these statements.
  static let insertAttempt: SQL = """
    INSERT INTO journey_attempts
      (realm_key, run_id, part, name_key, journey, state, steps, reason, started_at, latest_at, expires_at,
        client_address)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
    """
  static let add: SQL = """
    INSERT INTO activity_counts (realm_key, series, grain, period, label, amount, expires_at)
    VALUES (?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (realm_key, series, grain, period, label)
      DO UPDATE SET amount = activity_counts.amount + excluded.amount
    """

  /// Reads from the index of the account, which has this order.
  package static let runsOfAccount: SQL = """
    SELECT run_id FROM journey_attempts WHERE realm_key = ? AND name_key = ? ORDER BY latest_at DESC LIMIT ?
    """
  package static let marksOfAccount: SQL = """
    SELECT journey, state, latest_at, client_address FROM journey_attempts
      WHERE realm_key = ?1 AND name_key = ?2 AND latest_at < ?3
        AND latest_at >= coalesce((SELECT created_at FROM users WHERE realm_key = ?1 AND name_key = ?2), 0)
      ORDER BY latest_at DESC LIMIT ?4
    """
  package static let latestSuccess: SQL = """
    SELECT latest_at FROM journey_attempts
      WHERE realm_key = ?1 AND name_key = ?2 AND state = 'success'
        AND latest_at >= coalesce((SELECT created_at FROM users WHERE realm_key = ?1 AND name_key = ?2), 0)
      ORDER BY latest_at DESC LIMIT 1
    """
  package static let runsOfRealm: SQL = """
    SELECT run_id FROM journey_attempts WHERE realm_key = ? AND latest_at < ? ORDER BY latest_at DESC LIMIT ?
    """

  static func parts(_ count: Int) -> SQL {
    """
    SELECT \(SignInAttempt.columns) FROM journey_attempts WHERE realm_key = ? AND run_id IN (\(Array(repeating: "?", count: count).joined(separator: ", ")))
      ORDER BY run_id, latest_at, part
    """
  }

  static let devices: SQL = """
    SELECT kind, model, attestation, count(*) AS devices FROM (
      SELECT 'bound' AS kind, CASE WHEN key LIKE '%"P-256"%' THEN 'P-256 key' WHEN key LIKE '%"P-384"%' THEN 'P-384 key'
        WHEN key LIKE '%"P-521"%' THEN 'P-521 key' WHEN key LIKE '%"kty":"RSA"%' THEN 'RSA key' ELSE 'other key' END AS model,
          CASE WHEN attestation IS NULL THEN 'none' WHEN attestation LIKE '%"kind":"tpm"%' THEN 'tpm'
            WHEN attestation LIKE '%"kind":"android"%' THEN 'android' ELSE 'other' END AS attestation
        FROM bound_devices WHERE realm_key = ?1
      UNION ALL SELECT 'webauthn', aaguid, attestation_format FROM webauthn_devices WHERE realm_key = ?1
      UNION ALL SELECT 'oath', CASE WHEN period IS NULL THEN 'HOTP' ELSE 'TOTP' END, 'none'
        FROM oath_devices WHERE realm_key = ?1
      UNION ALL SELECT 'push', device_type, 'none' FROM push_devices WHERE realm_key = ?1) AS all_devices
    GROUP BY kind, model, attestation ORDER BY kind, devices DESC, model, attestation LIMIT 500
    """

  /// Tables whose rows are deleted with their realm.
  package static let tables = [attempts, counts]
}
