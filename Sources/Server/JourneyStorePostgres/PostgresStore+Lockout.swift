package import BindingFormats
package import Foundation
package import JourneyStore
internal import StrictJSON

extension PostgresStore {
  package func lockout(of account: UniversalID, scope: LockoutScope) async throws -> LockoutState {
    let statement = LockoutSQL.read(AccountKey(account), scope)
    return try await read([statement])[0].lockouts(scope).counts.state
  }

  package func recordFailure(
    of account: UniversalID, scope: LockoutScope, policy: LockoutPolicy, now: Date
  ) async throws -> LockoutState {
    let key = AccountKey(account)
    let forgets = strangers.isTime(of: quotas)
    return try await write("a failure of \(account.username)") { transaction in
      var place = try await transaction.lockouts(key, scope, now)
      transaction.recordFailure(key, &place, policy: policy, now: now)
      if forgets { self.forgetStrangers(transaction) }
      return place.counts.state
    }
  }

  /// A right try that has nothing to forget is one read: it counts at the moment of that, before every failure that is
  /// counted later.
  package func settleAttempt(
    of account: UniversalID, scope: LockoutScope, isRight: Bool, policy: LockoutPolicy, now: Date
  ) async throws -> Bool {
    if isRight { return try await recordSuccess(of: account, scope: scope, now: now) }
    let key = AccountKey(account)
    let forgets = strangers.isTime(of: quotas)
    return try await write("a try of \(account.username)") { transaction in
      var place = try await transaction.lockouts(key, scope, now)
      guard !place.counts.state.isLocked(at: now) else { return false }
      transaction.recordFailure(key, &place, policy: policy, now: now)
      if forgets { self.forgetStrangers(transaction) }
      return true
    }
  }

  package func recordSuccess(
    of account: UniversalID, scope: LockoutScope, now: Date
  ) async throws -> Bool {
    let key = AccountKey(account)
    let counts = try await read([LockoutSQL.read(key, scope)])[0].lockouts(scope).counts
    guard !counts.state.isLocked(at: now) else { return false }
    guard counts.hasFailures else { return true }
    return try await write("the success of \(account.username)") { transaction in
      let place = try await transaction.lockouts(key, scope, now)
      guard !place.counts.state.isLocked(at: now) else { return false }
      transaction.forgetFailures(of: key, place, scope)
      return true
    }
  }

  package func unlock(of account: UniversalID, by caller: Caller?) async throws -> Bool {
    let key = AccountKey(account)
    return try await write("the locks of \(account.username)") { transaction in
      try await transaction.require(caller, over: key)
      return try await transaction.change(LockoutSQL.forgetAll, [key.realm, key.name]) > 0
    }
  }

  package func locks(usernames: [String], realm: String, now: Date) async throws -> [String: AccountLocks] {
    let names = Dictionary(usernames.map { (AccountKey(username: $0, realm: realm).name, $0) }) { first, _ in
      first
    }
    let values: StatementValues = [RealmKey(realm).realm, JSONValue.strings(names.keys), now]
    let locks = try await read(LockoutSQL.ofNames, values).all("lockouts") { row in
      (name: try row.text("name_key"), kind: try row.text("kind"), until: try row.date("until"))
    }
    return [String: AccountLocks](names: names, locks: locks)
  }

  /// Forgets the failures of names that nobody has, beyond the names that failed last and may stay. The names of accounts are
  /// never forgotten: their number is that of the accounts.
  private func forgetStrangers(_ transaction: PostgresTransaction) {
    transaction.later(LockoutSQL.forgetStrangers, [quotas.failuresOfUnknownNames])
    transaction.later(LockoutSQL.forgetLockedNames, [quotas.failuresOfUnknownNames])
  }
}

/// The counts of one scope, and where they stand.
struct LockoutPlace {
  var counts: LockoutCounts

  /// The column `device`.
  let device: String
}

extension Answer {
  /// Of ``LockoutSQL/read(_:_:)``.
  func lockouts(_ scope: LockoutScope) throws -> LockoutPlace {
    var (device, rows) = ("", [:] as [String: LockoutState])
    _ = try all("lockouts") { row in
      device = try row.text("place")
      if let kind = try row.optionalText("kind") { rows[kind] = try LockoutState(row) }
    }
    return LockoutPlace(counts: LockoutCounts(scope, rows), device: device)
  }
}

extension PostgresTransaction {
  /// The counts of a scope, which nobody else changes until the end of the transaction.
  func lockouts(_ key: AccountKey, _ scope: LockoutScope, _ now: Date) async throws -> LockoutPlace {
    try await run([.lockName(key, now.timeIntervalSince1970), LockoutSQL.read(key, scope)])[1].lockouts(scope)
  }

  func recordFailure(_ key: AccountKey, _ place: inout LockoutPlace, policy: LockoutPolicy, now: Date) {
    for (kind, state) in place.counts.addFailure(policy, at: now) {
      later(
        LockoutSQL.write,
        [
          key.realm, key.name, kind, place.device, state.consecutiveFailures, state.lockCount,
          state.lockedUntil, now,
        ])
    }
  }

  func forgetFailures(of key: AccountKey, _ place: LockoutPlace, _ scope: LockoutScope) {
    for kind in scope.counted {
      later(
        "DELETE FROM lockouts WHERE realm_key = ? AND name_key = ? AND kind = ? AND device = ?",
        [key.realm, key.name, kind, place.device])
    }
  }
}

enum LockoutSQL {
  /// At least one row, which says with which device a scope counts: with the one it names if that has a count, or can still
  /// get one.
  static func read(_ key: AccountKey, _ scope: LockoutScope) -> Statement {
    Statement(
      readSQL,
      [
        "realm": key.realm, "name": key.name, "device": scope.device ?? "",
        "most": LockoutScope.maximumDevices,
      ])
  }

  private static let readSQL = """
    SELECT place, kind, \(LockoutState.columns) FROM (
        SELECT CASE WHEN EXISTS (
              SELECT 1 FROM lockouts WHERE realm_key = :realm AND name_key = :name AND device = :device)
            OR (SELECT count(DISTINCT device) FROM lockouts
              WHERE realm_key = :realm AND name_key = :name AND device != '') < :most
          THEN :device ELSE '' END AS place) AS places
      LEFT JOIN lockouts ON realm_key = :realm AND name_key = :name AND device = place
    """

  static let write = """
    INSERT INTO lockouts
      (realm_key, name_key, kind, device, consecutive_failures, lock_count, locked_until, latest_failure)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
    ON CONFLICT (realm_key, name_key, kind, device) DO UPDATE SET consecutive_failures = ?5, lock_count = ?6,
      locked_until = ?7, latest_failure = greatest(lockouts.latest_failure, ?8)
    """

  static let forgetAll = "DELETE FROM lockouts WHERE realm_key = ? AND name_key = ?"

  static let forgetStrangers = """
    DELETE FROM lockouts WHERE (realm_key, name_key) IN (
      SELECT realm_key, name_key FROM lockouts AS old
        WHERE NOT EXISTS (SELECT 1 FROM users WHERE realm_key = old.realm_key AND name_key = old.name_key)
        GROUP BY realm_key, name_key ORDER BY max(latest_failure) DESC OFFSET ?)
    """

  /// The names that were locked last may stay, and those of accounts. Names that somebody is locking are passed over, so that nobody
  /// waits for another's try, and none is taken away under it.
  static let forgetLockedNames = """
    DELETE FROM locked_names WHERE (realm_key, name_key) IN (
      SELECT realm_key, name_key FROM locked_names AS old
        WHERE latest < (SELECT latest FROM locked_names ORDER BY latest DESC OFFSET ? LIMIT 1)
          AND NOT EXISTS (SELECT 1 FROM users WHERE realm_key = old.realm_key AND name_key = old.name_key)
        FOR UPDATE SKIP LOCKED)
    """

  /// ?1 realm, ?2 names as a JSON array, ?3 now.
  static let ofNames = """
    SELECT name_key, kind, max(locked_until) AS until FROM lockouts
      WHERE realm_key = ?1 AND name_key IN (SELECT json_array_elements_text(?2::json)) AND locked_until > ?3
      GROUP BY name_key, kind
    """
}
