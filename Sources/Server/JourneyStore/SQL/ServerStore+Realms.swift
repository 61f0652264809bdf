public import Foundation

extension ServerStore {
  /// The realms, with the version that they belong to.
  public func realms() async throws -> RealmList {
    // One statement, which sees one moment: the version stands in every row, and alone when there is no realm.
    let rows = try await rows("realms", RealmSQL.all, []) { row in
      (
        version: Int64(try row.integer("version")), name: try row.optionalText("name"),
        created: try row.optionalDate("created_at")
      )
    }
    var list = RealmList(version: rows.first?.version ?? 0, names: rows.compactMap(\.name))
    for row in rows { if let name = row.name { list.created[name] = row.created } }
    return list
  }

  /// A number that grows with every change of ``realms()``.
  public func realmsVersion() async throws -> Int64 {
    Int64(try await read(SQLStatement("SELECT version FROM realm_version").integer))
  }

  /// When the realm was created, most recently if its name was used before; `nil` for a realm that is configured or does not exist.
  public func realmCreation(_ name: String) async throws -> Date? {
    try await read(
      SQLStatement(
        "SELECT created_at FROM realms WHERE realm_key = ? AND deleted_at IS NULL", [RealmKey(name).realm]
      ).row(of: "realms") { try $0.date("created_at") })
  }

  /// Adds a realm; a caller needs ``Capability/administrate`` over the root realm. `alpha/branch` is a realm in the realm `alpha`. Throws
  /// ``StoreError/conflict(_:)`` when the name is there in any case, ``StoreError/missing(_:)`` when the realm that it is in was deleted, and
  /// ``StoreError/exhausted(_:)`` beyond ``RealmList/maximumCount``.
  public func createRealm(_ name: String, at date: Date, by caller: Caller?) async throws {
    let (key, parent) = (RealmKey(name).realm, RealmKey(name).parent)
    // The parent is locked before the version's row, as in a deletion: two transactions that lock in different orders would deadlock.
    let guarded = SQLQuestion<(Caller.Holder?, Void, Void, Int)>.all(
      .caller(caller, over: AccountKey(ofAll: "root")), parent.map { .requireRealm($0) } ?? .known(()),
      .silent([SQLStatement(RealmSQL.grow)]),
      SQLStatement("SELECT count(*) FROM realms WHERE deleted_at IS NULL").integer)
    try await write("realm \(name)") {
      .ask(guarded) { _, _, _, count in
        guard count < RealmList.maximumCount else {
          throw StoreError.exhausted("there are \(RealmList.maximumCount) realms")
        }
        return .next(
          .ask(SQLStatement(RealmSQL.create, [key, name, date]).isDone) {
            guard $0 else { throw StoreError.conflict("realm \(name)") }
            return .done(())
          })
      }
    }
  }

  /// Removes a realm: an empty one or, with `isForced`, one with all its accounts and applications and what belongs to them, in one
  /// transaction. Evidence and push decisions stay. The realm then takes no account until it is created again. A realm with realms in it
  /// stays, forced or not.
  public func deleteRealm(
    _ name: String, isForced: Bool, at date: Date, by caller: Caller?
  ) async throws -> RealmDeletion {
    let key = RealmKey(name).realm
    let guarded = SQLQuestion<(Caller.Holder?, Bool, Int, Int, Int)>.all(
      .caller(caller, over: AccountKey(ofAll: "root")), SQLStatement(RealmSQL.lock, [key]).flag,
      SQLStatement("SELECT count(*) FROM users WHERE realm_key = ?", [key]).integer,
      SQLStatement("SELECT count(*) FROM applications WHERE realm_key = ?", [key]).integer,
      SQLStatement(RealmSQL.branches, [key]).integer)
    return try await write("the end of realm \(name)") {
      .ask(guarded) { _, isThere, accounts, applications, realms in
        guard isThere else { return .done(.noSuchRealm) }
        guard realms == 0 else { return .done(.hasRealms(realms)) }
        guard isForced || accounts + applications == 0 else {
          return .done(.notEmpty(accounts: accounts, applications: applications))
        }
        return .done(
          .deleted(accounts: accounts, applications: applications),
          RealmSQL.removals.map { SQLStatement($0, [key]) }
            + [
              SQLStatement("UPDATE realms SET deleted_at = ?2 WHERE realm_key = ?1", [key, date]),
              SQLStatement(RealmSQL.grow),
            ])
      }
    }
  }
}

extension SQLQuestion where Value == Void {
  /// Part of a transaction that adds to a realm. It locks the realm's row until the end, so that a request that was under way when its
  /// realm was deleted leaves nothing in it.
  ///
  /// Reading the answer throws ``StoreError/missing(_:)`` when the realm was deleted.
  static func requireRealm(_ key: String) -> SQLQuestion {
    SQLStatement(RealmSQL.isDeleted, [key]).flag.map {
      if $0 { throw StoreError.missing("realm \(key)") }
    }
  }
}

private enum RealmSQL {
  static let all: SQL = """
    SELECT version, name, created_at FROM realm_version LEFT JOIN realms ON deleted_at IS NULL ORDER BY realm_key
    """
  static let create: SQL = """
    INSERT INTO realms AS known (realm_key, name, created_at) VALUES (?1, ?2, ?3)
    ON CONFLICT (realm_key) DO UPDATE SET name = ?2, created_at = ?3, deleted_at = NULL
      WHERE known.deleted_at IS NOT NULL
    """
  static let grow: SQL = "UPDATE realm_version SET version = version + 1"
  static let isDeleted: SQL = "SELECT deleted_at IS NOT NULL FROM realms WHERE realm_key = ? \(.heldByMany)"
  static let lock: SQL = "SELECT true FROM realms WHERE realm_key = ? AND deleted_at IS NULL \(.heldAlone)"
  static let branches: SQL = """
    SELECT count(*) FROM realms
      WHERE deleted_at IS NULL AND substr(realm_key, 1, length(CAST(?1 AS text)) + 1) = CAST(?1 AS text) || '/'
    """

  /// Foreign keys remove what belongs to accounts and applications. Failures are counted for unknown names, too. Keys that signed SSH
  /// certificates are revoked: another realm of that name must not accept what they signed.
  static let removals: [SQL] =
    (["users", "applications", "lockouts", "suspended_journeys"] + ActivitySQL.tables).map {
      "DELETE FROM \($0) WHERE realm_key = ?"
    } + [SQL(sqlite: "", postgres: "DELETE FROM locked_names WHERE realm_key = ?")] + SSHSQL.realmRemovals
}
