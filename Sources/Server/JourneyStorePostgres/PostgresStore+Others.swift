package import BindingFormats
package import Foundation
package import JourneyStore

// MARK: - Applications and transactions

extension PostgresStore {
  package func createApplication(_ application: ApplicationRecord) async throws {
    let key = AccountKey(username: application.name, realm: application.realm)
    try await write("the application \(application.name) of realm \(application.realm)") {
      [quotas] transaction in
      try await transaction.requireRealm(key.realm)
      // The realm's own line, so that nothing is added between the question and the insertion.
      let answers = try await transaction.run([
        .lockName(AccountKey(ofAll: key.realm), application.createdAt.timeIntervalSince1970),
        Statement("SELECT count(*) FROM applications WHERE realm_key = ?", [key.realm]),
      ])
      let count = try answers[1].integer()
      guard count < quotas.applicationsPerRealm else {
        throw StoreError.exhausted("realm \(application.realm) has \(count) applications")
      }
      _ = try await transaction.run([.insert(application.row(key), into: "applications")])
    }
  }

  package func application(id: String, realm: String) async throws -> ApplicationRecord? {
    try await read(ApplicationSQL.one, [RealmKey(realm).realm, id])
      .all("applications", ApplicationRecord.init).first
  }

  package func applications(realm: String) async throws -> [ApplicationRecord] {
    try await read(ApplicationSQL.ofRealm, [RealmKey(realm).realm])
      .all("applications", ApplicationRecord.init)
  }

  package func deleteApplication(id: String, realm: String) async throws -> ApplicationRecord? {
    // Transactions go by foreign key.
    try await change("the application \(id)", Statement(ApplicationSQL.delete, [RealmKey(realm).realm, id]))[
      0
    ]
    .all("applications", ApplicationRecord.init).first
  }

  package func createTransaction(_ transaction: TransactionRecord) async throws {
    let (key, limit) = (RealmKey(transaction.realm), quotas.openTransactionsPerApplication)
    let answers = try await change(
      "the transaction \(transaction.id)",
      Statement(TransactionSQL.lockApplication, [key.realm, transaction.applicationID]),
      Statement(TransactionSQL.insert, transaction.values(key, openLimit: limit)))
    guard answers[1].count == 1 else {
      throw transaction.refusal(hasApplication: try answers[0].flag(), openLimit: limit)
    }
  }

  package func transaction(id: String, realm: String) async throws -> TransactionRecord? {
    try await read(TransactionSQL.one, [id, RealmKey(realm).realm])
      .all("transactions", TransactionRecord.init).first
  }

  package func decideTransaction(
    id: String, realm: String, _ decision: TransactionDecision, now: Date
  ) async throws -> Bool {
    let values: StatementValues = ["id": id, "realm": RealmKey(realm).realm, "now": now]
    return try await change(
      "the verdict on transaction \(id)", Statement(SharedSQL.decideTransaction, values + decision.values))[0]
      .count
      == 1
  }
}

private enum ApplicationSQL {
  static let one = "SELECT \(ApplicationRecord.columns) FROM applications WHERE realm_key = ? AND id = ?"
  static let ofRealm =
    "SELECT \(ApplicationRecord.columns) FROM applications WHERE realm_key = ? ORDER BY name_key"
  static let delete =
    "DELETE FROM applications WHERE realm_key = ? AND id = ? RETURNING \(ApplicationRecord.columns)"
}

private enum TransactionSQL {
  static let lockApplication =
    "SELECT true FROM applications WHERE realm_key = ? AND id = ? FOR NO KEY UPDATE"

  /// Adds nothing when there is no such application in the realm, and when it has as many open transactions as it may.
  static let insert = """
    INSERT INTO transactions
      (realm_key, id, realm, application_id, username, account_id, journey, fields, created_at, expires_at, state)
    SELECT :realmKey, :id, :realm, id, :username,
      (SELECT account_id FROM users WHERE realm_key = :realmKey AND name_key = :nameKey),
      :journey, :fields, :createdAt, :expiresAt, 'pending'
      FROM applications WHERE realm_key = :realmKey AND id = :application AND :openLimit > (
        SELECT count(*) FROM transactions WHERE realm_key = :realmKey
          AND application_id = :application AND state = 'pending' AND expires_at > :createdAt)
    """
  static let one = "SELECT \(TransactionRecord.columns) FROM transactions WHERE id = ? AND realm_key = ?"
}

// MARK: - Realms

extension PostgresStore {
  package func realms() async throws -> RealmList {
    // One statement, which sees one moment: the version stands in every row, and alone when there is no realm.
    let rows = try await read(SharedSQL.realms, []).all("realms") { row in
      (version: Int64(try row.integer("version")), name: try row.optionalText("name"))
    }
    return RealmList(version: rows.first?.version ?? 0, names: rows.compactMap(\.name))
  }

  package func realmsVersion() async throws -> Int64 {
    Int64(try await read("SELECT version FROM realm_version", []).integer())
  }

  package func realmCreation(_ name: String) async throws -> Date? {
    try await read(SharedSQL.realmCreation, [RealmKey(name).realm])
      .all("realms") { try $0.date("created_at") }.first
  }

  package func createRealm(_ name: String, at date: Date, by caller: Caller?) async throws {
    let key = RealmKey(name).realm
    try await write("realm \(name)") { transaction in
      try await transaction.require(caller, over: AccountKey(ofAll: "root"))
      // Before the version's row, as in a deletion: two transactions that lock in the other order would wait for each other.
      if let parent = RealmKey(name).parent { try await transaction.requireRealm(parent) }
      // The version's row is locked by changing it.
      let answers = try await transaction.run([Statement(RealmSQL.grow), Statement(RealmSQL.count)])
      guard try answers[1].integer() < RealmList.maximumCount else {
        throw StoreError.exhausted("there are \(RealmList.maximumCount) realms")
      }
      guard try await transaction.change(RealmSQL.create, [key, name, date]) == 1 else {
        throw StoreError.conflict("realm \(name)")
      }
    }
  }

  package func deleteRealm(
    _ name: String, isForced: Bool, at date: Date, by caller: Caller?
  ) async throws -> RealmDeletion {
    let key = RealmKey(name).realm
    return try await write("the end of realm \(name)") { transaction in
      try await transaction.require(caller, over: AccountKey(ofAll: "root"))
      let answers = try await transaction.run([
        Statement(RealmSQL.lock, [key]), Statement(RealmSQL.accounts, [key]),
        Statement(RealmSQL.applications, [key]), Statement(RealmSQL.realms, [key]),
      ])
      guard try answers[0].flag() else { return .noSuchRealm }
      let realms = try answers[3].integer()
      guard realms == 0 else { return .hasRealms(realms) }
      let (accounts, applications) = (try answers[1].integer(), try answers[2].integer())
      guard isForced || accounts + applications == 0 else {
        return .notEmpty(accounts: accounts, applications: applications)
      }
      for statement in RealmSQL.removals { transaction.later(statement, [key]) }
      transaction.later(RealmSQL.delete, [key, date])
      transaction.later(RealmSQL.grow)
      return .deleted(accounts: accounts, applications: applications)
    }
  }
}

extension PostgresTransaction {
  /// Part of the transaction that adds to a realm: a request that was under way when its realm was deleted leaves nothing in
  /// it, for the realm's row is kept as it is until the end.
  ///
  /// - Throws: ``StoreError/missing(_:)`` when the realm was deleted.
  func requireRealm(_ key: String) async throws {
    if try await run(RealmSQL.isDeleted, [key]).flag() { throw StoreError.missing("realm \(key)") }
  }
}

private enum RealmSQL {
  static let count = "SELECT count(*) FROM realms WHERE deleted_at IS NULL"
  static let create = """
    INSERT INTO realms AS known (realm_key, name, created_at) VALUES (?1, ?2, ?3)
    ON CONFLICT (realm_key) DO UPDATE SET name = ?2, created_at = ?3, deleted_at = NULL
      WHERE known.deleted_at IS NOT NULL
    """
  static let grow = "UPDATE realm_version SET version = version + 1"
  static let delete = "UPDATE realms SET deleted_at = ?2 WHERE realm_key = ?1"
  static let isDeleted = "SELECT deleted_at IS NOT NULL FROM realms WHERE realm_key = ? FOR SHARE"
  static let lock = "SELECT true FROM realms WHERE realm_key = ? AND deleted_at IS NULL FOR UPDATE"
  static let accounts = "SELECT count(*) FROM users WHERE realm_key = ?"
  static let applications = "SELECT count(*) FROM applications WHERE realm_key = ?"
  static let realms = """
    SELECT count(*) FROM realms WHERE deleted_at IS NULL AND substr(realm_key, 1, length(?1::text) + 1) = ?1::text || '/'
    """

  /// What belongs to accounts and applications goes with them, by foreign key. Failures are counted for unknown names, too.
  static let removals =
    (["users", "applications", "lockouts", "locked_names", "suspended_journeys"] + ActivitySQL.tables).map {
      "DELETE FROM \($0) WHERE realm_key = ?"
    }
}

// MARK: - Secrets, and what is kept until it expires

extension PostgresStore {
  /// Secrets are encrypted under the server key; see ``ServerKey``.
  package func secret(named name: String, generate: @Sendable () -> [UInt8]) async throws -> [UInt8] {
    if let sealed = try await read([SecretSQL.one(name)])[0].sealedSecret() {
      return try serverKey.open(sealed, named: name, in: "server_secrets")
    }
    // Of two servers that start at once, the first one's stays.
    let secret = generate()
    _ = try await sealing {
      try await change("the secret \(name)", SecretSQL.add(name, serverKey.seal(secret, named: name)))
    }
    guard let stored = try await read([SecretSQL.one(name)])[0].sealedSecret() else {
      throw StoreError.corrupt("table server_secrets: \(name) was stored and is not there")
    }
    return try serverKey.open(stored, named: name, in: "server_secrets")
  }

  package func consume(_ key: [UInt8], until expiry: Date) async throws -> Bool {
    try await change("a consumed key", OnceSQL.consume(key, until: expiry))[0].count == 1
  }

  package func prolong(_ key: [UInt8], until expiry: Date) async throws {
    try await change("a consumed key", OnceSQL.prolong(OnceKey(key: key, expiry: expiry)))
  }

  package func expiry(of key: [UInt8]) async throws -> Date? {
    try await read(SharedSQL.expiryOfConsumed, [key]).all("consumed") { try $0.date("expires_at") }.first
  }

  /// One round trip. The account of a step that was used before is read, too, and not told.
  package func user(_ account: UniversalID, using step: OnceKey) async throws -> StepReading {
    let key = AccountKey(account)
    let answers = try await change(
      "an answered step", OnceSQL.consume(step.key, until: step.expiry),
      Statement(UserSQL.one, [key.realm, key.name]))
    guard answers[0].count == 1 else { return .used }
    return .first(try answers[1].all("users", UserRecord.init).first)
  }

  package func removeExpired(now: Date) async throws {
    try await removeExpired(now: now, machineTime: Date())
  }

  /// Removes what expired before `now`, earlier by as much as this machine's clock is ahead of the database's.
  ///
  /// A server with a clock that is ahead must not remove what the others still need: a used proof would be accepted again.
  ///
  /// - Parameter machineTime: the time by this machine's clock, which is the same as `now` outside of tests.
  package func removeExpired(now: Date, machineTime: Date) async throws {
    let databaseTime = try await read(OnceSQL.time, []).all("") { try $0.date("time") }.first
    let now = now - max(0, databaseTime.map { machineTime.timeIntervalSince($0) } ?? 0)
    for sql in OnceSQL.removals {
      var removed = Retention.portion
      while removed == Retention.portion {
        removed = try await change(
          "the removal of what has expired", Statement(sql, [now, Retention.portion]))[0].count
      }
    }
  }
}

enum SecretSQL {
  static func one(_ name: String) -> Statement {
    Statement("SELECT sealed FROM server_secrets WHERE name = ?", [name])
  }

  static func add(_ name: String, _ sealed: [UInt8]) -> Statement {
    .insert(["name": name, "sealed": sealed], into: "server_secrets", onConflict: "ON CONFLICT DO NOTHING")
  }
}

extension Answer {
  /// Of ``SecretSQL/one(_:)``.
  func sealedSecret() throws -> [UInt8]? { try all("server_secrets") { try $0.bytes() }.first }
}

enum OnceSQL {
  static let time = "SELECT extract(epoch FROM clock_timestamp())::double precision AS time"

  static func consume(_ key: [UInt8], until expiry: Date) -> Statement {
    .insert(["key": key, "expires_at": expiry], into: "consumed", onConflict: "ON CONFLICT DO NOTHING")
  }

  /// Of a step, if there is one.
  static func consume(_ step: OnceKey?) -> [Statement] {
    step.map { [consume($0.key, until: $0.expiry)] } ?? []
  }

  /// Of what makes a session, if anything does.
  static func prolong(_ key: OnceKey?) -> [Statement] {
    key.map { [Statement(SharedSQL.prolongConsumed, [$0.key, $0.expiry])] } ?? []
  }

  /// ?1 now, ?2 most rows at once. Servers that clean up at the same time pass over each other's rows.
  static let removals = [
    ("push_decisions", "realm_key, message_id", "decided_at <= ?1 - \(Int(Retention.pushDecisions))"),
    ("push_messages", "realm_key, id", "expires_at <= ?1 - \(Int(Retention.pushMessages))"),
    ("sessions", "token_hash", "ends_at <= ?1"),
    ("consumed", "key", "expires_at <= ?1 - \(Int(Retention.consumed))"),
    ("suspended_journeys", "realm_key, id_hash", "expires_at <= ?1"),
    (
      "lockouts", "realm_key, name_key, kind, device",
      """
      latest_failure <= ?1 - \(Int(Retention.unknownNames)) AND (locked_until > ?1) IS NOT TRUE
        AND (device != '' OR NOT EXISTS (
          SELECT 1 FROM users WHERE realm_key = old.realm_key AND name_key = old.name_key))
      """
    ),
    ("locked_names", "realm_key, name_key", "latest <= ?1 - \(Int(Retention.unknownNames))"),
    ("transactions", "realm_key, id", "expires_at <= ?1 - \(Int(Retention.transactions))"),
    (
      "evidence_use", "realm_key, name_key",
      "day < floor((?1 - \(Int(Retention.evidenceUse))) / 86400)::bigint"
    ),
  ].map { table, key, condition in
    """
    DELETE FROM \(table) WHERE (\(key)) IN (
      SELECT \(key) FROM \(table) AS old WHERE \(condition) LIMIT ?2 FOR UPDATE SKIP LOCKED)
    """
  }
}
