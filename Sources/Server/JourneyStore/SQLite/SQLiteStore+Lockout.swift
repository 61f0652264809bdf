public import BindingFormats
public import Foundation
internal import GRDB
internal import StrictJSON

extension SQLiteStore {
  public func lockout(of account: UniversalID, scope: LockoutScope) async throws -> LockoutState {
    let key = AccountKey(account)
    return try await look { db in try Self.lockouts(key, scope, in: db).state }
  }

  static func lockouts(_ key: AccountKey, _ scope: LockoutScope, in db: Database) throws -> LockoutCounts {
    let device = try device(key, scope, in: db)
    let rows = try db.all("lockouts", LockoutSQL.read, [key.realm, key.name, device]) { row in
      (try row.text("kind"), try LockoutState(row))
    }
    return LockoutCounts(scope, Dictionary(uniqueKeysWithValues: rows))
  }

  /// What the column `device` has for a scope.
  private static func device(_ key: AccountKey, _ scope: LockoutScope, in db: Database) throws -> String {
    guard let device = scope.device, !device.isEmpty else { return "" }
    let values: StatementValues = [key.realm, key.name, device, LockoutScope.maximumDevices]
    return scope.column(
      hasRoom: try db.all("lockouts", LockoutSQL.hasRoom, values) { try $0.flag() } == [true])
  }

  public func recordFailure(
    of account: UniversalID, scope: LockoutScope, policy: LockoutPolicy, now: Date
  ) async throws -> LockoutState {
    let key = AccountKey(account)
    let forgets = strangers.isTime(of: quotas)
    return try await write("a failure of \(account.username)") { [quotas] db in
      var counts = try Self.lockouts(key, scope, in: db)
      try Self.recordFailure(key, scope, &counts, policy: policy, now: now, in: db)
      if forgets { try Self.forgetStrangers(beyond: quotas.failuresOfUnknownNames, in: db) }
      return counts.state
    }
  }

  /// Counts a failure. The caller's transaction holds the write lock, so nothing is counted between reading and writing.
  private static func recordFailure(
    _ key: AccountKey, _ scope: LockoutScope, _ counts: inout LockoutCounts, policy: LockoutPolicy, now: Date,
    in db: Database
  ) throws {
    let device = try device(key, scope, in: db)
    for (kind, state) in counts.addFailure(policy, at: now) {
      try db.change(
        LockoutSQL.write,
        [
          key.realm, key.name, kind, device, state.consecutiveFailures, state.lockCount, state.lockedUntil,
          now,
        ])
    }
  }

  /// A right try that has nothing to forget changes no page, and its commit waits for no disk.
  public func settleAttempt(
    of account: UniversalID, scope: LockoutScope, isRight: Bool, policy: LockoutPolicy, now: Date
  ) async throws -> Bool {
    let key = AccountKey(account)
    let forgets = !isRight && strangers.isTime(of: quotas)
    return try await write("a try of \(account.username)") { [quotas] db in
      var counts = try Self.lockouts(key, scope, in: db)
      guard !counts.state.isLocked(at: now) else { return false }
      if !isRight {
        try Self.recordFailure(key, scope, &counts, policy: policy, now: now, in: db)
        if forgets { try Self.forgetStrangers(beyond: quotas.failuresOfUnknownNames, in: db) }
      } else if counts.hasFailures {
        try Self.forgetFailures(of: key, scope, in: db)
      }
      return true
    }
  }

  /// Most sign-ins have nothing to forget, so a read that disturbs nobody comes first. It decides nothing but that: a
  /// failure counted after it is one that came after the success.
  public func recordSuccess(
    of account: UniversalID, scope: LockoutScope, now: Date
  ) async throws -> Bool {
    let key = AccountKey(account)
    let counts = try await look { db in try Self.lockouts(key, scope, in: db) }
    guard !counts.state.isLocked(at: now) else { return false }
    guard counts.hasFailures else { return true }
    return try await write("the success of \(account.username)") { db in
      guard try !Self.lockouts(key, scope, in: db).state.isLocked(at: now) else { return false }
      try Self.forgetFailures(of: key, scope, in: db)
      return true
    }
  }

  static func forgetFailures(of key: AccountKey, _ scope: LockoutScope, in db: Database) throws {
    let device = try device(key, scope, in: db)
    for kind in scope.counted {
      try db.change(
        "DELETE FROM lockouts WHERE realm_key = ? AND name_key = ? AND kind = ? AND device = ?",
        [key.realm, key.name, kind, device])
    }
  }

  public func unlock(of account: UniversalID, by caller: Caller?) async throws -> Bool {
    let key = AccountKey(account)
    return try await write("the locks of \(account.username)") { db in
      try Self.require(caller, over: key, in: db)
      return try db.change(
        "DELETE FROM lockouts WHERE realm_key = ? AND name_key = ?", [key.realm, key.name]) > 0
    }
  }

  public func locks(usernames: [String], realm: String, now: Date) async throws -> [String: AccountLocks] {
    let names = Dictionary(usernames.map { (AccountKey(username: $0, realm: realm).name, $0) }) { first, _ in
      first
    }
    let values: StatementValues = [RealmKey(realm).realm, JSONValue.strings(names.keys), now]
    let locks = try await read { db in
      try db.all("lockouts", LockoutSQL.ofNames, values) { row in
        (name: try row.text("name_key"), kind: try row.text("kind"), until: try row.date("until"))
      }
    }
    return [String: AccountLocks](names: names, locks: locks)
  }
}

// MARK: - Names that nobody has

extension SQLiteStore {
  /// Forgets the failures of names that nobody has, beyond the `number` of names that failed last. The names of accounts are
  /// never forgotten: their number is that of the accounts.
  static func forgetStrangers(beyond number: Int, in db: Database) throws {
    try db.change(
      """
      DELETE FROM lockouts WHERE (realm_key, name_key) IN (
        SELECT realm_key, name_key FROM lockouts AS old
          WHERE NOT EXISTS (SELECT 1 FROM users WHERE realm_key = old.realm_key AND name_key = old.name_key)
          GROUP BY realm_key, name_key ORDER BY max(latest_failure) DESC LIMIT -1 OFFSET ?)
      """, [number])
  }
}

private enum LockoutSQL {
  static let read = """
    SELECT kind, \(LockoutState.columns) FROM lockouts WHERE realm_key = ? AND name_key = ? AND device = ?
    """

  static let write = """
    INSERT INTO lockouts
      (realm_key, name_key, kind, device, consecutive_failures, lock_count, locked_until, latest_failure)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
    ON CONFLICT DO UPDATE SET consecutive_failures = ?5, lock_count = ?6, locked_until = ?7,
      latest_failure = max(latest_failure, ?8)
    """

  static let hasRoom = """
    SELECT EXISTS (SELECT 1 FROM lockouts WHERE realm_key = ?1 AND name_key = ?2 AND device = ?3)
      OR (SELECT count(DISTINCT device) FROM lockouts WHERE realm_key = ?1 AND name_key = ?2 AND device != '') < ?4
    """

  /// ?1 realm, ?2 names as a JSON array, ?3 now.
  static let ofNames = """
    SELECT name_key, kind, max(locked_until) AS until FROM lockouts
      WHERE realm_key = ?1 AND name_key IN (SELECT value FROM json_each(?2)) AND locked_until > ?3
      GROUP BY name_key, kind
    """
}
