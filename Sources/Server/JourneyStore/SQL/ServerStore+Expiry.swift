public import BindingFormats
public import Foundation

// MARK: - What counts once

extension ServerStore {
  /// Records `key` until `expiry`. `true` for exactly one caller; `false` when it was there already.
  /// This is one conditional write; it is durable when it returns.
  public func consume(_ key: [UInt8], until expiry: Date) async throws -> Bool {
    try await change("a consumed key", SQLStatement.consume(OnceKey(key: key, expiry: expiry)).isDone)
  }

  /// Prolongs the time for which `key` is remembered until `expiry`, if the key is stored with an earlier expiry. Durable when it returns.
  public func prolong(_ key: [UInt8], until expiry: Date) async throws {
    try await change("a consumed key", .prolonging(OnceKey(key: key, expiry: expiry)))
  }

  /// The time until which `key` is remembered; `nil` when the key is not stored.
  public func expiry(of key: [UInt8]) async throws -> Date? {
    try await look(
      SQLStatement("SELECT expires_at FROM consumed WHERE key = ?", [key])
        .row(of: "consumed") { try $0.date("expires_at") })
  }

  /// Consumes the step and reads the account. The account is not returned when the step was used before.
  public func user(_ account: UniversalID, using step: OnceKey) async throws -> StepReading {
    let (isFirst, user) = try await change(
      "an answered step", .all(SQLStatement.consume(step).decisive.isDone, .user(AccountKey(account))))
    return isFirst ? .first(user) : .used
  }
}

extension SQLStatement {
  /// Changes nothing when the key was consumed before.
  static func consume(_ key: OnceKey) -> SQLStatement {
    SQLStatement(
      "INSERT INTO consumed (key, expires_at) VALUES (?, ?) ON CONFLICT DO NOTHING", [key.key, key.expiry])
  }
}

extension [SQLStatement] {
  /// Prolongs a consumed key, such as the step that opens a session, if there is one.
  static func prolonging(_ key: OnceKey?) -> [SQLStatement] {
    key.map {
      [
        SQLStatement(
          "UPDATE consumed SET expires_at = ?2 WHERE key = ?1 AND expires_at < ?2", [$0.key, $0.expiry])
      ]
    } ?? []
  }
}

extension SQLQuestion where Value == Bool {
  /// Consumes a step, if there is one; the answer is `false` when it was consumed before.
  static func consuming(_ step: OnceKey?) -> SQLQuestion {
    step.map { SQLStatement.consume($0).decisive.isDone } ?? .known(true)
  }
}

// MARK: - Secrets

extension ServerStore {
  /// The secret of that name, generated when none is stored, and encrypted under the server key (``ServerKey``). Throws what `generate`
  /// throws, too.
  public func secret(
    named name: String, generate: @Sendable () throws -> [UInt8]
  ) async throws -> [UInt8] {
    if let stored = try await storedSecret(name) { return stored }
    // When two servers start at once, the first one's secret stays.
    let secret = try generate()
    try await write("the secret \(name)") {
      let sealed = try serverKey.seal(secret, named: name)
      return .certain(.silent([SQLStatement(ServerKeySQL.addSecret, [name, sealed])]))
    }
    guard let stored = try await storedSecret(name) else {
      throw StoreError.corrupt("table server_secrets: \(name) was stored and is not there")
    }
    return stored
  }
}

// MARK: - The removal of what has expired

extension ServerStore {
  /// Removes what has expired at `now`: sessions, grants, consumed keys, suspended journeys, push messages, runs and counts of activity,
  /// failures of names without an account and of single known devices when the last try was a day or longer ago, and transactions that expired
  /// 30 days or longer ago. Called now and then by the server.
  public func removeExpired(now: Date) async throws {
    try await removeExpired(now: now, machineTime: Date())
  }

  /// Removes what expired before `now`, minus the time by which this machine's clock is ahead of the database's.
  ///
  /// A server with a clock that is ahead must not remove what the others still need: a used proof would be accepted again.
  ///
  /// - Parameter machineTime: the time by this machine's clock, which is the same as `now` outside of tests.
  package func removeExpired(now: Date, machineTime: Date) async throws {
    let now = now - (try await lead(of: machineTime))
    for expiring in Expiring.all {
      let time = now.timeIntervalSince1970 - expiring.retention
      let end: any StoredValueConvertible = expiring.isByDay ? Int((time / 86_400).rounded(.down)) : time
      let statement = SQLStatement(
        expiring.removal, ["end": end, "now": now, "limit": Retention.portion])
      var removed = Retention.portion
      while removed == Retention.portion {
        removed = try await change("the removal of what has expired", statement.count)
      }
    }
  }
}

/// A table whose rows are removed when they have expired.
private struct Expiring: Sendable {
  /// Deletes expired rows by `:end` of the retention, `:now`, and `:limit`, the most rows at once. Servers that clean up at the same time
  /// skip each other's rows.
  let removal: SQL

  /// Seconds.
  let retention: TimeInterval
  let isByDay: Bool

  init(
    _ table: StoreTable, _ condition: String = "expires_at <= :end", after retention: TimeInterval = 0,
    isByDay: Bool = false
  ) {
    let key = table.key.joined(separator: ", ")
    let sql: SQL = """
      DELETE FROM \(table.name) WHERE (\(key)) IN (
        SELECT \(key) FROM \(table.name) AS old WHERE \(condition) LIMIT :limit \(.passingOverHeld))
      """
    removal = table.since[.sqlite] == nil ? SQL(sqlite: "", postgres: sql.postgres) : sql
    (self.retention, self.isByDay) = (retention, isByDay)
  }

  static let all = [
    Expiring(.pushDecisions, "decided_at <= :end", after: Retention.pushDecisions),
    Expiring(.pushMessages, after: Retention.pushMessages), Expiring(.sessions, "ends_at <= :end"),
    Expiring(.consumed, after: Retention.consumed), Expiring(.suspendedJourneys),
    Expiring(
      .lockouts,
      """
      latest_failure <= :end AND (locked_until > :now) IS NOT TRUE
        AND (device != '' OR NOT EXISTS (
          SELECT 1 FROM users WHERE realm_key = old.realm_key AND name_key = old.name_key))
      """, after: Retention.unknownNames),
    Expiring(.lockedNames, "latest <= :end", after: Retention.unknownNames),
    Expiring(.transactions, after: Retention.transactions),
    Expiring(.evidenceUse, "day < :end", after: Retention.evidenceUse, isByDay: true), Expiring(.grants),
    Expiring(.logoutNotices), Expiring(.journeyAttempts), Expiring(.activityCounts),
    Expiring(.sshCertificates, after: Retention.sshCertificates),
  ]
}
