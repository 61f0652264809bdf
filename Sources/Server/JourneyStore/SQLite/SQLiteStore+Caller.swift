internal import Foundation
internal import GRDB

extension SQLiteStore {
  /// Judges the caller of a change inside the write that makes it.
  ///
  /// - Throws: ``StoreError/unauthorized(_:)`` when session, account or right are gone.
  static func require(_ caller: Caller?, over account: AccountKey, in db: Database) throws {
    guard let caller else { return }
    let found = try db.all(
      "sessions", CallerSQL.one, [Data(caller.tokenHash), caller.now.timeIntervalSince1970]
    ) { row in
      (realm: try row.text("realm_key"), name: try row.text("name_key"), roles: try row.roles())
    }.first
    guard let found else { throw StoreError.unauthorized("the session has ended meanwhile") }
    switch caller.right {
    case .ownAccount:
      guard found.realm == account.realm, found.name == account.name else {
        throw StoreError.unauthorized("the session is another account's")
      }
    case .capability(let capability):
      let target = try db.all("users", CallerSQL.roles, [account.realm, account.name]) { try $0.roles() }
        .first
      guard found.realm == "root" || found.realm == account.realm,
        capability.isGranted(to: found.roles, over: target)
      else { throw StoreError.unauthorized("the session's account no longer has the role that allows it") }
    }
  }
}

private enum CallerSQL {
  static let roleColumns = "users.is_administrator, users.is_help_desk, users.is_auditor"
  static let roles = "SELECT \(roleColumns) FROM users WHERE realm_key = ? AND name_key = ?"

  static let one = """
    SELECT users.realm_key, users.name_key, \(roleColumns)
      FROM sessions JOIN users USING (realm_key, name_key)
      WHERE sessions.token_hash = ? AND sessions.ends_at > ? AND users.is_active
    """
}
