public import Foundation
internal import GRDB
internal import StrictJSON

extension SQLiteStore {
  public func createTransaction(_ transaction: TransactionRecord) async throws {
    let key = RealmKey(transaction.realm)
    try await write("the transaction \(transaction.id)") { [quotas] db in
      let added = try db.change(
        TransactionSQL.insert,
        transaction.arguments(key, openLimit: quotas.openTransactionsPerApplication))
      guard added == 0 else { return }
      let isKnown = try db.all(
        "applications", TransactionSQL.hasApplication, [key.realm, transaction.applicationID]
      ) { try $0.flag() }
      guard isKnown == [true] else {
        throw StoreError.missing("the application \(transaction.applicationID)")
      }
      throw StoreError.exhausted(
        "the application \(transaction.applicationID) has \(quotas.openTransactionsPerApplication) open transactions"
      )
    }
  }

  public func transaction(id: String, realm: String) async throws -> TransactionRecord? {
    let key = RealmKey(realm)
    return try await read { db in
      try db.all("transactions", TransactionSQL.one, [id, key.realm], TransactionRecord.init).first
    }
  }

  public func decideTransaction(
    id: String, realm: String, _ decision: TransactionDecision, now: Date
  ) async throws -> Bool {
    let key = RealmKey(realm)
    return try await write("the verdict on transaction \(id)") { db in
      try db.change(
        TransactionSQL.decide,
        ["id": id, "realm": key.realm, "now": now.timeIntervalSince1970] + decision.arguments) == 1
    }
  }
}

private enum TransactionSQL {
  /// Adds nothing when there is no such application in the realm, and when it has as many open transactions as it may.
  static let insert = """
    INSERT INTO transactions
      (realm_key, id, realm, application_id, username, journey, fields, created_at, expires_at, state)
    SELECT :realmKey, :id, :realm, id, :username, :journey, :fields, :createdAt, :expiresAt, 'pending'
      FROM applications WHERE realm_key = :realmKey AND id = :application AND :openLimit > (
        SELECT count(*) FROM transactions
          WHERE application_id = :application AND state = 'pending' AND expires_at > :createdAt)
    """
  static let hasApplication =
    "SELECT EXISTS (SELECT 1 FROM applications WHERE realm_key = ? AND id = ?)"
  static let one = "SELECT * FROM transactions WHERE id = ? AND realm_key = ?"
  static let decide = """
    UPDATE transactions
    SET decided_at = :now, state = :state, reason = :reason, signer = :signer, key_id = :keyID, jws = :jws,
      nonce = :nonce
    WHERE id = :id AND realm_key = :realm AND state = 'pending' AND expires_at > :now
    """
}

extension TransactionRecord {
  /// For ``TransactionSQL/insert``: what is known at creation.
  fileprivate func arguments(_ key: RealmKey, openLimit: Int) -> StatementArguments {
    [
      "realmKey": key.realm, "id": id, "realm": realm, "application": applicationID, "username": username,
      "journey": journey, "fields": JSONValue.object(fields).text,
      "createdAt": createdAt.timeIntervalSince1970, "expiresAt": expiresAt.timeIntervalSince1970,
      "openLimit": openLimit,
    ]
  }

  fileprivate init(_ row: StoredRow) throws {
    self.init(
      id: try row.text("id"), realm: try row.text("realm"), applicationID: try row.text("application_id"),
      username: try row.optionalText("username"), journey: try row.text("journey"),
      fields: try row.object("fields"), createdAt: try row.date("created_at"),
      expiresAt: try row.date("expires_at"))
    decidedAt = try row.optionalDate("decided_at")
    switch try row.text("state") {
    case "approved":
      decision = .approved(
        TransactionApproval(
          username: try row.text("signer"), keyID: try row.text("key_id"), jws: try row.text("jws"),
          nonce: try row.bytes("nonce")))
    case "refused": decision = .refused(reason: try row.text("reason"))
    default: decision = nil
    }
  }
}

extension TransactionDecision {
  /// For ``TransactionSQL/decide``, beside the transaction's own.
  fileprivate var arguments: StatementArguments {
    var (state, reason, approval) = ("approved", nil as String?, nil as TransactionApproval?)
    switch self {
    case .approved(let given): approval = given
    case .refused(let given): (state, reason) = ("refused", given)
    }
    return [
      "state": state, "reason": reason, "signer": approval?.username, "keyID": approval?.keyID,
      "jws": approval?.jws, "nonce": approval.map { Data($0.nonce) },
    ]
  }
}
