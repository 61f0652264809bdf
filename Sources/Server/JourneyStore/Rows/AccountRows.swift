internal import Foundation
internal import StrictJSON

extension UserRecord: StoredRecord {
  package func row(_ key: AccountKey) -> StatementValues {
    [
      "realm_key": key.realm, "name_key": key.name, "realm": realm, "username": username,
      "password_hash": passwordHash, "is_active": isActive, "is_administrator": isAdministrator,
      "is_help_desk": roles.contains(.helpDesk), "is_auditor": roles.contains(.auditor),
      "mail": JSONValue.strings(mail), "attributes": attributes, "created_at": createdAt, "account_id": id,
      "password_version": passwordVersion, "must_change_password": mustChangePassword,
      "password_expires_at": passwordExpiry, "revision": revision,
    ]
  }

  package static var table: StoreTable { .users }

  package init(_ row: StoredRow) throws {
    try self.init(
      realm: row.text("realm"), username: row.text("username"),
      passwordHash: row.optionalText("password_hash"), isActive: row.flag("is_active"),
      mail: row.strings("mail"), attributes: row.object("attributes"), createdAt: row.date("created_at"),
      id: row.text("account_id"), passwordVersion: row.integer("password_version"),
      mustChangePassword: row.flag("must_change_password"),
      passwordExpiry: row.optionalDate("password_expires_at"), roles: row.roles(),
      revision: row.integer("revision"))
  }
}

extension AccountRole {
  package static let columns = allCases.map { "users.\($0.column)" }.joined(separator: ", ")

  /// The column that says whether an account has the role.
  package var column: String {
    switch self {
    case .administrator: "is_administrator"
    case .helpDesk: "is_help_desk"
    case .auditor: "is_auditor"
    }
  }
}

extension StoredRow {
  package func roles() throws -> Set<AccountRole> {
    Set(try AccountRole.allCases.filter { try flag($0.column) })
  }
}

extension UserChange {
  /// The values of its statement, by name.
  package func values(_ key: AccountKey) -> StatementValues {
    var expiry: Date?
    if case .at(let date) = passwordExpiry { expiry = date }
    return [
      "realm": key.realm, "name": key.name, "account": accountID, "mail": mail.map { JSONValue.strings($0) },
      "attributes": attributes, "isActive": isActive, "hash": password?.hash,
      "checked": password?.checkedVersion, "mustChange": mustChangePassword,
      "setsExpiry": passwordExpiry != nil,
      "expiry": expiry, "requiresActive": requiresActive, "revision": revision,
    ]
  }

  /// The outcome of a change that found no row, by the account that is there.
  package func failure(_ present: UserRecord?) -> UserChangeOutcome {
    guard let present, present.id == accountID, present.isActive || !requiresActive else {
      return .noSuchUser
    }
    return revision.map { $0 != present.revision } ?? false ? .revisionChanged : .passwordChanged
  }

  /// Whether the account has other values in the index afterwards.
  package var changesValues: Bool { mail != nil || attributes != nil }

  /// Whether the account's sessions end, and which one does not: the caller's, by the hash of its token.
  package var endsSessions: (Bool, kept: [UInt8]?) {
    let ends = password != nil || isActive == false
    return (ends, isActive == false ? nil : caller?.tokenHash)
  }
}

extension Caller {
  /// The account of the caller's session, as it is now.
  package struct Holder: Sendable {
    let key: AccountKey
    let roles: Set<AccountRole>

    package init(_ row: StoredRow) throws {
      key = AccountKey(username: try row.text("name_key"), realm: try row.text("realm_key"))
      roles = try row.roles()
    }
  }

  /// Judges the caller inside the write that makes the change.
  ///
  /// - Parameter target: the roles of the account that is changed; `nil` when there is none.
  /// - Throws: ``StoreError/unauthorized(_:)`` when session, account or right are gone.
  package func require(_ holder: Holder?, over account: AccountKey, with target: Set<AccountRole>?) throws {
    guard let holder else { throw StoreError.unauthorized("the session has ended meanwhile") }
    switch right {
    case .ownAccount:
      guard holder.key == account else { throw StoreError.unauthorized("the session is another account's") }
    case .capability(let capability):
      guard holder.key.realm == "root" || holder.key.realm == account.realm,
        capability.isGranted(to: holder.roles, over: target)
      else { throw StoreError.unauthorized("the session's account no longer has the role that allows it") }
    }
  }

  /// Refuses a role that a caller wants to grant to its own account.
  package func requireAnother(than holder: Holder?, _ account: AccountKey) throws {
    if holder?.key == account { throw StoreError.unauthorized("an account cannot grant a role to itself") }
  }
}

extension SessionRecord {
  /// The columns of sessions joined with their accounts.
  package static let columns = """
    sessions.token_hash, sessions.handle, sessions.realm, sessions.username, sessions.created_at, sessions.latest_access,
    sessions.maximum_idle, sessions.expires_at, sessions.properties, sessions.auth_level, sessions.service,
    sessions.authenticated_at, users.account_id
    """

  package init(_ row: StoredRow) throws {
    try self.init(
      tokenHash: row.bytes("token_hash"), handle: row.text("handle"), realm: row.text("realm"),
      username: row.text("username"), accountID: row.text("account_id"), createdAt: row.date("created_at"),
      latestAccess: row.date("latest_access"), maximumIdle: row.seconds("maximum_idle"),
      expiresAt: row.date("expires_at"), properties: row.object("properties"),
      authLevel: row.integer("auth_level"), service: row.optionalText("service"),
      authenticatedAt: row.date("authenticated_at"))
  }
}
