public import BindingFormats
public import Foundation
internal import StrictJSON

extension ServerStore {
  /// The failures of the scope's kind; a name without failures has the empty state. A lock on guesses of any kind locks all guesses.
  public func lockout(of account: UniversalID, scope: LockoutScope = .passwords) async throws -> LockoutState
  {
    try await look(.lockouts(AccountKey(account), scope)).state
  }

  /// Records a try. A right one is ``recordSuccess(of:scope:now:)``. A wrong one is counted and begins a lock when the policy says so, in
  /// one conditional write. While a lock lasts nothing is counted, so that it ends at the announced time, and the answer is `false`.
  public func settleAttempt(
    of account: UniversalID, scope: LockoutScope = .passwords, isRight: Bool, policy: LockoutPolicy,
    now: Date
  ) async throws -> Bool {
    if isRight { return try await recordSuccess(of: account, scope: scope, now: now) }
    let key = AccountKey(account)
    let forgetting = forgettingStrangers
    return try await write("a try of \(account.username)") {
      .ask(.heldLockouts(key, scope, now)) { counts in
        counts.state.isLocked(at: now)
          ? .done(false) : .done(true, counts.addingFailure(key, policy, at: now) + forgetting)
      }
    }
  }

  /// Forgets the failures before a right try; `false` while a lock lasts.
  ///
  /// Most sign-ins have no failures to forget, so a read without locks comes first. A failure that is counted after this read counts as one
  /// after the success.
  public func recordSuccess(
    of account: UniversalID, scope: LockoutScope, now: Date
  ) async throws -> Bool {
    let key = AccountKey(account)
    let counts = try await look(.lockouts(key, scope))
    guard !counts.state.isLocked(at: now) else { return false }
    guard counts.hasFailures else { return true }
    return try await write("the success of \(account.username)") {
      .ask(.heldLockouts(key, scope, now)) {
        $0.state.isLocked(at: now) ? .done(false) : .done(true, $0.forgetting(key))
      }
    }
  }

  /// Forgets all failures and locks of the name, of every kind and device. Returns whether there were any.
  public func unlock(of account: UniversalID, by caller: Caller? = nil) async throws -> Bool {
    let key = AccountKey(account)
    return try await write("the locks of \(account.username)") {
      .ask(.caller(caller, over: key)) { _ in
        .next(.ask(SQLStatement.delete(from: "lockouts", of: key).count) { .done($0 > 0) })
      }
    }
  }

  /// The locks that last at `now`, by name; names without a lock are left out. At most a few hundred names.
  public func locks(usernames: [String], realm: String, now: Date) async throws -> [String: AccountLocks] {
    let names = Dictionary(usernames.map { (AccountKey(username: $0, realm: realm).name, $0) }) { first, _ in
      first
    }
    let values: StatementValues = [RealmKey(realm).realm, JSONValue.strings(names.keys), now]
    let locks = try await rows("lockouts", LockoutSQL.ofNames, values) { row in
      (name: try row.text("name_key"), kind: try row.text("kind"), until: try row.date("until"))
    }
    return [String: AccountLocks](names: names, locks: locks)
  }

  /// The statements that forget failures of names without an account, beyond the latest ones that may stay; empty unless it is time for
  /// that. Failures of accounts are never forgotten here: their number is limited by that of the accounts.
  private var forgettingStrangers: [SQLStatement] {
    guard context.strangers.isTime(of: quotas) else { return [] }
    let most: StatementValues = [quotas.failuresOfUnknownNames]
    return [
      SQLStatement(LockoutSQL.forgetStrangers, most), SQLStatement(LockoutSQL.forgetLockedNames, most),
    ]
  }
}

extension SQLQuestion where Value == LockoutCounts {
  static func lockouts(_ key: AccountKey, _ scope: LockoutScope) -> SQLQuestion {
    let values: StatementValues = [
      "device": scope.device ?? "", "realm": key.realm, "name": key.name, "most": LockoutScope.maximumDevices,
    ]
    let statement = SQLStatement(LockoutSQL.read, values)
    return statement.rows(of: "lockouts") { row in
      (
        device: try row.text("place"),
        state: try row.optionalText("kind").map { ($0, try LockoutState(row)) }
      )
    }.map { rows in
      LockoutCounts(
        scope, device: rows.first?.device ?? "", Dictionary(rows.compactMap(\.state)) { $1 })
    }
  }

  /// Like ``lockouts(_:_:)``, locked against changes by others until the end of the transaction.
  static func heldLockouts(_ key: AccountKey, _ scope: LockoutScope, _ now: Date) -> SQLQuestion {
    SQLQuestion<(Void, LockoutCounts)>.all(
      .silent([.lock(name: key, now.timeIntervalSince1970)]), .lockouts(key, scope)
    ).map { $1 }
  }
}

enum LockoutSQL {
  static func write(
    _ state: LockoutState, _ key: AccountKey, kind: String, device: String, _ now: Date
  ) -> SQLStatement {
    SQLStatement(
      write,
      [
        key.realm, key.name, kind, device, state.consecutiveFailures, state.lockCount, state.lockedUntil,
        now,
      ])
  }

  static func forget(_ key: AccountKey, kind: String, device: String) -> SQLStatement {
    SQLStatement(forget, [key.realm, key.name, kind, device])
  }

  private static let forget: SQL =
    "DELETE FROM lockouts WHERE realm_key = ? AND name_key = ? AND kind = ? AND device = ?"

  /// At least one row. Its `place` is the device that the scope counts for: the named one if it has a count, or can still get one.
  fileprivate static let read: SQL = """
    SELECT place, kind, \(LockoutState.columns) FROM (
        SELECT CASE WHEN :device = '' OR EXISTS (
              SELECT 1 FROM lockouts WHERE realm_key = :realm AND name_key = :name AND device = :device)
            OR (SELECT count(DISTINCT device) FROM lockouts
              WHERE realm_key = :realm AND name_key = :name AND device != '') < :most
          THEN :device ELSE '' END AS place) AS places
      LEFT JOIN lockouts ON realm_key = :realm AND name_key = :name AND device = place
    """

  private static let write: SQL = """
    INSERT INTO lockouts
      (realm_key, name_key, kind, device, consecutive_failures, lock_count, locked_until, latest_failure)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
    ON CONFLICT (realm_key, name_key, kind, device) DO UPDATE SET consecutive_failures = ?5, lock_count = ?6,
      locked_until = ?7, latest_failure = \(.greatest)(lockouts.latest_failure, ?8)
    """

  fileprivate static let forgetStrangers: SQL = """
    DELETE FROM lockouts WHERE (realm_key, name_key) IN (
      SELECT realm_key, name_key FROM lockouts AS old
        WHERE NOT EXISTS (SELECT 1 FROM users WHERE realm_key = old.realm_key AND name_key = old.name_key)
        GROUP BY realm_key, name_key ORDER BY max(latest_failure) DESC \(.unlimited) OFFSET ?)
    """

  /// Keeps the names that were locked last, and those of accounts. Skips names that another transaction is locking, so that no try waits
  /// for another, and no name is removed during a try.
  fileprivate static let forgetLockedNames = SQL(
    sqlite: "",
    postgres: """
      DELETE FROM locked_names WHERE (realm_key, name_key) IN (
        SELECT realm_key, name_key FROM locked_names AS old
          WHERE latest < (SELECT latest FROM locked_names ORDER BY latest DESC OFFSET ? LIMIT 1)
            AND NOT EXISTS (SELECT 1 FROM users WHERE realm_key = old.realm_key AND name_key = old.name_key)
          FOR UPDATE SKIP LOCKED)
      """)

  /// ?1 realm, ?2 names as a JSON array, ?3 now.
  fileprivate static let ofNames: SQL = """
    SELECT name_key, kind, max(locked_until) AS until FROM lockouts
      WHERE realm_key = ?1 AND name_key IN (\(.elements(of: "?2"))) AND locked_until > ?3
      GROUP BY name_key, kind
    """
}
