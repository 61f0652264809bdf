public import Foundation

extension ServerStore {
  /// Adds the application. Throws ``StoreError/conflict(_:)`` when id or name are taken.
  public func createApplication(_ application: ApplicationRecord) async throws {
    let key = AccountKey(username: application.name, realm: application.realm)
    // The realm's own row is locked, so that nothing is added between the count and the insertion.
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
    try await read(ApplicationRecord.first(where: "realm_key = ? AND id = ?", [RealmKey(realm).realm, id]))
  }

  /// All applications of the realm, by name.
  public func applications(realm: String) async throws -> [ApplicationRecord] {
    try await read(
      ApplicationRecord.all(where: "realm_key = ? ORDER BY name_key", [RealmKey(realm).realm]))
  }

  /// Removes the application with all its transactions, so that none of them can be approved any more; the removed
  /// record, or `nil`.
  public func deleteApplication(id: String, realm: String) async throws -> ApplicationRecord? {
    // The foreign key removes the transactions.
    try await change(
      "the application \(id)",
      ApplicationRecord.first(
        of: "DELETE FROM applications WHERE realm_key = ? AND id = ?", [RealmKey(realm).realm, id]))
  }
}

// MARK: - Transactions

extension ServerStore {
  /// Adds the transaction. Throws ``StoreError/missing(_:)`` when its application is gone, and
  /// ``StoreError/conflict(_:)`` when the id is taken.
  public func createTransaction(_ transaction: TransactionRecord) async throws {
    let (key, limit) = (RealmKey(transaction.realm), quotas.openTransactionsPerApplication)
    let application = transaction.applicationID
    let hasApplication = SQLStatement(
      "SELECT true FROM applications WHERE realm_key = ? AND id = ? \(.held)", [key.realm, application])
    let insert = SQLStatement(
      TransactionSQL.insert,
      [
        "realmKey": key.realm, "id": transaction.id, "realm": transaction.realm, "application": application,
        "username": transaction.username, "journey": transaction.journey, "fields": transaction.fields,
        "createdAt": transaction.createdAt, "expiresAt": transaction.expiresAt, "openLimit": limit,
        "nameKey": transaction.username.map { AccountKey(username: $0, realm: transaction.realm).name },
      ])
    let (isKnown, isAdded) = try await change(
      "the transaction \(transaction.id)", .all(hasApplication.flag, insert.isDone))
    guard isKnown else { throw StoreError.missing("the application \(application)") }
    guard isAdded else {
      throw StoreError.exhausted("the application \(application) has \(limit) open transactions")
    }
  }

  /// The transaction of that id, also when it has expired; `nil` when there is none.
  public func transaction(id: String, realm: String) async throws -> TransactionRecord? {
    try await read(TransactionRecord.first(where: "id = ? AND realm_key = ?", [id, RealmKey(realm).realm]))
  }

  /// Decides a transaction that is open at `now`. `true` for exactly one caller; `false` when it has been decided, has
  /// expired, or is not there. This is one conditional write; it is durable when it returns.
  public func decideTransaction(
    id: String, realm: String, _ decision: TransactionDecision, now: Date
  ) async throws -> Bool {
    var (state, reason, approval) = ("approved", nil as String?, nil as TransactionApproval?)
    switch decision {
    case .approved(let given): approval = given
    case .refused(let given): (state, reason) = ("refused", given)
    }
    let update = SQLStatement(
      TransactionSQL.decide,
      [
        "now": now, "state": state, "reason": reason, "signer": approval?.username, "keyID": approval?.keyID,
        "jws": approval?.jws, "nonce": approval?.nonce, "signerID": approval?.accountID, "id": id,
        "realm": RealmKey(realm).realm,
      ])
    return try await change("the verdict on transaction \(id)", update.isDone)
  }
}

private enum TransactionSQL {
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
  static let decide: SQL = """
    UPDATE transactions
    SET decided_at = :now, state = :state, reason = :reason, signer = :signer, key_id = :keyID, jws = :jws,
      nonce = :nonce, account_id = coalesce(account_id, :signerID)
    WHERE id = :id AND realm_key = :realm AND state = 'pending' AND expires_at > :now
    """
}
