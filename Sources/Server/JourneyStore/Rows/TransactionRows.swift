internal import Foundation
internal import StrictJSON

extension ApplicationRecord: StoredRecord {
  package func row(_ key: AccountKey) -> StatementValues {
    [
      "realm_key": key.realm, "name_key": key.name, "id": id, "realm": realm, "name": name,
      "secret_hash": secretHash, "created_at": createdAt, "plain_proofs": takesPlainProofs,
    ]
  }

  package static var table: StoreTable { .applications }

  package init(_ row: StoredRow) throws {
    try self.init(
      id: row.text("id"), realm: row.text("realm"), name: row.text("name"),
      secretHash: row.bytes("secret_hash"), createdAt: row.date("created_at"),
      takesPlainProofs: row.flag("plain_proofs"))
  }
}

extension TransactionRecord: StoredRecord {
  package static var table: StoreTable { .transactions }

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
