internal import Foundation
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
      _ = try db.change(ApplicationSQL.insert, [key.realm, key.name] + application.values)
    }
  }

  public func application(id: String, realm: String) async throws -> ApplicationRecord? {
    let key = AccountKey.realm(realm)
    return try await read { db in
      try db.all("applications", ApplicationSQL.one, [key.realm, id], ApplicationRecord.init).first
    }
  }

  public func applications(realm: String) async throws -> [ApplicationRecord] {
    let key = AccountKey.realm(realm)
    return try await read { db in
      try db.all("applications", ApplicationSQL.ofRealm, [key.realm], ApplicationRecord.init)
    }
  }

  public func deleteApplication(id: String, realm: String) async throws -> ApplicationRecord? {
    let key = AccountKey.realm(realm)
    return try await write("the application \(id)") { db in
      // Transactions go by foreign key.
      try db.all("applications", ApplicationSQL.delete, [key.realm, id], ApplicationRecord.init).first
    }
  }
}

private enum ApplicationSQL {
  static let columns = "id, realm, name, secret_hash, created_at, plain_proofs"

  static let insert =
    "INSERT INTO applications (realm_key, name_key, \(columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
  static let count = "SELECT count(*) FROM applications WHERE realm_key = ?"
  static let one = "SELECT \(columns) FROM applications WHERE realm_key = ? AND id = ?"
  static let ofRealm = "SELECT \(columns) FROM applications WHERE realm_key = ? ORDER BY name_key"
  static let delete = "DELETE FROM applications WHERE realm_key = ? AND id = ? RETURNING \(columns)"
}

extension ApplicationRecord {
  /// In the order of ``ApplicationSQL/columns``.
  fileprivate var values: StatementArguments {
    [id, realm, name, Data(secretHash), createdAt.timeIntervalSince1970, takesPlainProofs]
  }

  fileprivate init(_ row: inout StoredRow) throws {
    self.init(
      id: try row.text(), realm: try row.text(), name: try row.text(), secretHash: try row.bytes(),
      createdAt: try row.date(), takesPlainProofs: try row.flag())
  }
}
