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

private enum ApplicationSQL {
  static let count = "SELECT count(*) FROM applications WHERE realm_key = ?"
  static let one = "SELECT * FROM applications WHERE realm_key = ? AND id = ?"
  static let ofRealm = "SELECT * FROM applications WHERE realm_key = ? ORDER BY name_key"
  static let delete = "DELETE FROM applications WHERE realm_key = ? AND id = ? RETURNING *"
}

extension ApplicationRecord {
  fileprivate func row(_ key: AccountKey) -> NewRow {
    NewRow([
      "realm_key": key.realm, "name_key": key.name, "id": id, "realm": realm, "name": name,
      "secret_hash": Data(secretHash), "created_at": createdAt.timeIntervalSince1970,
      "plain_proofs": takesPlainProofs,
    ])
  }

  fileprivate init(_ row: StoredRow) throws {
    self.init(
      id: try row.text("id"), realm: try row.text("realm"), name: try row.text("name"),
      secretHash: try row.bytes("secret_hash"), createdAt: try row.date("created_at"),
      takesPlainProofs: try row.flag("plain_proofs"))
  }
}
