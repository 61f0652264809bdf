public import Foundation

extension ServerStore {
  /// Adds the application. Throws ``StoreError/conflict(_:)`` when id or name are taken.
  public func createApplication(_ application: ApplicationRecord) async throws {
    let key = AccountKey(username: application.name, realm: application.realm)
    // The realm's own line is held, so that nothing is added between the question and the insertion.
    let line = AccountKey(ofAll: key.realm)
    let guarded = SQLQuestion<(Void, Void, Int)>.all(
      .requireRealm(key.realm),
      .silent([.lock(name: line, application.createdAt.timeIntervalSince1970)]),
      SQLStatement("SELECT count(*) FROM applications WHERE realm_key = ?", [key.realm]).integer)
    try await write("the application \(application.name) of realm \(application.realm)") { [quotas] in
      .ask(guarded) { _, _, count in
        guard count < quotas.applicationsPerRealm else {
          throw StoreError.exhausted("realm \(application.realm) has \(count) applications")
        }
        return .done((), [.insert(application.row(key), into: "applications")])
      }
    }
  }

  /// The application of that id, or `nil`.
  public func application(id: String, realm: String) async throws -> ApplicationRecord? {
    try await read(
      SQLStatement(ApplicationSQL.one, [RealmKey(realm).realm, id])
        .row(of: "applications", ApplicationRecord.init))
  }

  /// All applications of the realm, by name.
  public func applications(realm: String) async throws -> [ApplicationRecord] {
    try await rows(
      "applications", ApplicationSQL.ofRealm, [RealmKey(realm).realm], ApplicationRecord.init)
  }

  /// Removes the application with all its transactions, so that none of them can be approved any more; the removed
  /// record, or `nil`.
  public func deleteApplication(id: String, realm: String) async throws -> ApplicationRecord? {
    // Transactions go by foreign key.
    try await change(
      "the application \(id)",
      SQLStatement(ApplicationSQL.delete, [RealmKey(realm).realm, id])
        .row(of: "applications", ApplicationRecord.init))
  }
}

// MARK: - Transactions

extension ServerStore {
  /// Adds the transaction. Throws ``StoreError/missing(_:)`` when its application is gone, and
  /// ``StoreError/conflict(_:)`` when the id is taken.
  public func createTransaction(_ transaction: TransactionRecord) async throws {
    let (key, limit) = (RealmKey(transaction.realm), quotas.openTransactionsPerApplication)
    let hasApplication = SQLStatement(
      TransactionSQL.lockApplication, [key.realm, transaction.applicationID])
    let insert = SQLStatement(TransactionSQL.insert, transaction.values(key, openLimit: limit))
    let (isKnown, isAdded) = try await change(
      "the transaction \(transaction.id)", .all(hasApplication.flag, insert.isDone))
    guard isAdded else { throw transaction.refusal(hasApplication: isKnown, openLimit: limit) }
  }

  /// The transaction of that id, also when it has expired; `nil` when there is none.
  public func transaction(id: String, realm: String) async throws -> TransactionRecord? {
    try await read(
      SQLStatement(TransactionSQL.one, [id, RealmKey(realm).realm])
        .row(of: "transactions", TransactionRecord.init))
  }

  /// Decides a transaction that is open at `now`. `true` for exactly one caller; `false` when it has been decided, has
  /// expired, or is not there. This is one conditional write; it is durable when it returns.
  public func decideTransaction(
    id: String, realm: String, _ decision: TransactionDecision, now: Date
  ) async throws -> Bool {
    let values: StatementValues = ["id": id, "realm": RealmKey(realm).realm, "now": now]
    return try await change(
      "the verdict on transaction \(id)",
      SQLStatement(TransactionSQL.decide, values + decision.values).isDone)
  }
}

private enum ApplicationSQL {
  static let one: SQL =
    "SELECT \(ApplicationRecord.columns) FROM applications WHERE realm_key = ? AND id = ?"
  static let ofRealm: SQL =
    "SELECT \(ApplicationRecord.columns) FROM applications WHERE realm_key = ? ORDER BY name_key"
  static let delete: SQL =
    "DELETE FROM applications WHERE realm_key = ? AND id = ? RETURNING \(ApplicationRecord.columns)"
}

private enum TransactionSQL {
  static let lockApplication: SQL =
    "SELECT true FROM applications WHERE realm_key = ? AND id = ? \(.held)"

  /// Adds nothing when there is no such application in the realm, and when it has as many open transactions as it may.
  static let insert: SQL = """
    INSERT INTO transactions
      (realm_key, id, realm, application_id, username, account_id, journey, fields, created_at, expires_at, state)
    SELECT :realmKey, :id, :realm, id, :username,
      (SELECT account_id FROM users WHERE realm_key = :realmKey AND name_key = :nameKey),
      :journey, :fields, :createdAt, :expiresAt, 'pending'
      FROM applications WHERE realm_key = :realmKey AND id = :application AND :openLimit > (
        SELECT count(*) FROM transactions WHERE realm_key = :realmKey
          AND application_id = :application AND state = 'pending' AND expires_at > :createdAt)
    """
  static let one: SQL =
    "SELECT \(TransactionRecord.columns) FROM transactions WHERE id = ? AND realm_key = ?"
  static let decide: SQL = """
    UPDATE transactions
    SET decided_at = :now, state = :state, reason = :reason, signer = :signer, key_id = :keyID, jws = :jws,
      nonce = :nonce, account_id = coalesce(account_id, :signerID)
    WHERE id = :id AND realm_key = :realm AND state = 'pending' AND expires_at > :now
    """
}
