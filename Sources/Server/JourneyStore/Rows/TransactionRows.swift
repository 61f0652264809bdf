internal import Foundation
internal import StrictJSON

extension ApplicationRecord {
  package func row(_ key: AccountKey) -> StatementValues {
    [
      "realm_key": key.realm, "name_key": key.name, "id": id, "realm": realm, "name": name,
      "secret_hash": secretHash, "created_at": createdAt, "plain_proofs": takesPlainProofs,
    ]
  }

  package static let columns = StoreTable.applications.readColumns

  package init(_ row: StoredRow) throws {
    try self.init(
      id: row.text("id"), realm: row.text("realm"), name: row.text("name"),
      secretHash: row.bytes("secret_hash"), createdAt: row.date("created_at"),
      takesPlainProofs: row.flag("plain_proofs"))
  }
}

extension TransactionRecord {
  /// What is known at creation, by name, and how many open transactions the application may have.
  package func values(_ key: RealmKey, openLimit: Int) -> StatementValues {
    [
      "realmKey": key.realm, "id": id, "realm": realm, "application": applicationID, "username": username,
      "journey": journey, "fields": fields, "createdAt": createdAt, "expiresAt": expiresAt,
      "openLimit": openLimit,
      "nameKey": username.map { AccountKey(username: $0, realm: realm).name },
    ]
  }

  /// Why the transaction was not added.
  package func refusal(hasApplication: Bool, openLimit: Int) -> StoreError {
    hasApplication
      ? .exhausted("the application \(applicationID) has \(openLimit) open transactions")
      : .missing("the application \(applicationID)")
  }

  package static let columns = StoreTable.transactions.readColumns

  package init(_ row: StoredRow) throws {
    try self.init(
      id: row.text("id"), realm: row.text("realm"), applicationID: row.text("application_id"),
      username: row.optionalText("username"), journey: row.text("journey"), fields: row.object("fields"),
      createdAt: row.date("created_at"), expiresAt: row.date("expires_at"))
    accountID = try row.optionalText("account_id")
    decidedAt = try row.optionalDate("decided_at")
    switch try row.text("state") {
    case "approved":
      decision = .approved(
        try TransactionApproval(
          username: row.text("signer"), keyID: row.text("key_id"), jws: row.text("jws"),
          nonce: row.bytes("nonce")))
    case "refused": decision = .refused(reason: try row.text("reason"))
    default: decision = nil
    }
  }
}

extension TransactionDecision {
  /// What the decision writes, by name.
  package var values: StatementValues {
    var (state, reason, approval) = ("approved", nil as String?, nil as TransactionApproval?)
    switch self {
    case .approved(let given): approval = given
    case .refused(let given): (state, reason) = ("refused", given)
    }
    return [
      "state": state, "reason": reason, "signer": approval?.username, "keyID": approval?.keyID,
      "jws": approval?.jws, "nonce": approval?.nonce, "signerID": approval?.accountID,
    ]
  }
}
