public import Foundation
internal import GRDB

extension SQLiteStore {
  public func createApplication(_ application: ApplicationRecord) async throws {
    let key = AccountKey(username: application.name, realm: application.realm)
    try await write("the application \(application.name) of realm \(application.realm)") { [quotas] db in
      try Self.requireRealm(key.realm, in: db)
      // The transaction holds the write lock, so nothing changes between the question and the insertion.
      let count =
        try db.all("applications", ApplicationSQL.count, [key.realm]) { try $0.integer() }.first ?? 0
      guard count < quotas.applicationsPerRealm else {
        throw StoreError.exhausted("realm \(application.realm) has \(count) applications")
      }
      try db.insert(application.row(key), into: "applications")
    }
  }

  public func application(id: String, realm: String) async throws -> ApplicationRecord? {
    let key = RealmKey(realm)
    return try await read { db in
      try db.all("applications", ApplicationSQL.one, [key.realm, id], ApplicationRecord.init).first
    }
  }

  public func applications(realm: String) async throws -> [ApplicationRecord] {
    let key = RealmKey(realm)
    return try await read { db in
      try db.all("applications", ApplicationSQL.ofRealm, [key.realm], ApplicationRecord.init)
    }
  }

  public func deleteApplication(id: String, realm: String) async throws -> ApplicationRecord? {
    let key = RealmKey(realm)
    return try await write("the application \(id)") { db in
      // Transactions go by foreign key.
      try db.all("applications", ApplicationSQL.delete, [key.realm, id], ApplicationRecord.init).first
    }
  }
}

// MARK: - Transactions

extension SQLiteStore {
  public func createTransaction(_ transaction: TransactionRecord) async throws {
    let key = RealmKey(transaction.realm)
    try await write("the transaction \(transaction.id)") { [quotas] db in
      let added = try db.change(
        TransactionSQL.insert,
        transaction.values(key, openLimit: quotas.openTransactionsPerApplication))
      guard added == 0 else { return }
      let isKnown = try db.all(
        "applications", TransactionSQL.hasApplication, [key.realm, transaction.applicationID]
      ) { try $0.flag() }
      throw transaction.refusal(
        hasApplication: isKnown == [true], openLimit: quotas.openTransactionsPerApplication)
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
        SharedSQL.decideTransaction,
        ["id": id, "realm": key.realm, "now": now] + decision.values) == 1
    }
  }
}

private enum ApplicationSQL {
  static let count = "SELECT count(*) FROM applications WHERE realm_key = ?"
  static let one = "SELECT \(ApplicationRecord.columns) FROM applications WHERE realm_key = ? AND id = ?"
  static let ofRealm =
    "SELECT \(ApplicationRecord.columns) FROM applications WHERE realm_key = ? ORDER BY name_key"
  static let delete =
    "DELETE FROM applications WHERE realm_key = ? AND id = ? RETURNING \(ApplicationRecord.columns)"
}

private enum TransactionSQL {
  /// Adds nothing when there is no such application in the realm, and when it has as many open transactions as it may.
  static let insert = """
    INSERT INTO transactions
      (realm_key, id, realm, application_id, username, account_id, journey, fields, created_at, expires_at, state)
    SELECT :realmKey, :id, :realm, id, :username,
      (SELECT account_id FROM users WHERE realm_key = :realmKey AND name_key = :nameKey),
      :journey, :fields, :createdAt, :expiresAt, 'pending'
      FROM applications WHERE realm_key = :realmKey AND id = :application AND :openLimit > (
        SELECT count(*) FROM transactions
          WHERE application_id = :application AND state = 'pending' AND expires_at > :createdAt)
    """
  static let hasApplication =
    "SELECT EXISTS (SELECT 1 FROM applications WHERE realm_key = ? AND id = ?)"
  static let one = "SELECT \(TransactionRecord.columns) FROM transactions WHERE id = ? AND realm_key = ?"
}
