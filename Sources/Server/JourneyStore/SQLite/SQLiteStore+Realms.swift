public import Foundation
internal import GRDB

extension SQLiteStore {
  public func realms() async throws -> RealmList {
    // One statement, which sees one moment: the version stands in every row, and alone when there is no realm.
    let rows = try await read { db in
      try db.all("realms", SharedSQL.realms, []) { row in
        (version: Int64(try row.integer("version")), name: try row.optionalText("name"))
      }
    }
    return RealmList(version: rows.first?.version ?? 0, names: rows.compactMap(\.name))
  }

  public func realmsVersion() async throws -> Int64 {
    try await read { db in
      try db.all("realm_version", "SELECT version FROM realm_version", []) { Int64(try $0.integer()) }.first
        ?? 0
    }
  }

  public func realmCreation(_ name: String) async throws -> Date? {
    let key = RealmKey(name).realm
    return try await read { db in
      try db.all("realms", SharedSQL.realmCreation, [key]) { try $0.date("created_at") }.first
    }
  }

  public func createRealm(_ name: String, at date: Date, by caller: Caller?) async throws {
    let key = RealmKey(name).realm
    try await write("realm \(name)") { db in
      try Self.require(caller, over: AccountKey(ofAll: "root"), in: db)
      if let parent = RealmKey(name).parent { try Self.requireRealm(parent, in: db) }
      let count = try db.all("realms", RealmSQL.count, []) { try $0.integer() }.first ?? 0
      guard count < RealmList.maximumCount else {
        throw StoreError.exhausted("there are \(RealmList.maximumCount) realms")
      }
      guard try db.change(RealmSQL.create, [key, name, date]) == 1 else {
        throw StoreError.conflict("realm \(name)")
      }
      try db.change(RealmSQL.grow, [])
    }
  }

  public func deleteRealm(
    _ name: String, isForced: Bool, at date: Date, by caller: Caller?
  ) async throws -> RealmDeletion {
    let key = RealmKey(name).realm
    return try await write("the end of realm \(name)") { db in
      try Self.require(caller, over: AccountKey(ofAll: "root"), in: db)
      let content = try db.all("users", RealmSQL.content, [key]) { row in
        (
          isThere: try row.flag("is_there"), accounts: try row.integer("accounts"),
          applications: try row.integer("applications"), realms: try row.integer("realms")
        )
      }.first
      guard let content, content.isThere else { return .noSuchRealm }
      guard content.realms == 0 else { return .hasRealms(content.realms) }
      let (accounts, applications) = (content.accounts, content.applications)
      guard isForced || accounts + applications == 0 else {
        return .notEmpty(accounts: accounts, applications: applications)
      }
      for statement in RealmSQL.removals { try db.change(statement, [key]) }
      try db.change(RealmSQL.delete, [key, date])
      try db.change(RealmSQL.grow, [])
      return .deleted(accounts: accounts, applications: applications)
    }
  }

  /// Part of the write that adds to a realm: a request that was under way when its realm was deleted leaves nothing in it.
  ///
  /// - Throws: ``StoreError/missing(_:)`` when the realm was deleted.
  static func requireRealm(_ key: String, in db: Database) throws {
    let isDeleted = try db.all("realms", RealmSQL.isDeleted, [key]) { try $0.flag() }.first
    if isDeleted == true { throw StoreError.missing("realm \(key)") }
  }
}

private enum RealmSQL {
  static let count = "SELECT count(*) FROM realms WHERE deleted_at IS NULL"
  static let create = """
    INSERT INTO realms (realm_key, name, created_at) VALUES (?1, ?2, ?3)
    ON CONFLICT DO UPDATE SET name = ?2, created_at = ?3, deleted_at = NULL WHERE deleted_at IS NOT NULL
    """
  static let grow = "UPDATE realm_version SET version = version + 1"
  static let delete = "UPDATE realms SET deleted_at = ?2 WHERE realm_key = ?1"
  static let isDeleted = "SELECT EXISTS (SELECT 1 FROM realms WHERE realm_key = ? AND deleted_at IS NOT NULL)"
  static let content = """
    SELECT EXISTS (SELECT 1 FROM realms WHERE realm_key = ?1 AND deleted_at IS NULL) AS is_there,
      (SELECT count(*) FROM users WHERE realm_key = ?1) AS accounts,
      (SELECT count(*) FROM applications WHERE realm_key = ?1) AS applications,
      (SELECT count(*) FROM realms WHERE deleted_at IS NULL AND substr(realm_key, 1, length(?1) + 1) = ?1 || '/')
        AS realms
    """
  /// What belongs to accounts and applications goes with them, by foreign key. Failures are counted for unknown names, too.
  static let removals =
    (["users", "applications", "lockouts", "suspended_journeys"] + ActivitySQL.tables).map {
      "DELETE FROM \($0) WHERE realm_key = ?"
    }
}
