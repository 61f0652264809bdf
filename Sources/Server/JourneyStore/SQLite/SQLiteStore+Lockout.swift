public import Foundation
internal import GRDB
internal import Locking
internal import StrictJSON

extension SQLiteStore {
  public func lockout(username: String, realm: String) async throws -> LockoutState {
    let key = AccountKey(username: username, realm: realm)
    return try await read { db in try Self.lockout(key, in: db) }
  }

  static func lockout(_ key: AccountKey, in db: Database) throws -> LockoutState {
    try db.all("lockouts", readLockout, [key.realm, key.name], LockoutState.init).first ?? LockoutState()
  }

  private static let readLockout =
    "SELECT \(LockoutState.columns) FROM lockouts WHERE realm_key = ? AND name_key = ?"

  /// While a lock lasts nothing is counted, so that it ends when it was said to end.
  /// A policy without durations, or with a limit below 1, never locks.
  public func recordFailure(
    username: String, realm: String, policy: LockoutPolicy, now: Date
  ) async throws -> LockoutState {
    let key = AccountKey(username: username, realm: realm)
    let arguments = Self.failure(of: key, policy: policy, now: now)
    let forgets = isTimeToForgetStrangers()
    let state = try await write("a failure of \(username)") { [quotas] db in
      let state = try db.all("lockouts", Self.recordFailure(in: "lockouts"), arguments, LockoutState.init)
        .first
      if forgets { _ = try db.change(Self.forgetStrangers, [quotas.failuresOfUnknownNames]) }
      return state
    }
    guard let state else { throw StoreError.corrupt("table lockouts: a failure of \(username) left no row") }
    return state
  }

  /// Counting all rows at each failure would cost more than the failure, so it is done after every hundredth part of those
  /// that may stay.
  private func isTimeToForgetStrangers() -> Bool {
    let pause = max(1, quotas.failuresOfUnknownNames / 100)
    return countedFailures.withLock { count in
      count = (count + 1) % pause
      return count == 0
    }
  }

  /// Forgets the failures of names that nobody has, beyond the ?1 that failed last. The names of accounts are never
  /// forgotten: their number is that of the accounts.
  private static let forgetStrangers = """
    DELETE FROM lockouts WHERE (realm_key, name_key) IN (
      SELECT realm_key, name_key FROM lockouts AS old
        WHERE NOT EXISTS (SELECT 1 FROM users WHERE realm_key = old.realm_key AND name_key = old.name_key)
        ORDER BY latest_failure DESC LIMIT -1 OFFSET ?1)
    """

  /// The arguments of ``recordFailure(in:)``.
  static func failure(of key: AccountKey, policy: LockoutPolicy, now: Date) -> StatementArguments {
    let now = now.timeIntervalSince1970
    let locks = policy.failureLimit > 0 && !policy.durations.isEmpty
    let limit = locks ? policy.failureLimit : Int.max
    let durations = JSONValue.array(policy.durations.map { .number($0) }).text
    let firstLock = limit == 1 ? policy.durations.first.map { now + $0 } : nil
    return [key.realm, key.name, now, limit, durations, policy.durations.count - 1, firstLock]
  }

  /// ?1 realm, ?2 name, ?3 now, ?4 failures that lock, ?5 lengths of locks, ?6 index of the last one, ?7 end of the
  /// lock that the very first failure begins.
  ///
  /// `IS TRUE` because comparing with no `locked_until` gives neither true nor false.
  static func recordFailure(in table: String) -> String {
    """
    INSERT INTO \(table) (realm_key, name_key, consecutive_failures, lock_count, locked_until, latest_failure)
    VALUES (?1, ?2, ?7 IS NULL, ?7 IS NOT NULL, ?7, ?3)
    ON CONFLICT DO UPDATE SET
      consecutive_failures = CASE
        WHEN (locked_until > ?3) IS TRUE THEN consecutive_failures
        WHEN consecutive_failures + 1 >= ?4 THEN 0
        ELSE consecutive_failures + 1 END,
      lock_count = CASE
        WHEN (locked_until > ?3) IS TRUE THEN lock_count
        WHEN consecutive_failures + 1 >= ?4 THEN lock_count + 1
        ELSE lock_count END,
      locked_until = CASE
        WHEN (locked_until > ?3) IS TRUE THEN locked_until
        WHEN consecutive_failures + 1 >= ?4
          THEN ?3 + CAST(json_extract(?5, '$[' || min(lock_count, ?6) || ']') AS REAL)
        ELSE locked_until END,
      latest_failure = max(latest_failure, ?3)
    RETURNING \(LockoutState.columns)
    """
  }

  /// Most sign-ins have nothing to forget, so a read that disturbs nobody comes first. It decides nothing: a failure
  /// counted after it is one that came after the success.
  public func recordSuccess(username: String, realm: String) async throws {
    guard try await lockout(username: username, realm: realm) != LockoutState() else { return }
    let key = AccountKey(username: username, realm: realm)
    try await write("the success of \(username)") { db in try Self.forgetFailures(of: key, in: db) }
  }

  static func forgetFailures(of key: AccountKey, in db: Database) throws {
    _ = try db.change("DELETE FROM lockouts WHERE realm_key = ? AND name_key = ?", [key.realm, key.name])
  }
}

extension LockoutState {
  static let columns = "consecutive_failures, lock_count, locked_until"

  init(_ row: inout StoredRow) throws {
    self.init(
      consecutiveFailures: try row.integer(), lockCount: try row.integer(),
      lockedUntil: try row.optionalDate())
  }
}
