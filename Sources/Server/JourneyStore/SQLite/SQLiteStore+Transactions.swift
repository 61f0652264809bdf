public import Foundation
internal import GRDB
internal import StrictJSON

extension SQLiteStore {
  public func createTransaction(_ transaction: TransactionRecord) async throws {
    let key = AccountKey.realm(transaction.realm)
    try await write("the transaction \(transaction.id)") { [quotas] db in
      let added = try db.change(
        TransactionSQL.insert, [key.realm] + transaction.values + [quotas.openTransactionsPerApplication])
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
    let key = AccountKey.realm(realm)
    return try await read { db in
      try db.all("transactions", TransactionSQL.one, [id, key.realm], TransactionRecord.init).first
    }
  }

  public func decideTransaction(
    id: String, realm: String, _ decision: TransactionDecision, now: Date
  ) async throws -> Bool {
    let key = AccountKey.realm(realm)
    return try await write("the verdict on transaction \(id)") { db in
      try db.change(
        TransactionSQL.decide, [id, key.realm, now.timeIntervalSince1970] + decision.values) == 1
    }
  }
}

private enum TransactionSQL {
  static let columns = """
    id, realm, application_id, username, journey, fields, created_at, expires_at, decided_at, state, reason, signer,
    key_id, jws, nonce
    """

  /// Adds nothing when there is no such application in the realm, and when it has as many open transactions as it may (?10).
  static let insert = """
    INSERT INTO transactions
      (realm_key, id, realm, application_id, username, journey, fields, created_at, expires_at, state)
    SELECT ?1, ?2, ?3, id, ?5, ?6, ?7, ?8, ?9, 'pending'
      FROM applications WHERE realm_key = ?1 AND id = ?4 AND ?10 > (
        SELECT count(*) FROM transactions
          WHERE application_id = ?4 AND state = 'pending' AND expires_at > ?8)
    """
  static let hasApplication =
    "SELECT EXISTS (SELECT 1 FROM applications WHERE realm_key = ? AND id = ?)"
  static let one = "SELECT \(columns) FROM transactions WHERE id = ? AND realm_key = ?"
  static let decide = """
    UPDATE transactions
    SET decided_at = ?3, state = ?4, reason = ?5, signer = ?6, key_id = ?7, jws = ?8, nonce = ?9
    WHERE id = ?1 AND realm_key = ?2 AND state = 'pending' AND expires_at > ?3
    """
}

extension TransactionRecord {
  /// What is known at creation, from `id` to `expires_at`.
  fileprivate var values: StatementArguments {
    [
      id, realm, applicationID, username, journey, JSONValue.object(fields).text,
      createdAt.timeIntervalSince1970,
      expiresAt.timeIntervalSince1970,
    ]
  }

  fileprivate init(_ row: inout StoredRow) throws {
    self.init(
      id: try row.text(), realm: try row.text(), applicationID: try row.text(),
      username: try row.optionalText(), journey: try row.text(), fields: try row.object(),
      createdAt: try row.date(), expiresAt: try row.date())
    decidedAt = try row.optionalDate()
    switch try row.text() {
    case "approved":
      _ = try row.optionalText()
      decision = .approved(
        TransactionApproval(
          username: try row.text(), keyID: try row.text(), jws: try row.text(), nonce: try row.bytes()))
    case "refused": decision = .refused(reason: try row.text())
    default: decision = nil
    }
  }
}

extension TransactionDecision {
  /// From `state` to `nonce`.
  fileprivate var values: StatementArguments {
    switch self {
    case .approved(let approval):
      [
        "approved", nil as String?, approval.username, approval.keyID, approval.jws, Data(approval.nonce),
      ]
    case .refused(let reason):
      ["refused", reason, nil as String?, nil as String?, nil as String?, nil as Data?]
    }
  }
}
