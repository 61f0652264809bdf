package import BindingFormats
package import Foundation
internal import StrictJSON

/// The grants of accounts to OpenID Connect clients: codes, refresh tokens and decoupled sign-ins, with the accounts' consents.
///
/// Each decision that must happen once is one conditional write.
package struct StoredGrants: Sendable {
  private let store: any ServerStore

  package init(_ store: any ServerStore) { self.store = store }

  /// Adds the grant if its account exists, is active, and still has the id and the password that the grant names, and if the session in
  /// which it is given is live. Removes the account's oldest grants beyond ``GrantLimits/perAccount``. `false` when nothing was added.
  ///
  /// The account is locked first, as when its sessions are ended: a grant is added before that and ends with them, or is not added.
  ///
  /// - Parameter session: the token's hash of the session in which the grant is given, if the grant does not end with it; `nil` for the
  ///   grant's own session.
  package func openGrant(_ grant: GrantRecord, in session: [UInt8]? = nil) async throws -> Bool {
    let key = AccountKey(grant.key.account)
    let given = session ?? grant.sessionHash
    let row: StatementValues = [
      "id": grant.key.id, "account_id": grant.mark.accountID, "password_version": grant.mark.version,
      "client_id": grant.clientID, "session_hash": grant.sessionHash, "details": try grant.details.stored,
      "created_at": grant.createdAt, "expires_at": grant.expiresAt, "ticket_hash": grant.ticketHash,
      "ticket_expires_at": grant.ticketExpiry,
    ]
    let insert = SQLStatement.insert(
      row, into: "grants",
      from: """
        users WHERE realm_key = ? AND name_key = ? AND is_active AND account_id = ? AND password_version = ?
          AND (? IS NULL OR EXISTS (SELECT 1 FROM sessions WHERE token_hash = ? AND ends_at > ?))
        """, [key.realm, key.name, grant.mark.accountID, grant.mark.version, given, given, grant.createdAt])
    let removeOldest = SQLStatement(
      GrantSQL.removeOldest, key.values + key.values + [grant.createdAt + 3600])
    return try await store.change("a grant", [.lock(key), insert, removeOldest])[1] == 1
  }

  /// The grant, also when it has ended; `nil` when there is none.
  package func grant(_ key: GrantKey) async throws -> GrantRecord? {
    try await store.read(
      GrantRecord.first(
        where: "realm_key = ? AND name_key = ? AND id = ?", AccountKey(key.account).values + [key.id]))
  }

  /// The account's grants that have not ended.
  package func grants(of account: UniversalID, now: Date) async throws -> [GrantRecord] {
    try await store.read(
      GrantRecord.all(
        where: """
          realm_key = ? AND name_key = ? AND ended_at IS NULL AND expires_at > ? ORDER BY created_at, id
          """, AccountKey(account).values + [now]))
  }

  /// Consumes the code, or the id of the decoupled sign-in: `true` for exactly one caller, and only while it is valid.
  ///
  /// - Parameters:
  ///   - details: the details of the grant from then on.
  ///   - refreshHash: the first refresh token; `nil` for none.
  package func redeemGrant(
    _ key: GrantKey, ticketHash: [UInt8], details: GrantDetails, refreshHash: [UInt8]?, now: Date
  ) async throws -> Bool {
    let values: StatementValues = [
      "ticket": ticketHash, "details": try details.stored, "refresh": refreshHash, "now": now,
    ]
    return try await isDone("a code", GrantSQL.redeem, values + key.values)
  }

  /// Replaces the refresh token of `oldHash` by the next one: `true` for exactly one caller, and only while the grant is valid.
  ///
  /// - Parameter details: the details of the grant from then on; `nil` keeps them.
  package func rotateGrant(
    _ key: GrantKey, oldHash: [UInt8], newHash: [UInt8], details: GrantDetails? = nil, now: Date
  ) async throws -> Bool {
    let values: StatementValues = [
      "old": oldHash, "new": newHash, "details": try details?.stored, "now": now,
    ]
    return try await isDone("a refresh token", GrantSQL.rotate, values + key.values)
  }

  /// Records that the client has asked for the outcome of a decoupled sign-in: `false` when it last asked after `notBefore`, or the grant
  /// is over.
  package func pollGrant(_ key: GrantKey, notBefore: Date, now: Date) async throws -> Bool {
    let values: StatementValues = ["notBefore": notBefore, "now": now]
    return try await isDone("a question for a sign-in", GrantSQL.poll, values + key.values)
  }

  /// Ends the grant with all its tokens; `false` when it had ended.
  package func endGrant(_ key: GrantKey, now: Date) async throws -> Bool {
    try await isDone("the end of a grant", GrantSQL.end, ["now": now] + key.values)
  }

  /// The scopes that the account allows the client without being asked; `nil` when it was never asked.
  package func consent(of account: UniversalID, client: String) async throws -> Set<String>? {
    try await store.read(
      SQLStatement(
        "SELECT scopes FROM consents WHERE realm_key = ? AND name_key = ? AND client_id = ?",
        AccountKey(account).values + [client]
      ).row(of: "consents") { Set(try $0.strings("scopes")) })
  }

  /// Stores what the account allows the client, if the account has the id; `nil` for any account of that name.
  package func setConsent(
    _ scopes: Set<String>, of account: UniversalID, id: String?, client: String, now: Date
  ) async throws {
    let values: StatementValues = [client, JSONValue.strings(scopes.sorted()), now]
    _ = try await isDone("a consent", GrantSQL.setConsent, values + AccountKey(account).values + [id])
  }

  /// Takes at most `limit` notices that are due, and postpones their next attempt so that no other server takes them meanwhile: by 15
  /// seconds, then by 75, 255, 555 and 975.
  package func takeLogoutNotices(limit: Int, now: Date) async throws -> [LogoutNotice] {
    let due = try await store.rows("logout_notices", GrantSQL.dueNotices, [now, now, limit]) {
      try LogoutNotice(
        key: GrantKey($0), clientID: $0.text("client_id"), details: $0.value("details"),
        attempts: $0.integer("attempts") + 1)
    }
    var taken: [LogoutNotice] = []
    for notice in due {
      let values: StatementValues = ["now": now]
      let isTaken = try await isDone("a logout notice", GrantSQL.takeNotice, values + notice.key.values)
      if isTaken { taken.append(notice) }
    }
    return taken
  }

  /// Removes a notice that was delivered, or given up.
  package func removeLogoutNotice(_ key: GrantKey) async throws {
    _ = try await isDone("a logout notice", GrantSQL.removeNotice, key.values)
  }

  /// Whether the statement has changed one row.
  private func isDone(_ subject: String, _ sql: SQL, _ values: StatementValues) async throws -> Bool {
    try await store.change(subject, SQLStatement(sql, values).isDone)
  }
}

extension EndingSessions {
  /// The rows of the account that belong to sessions that end, by the column that has the hash of the token. Rows without a session are
  /// included unless only one session ends.
  func rows(by column: String) -> SQL {
    let which =
      switch self {
      case .all: "true"
      case .others: "(\(column) IS NULL OR \(column) <> :session)"
      case .one: "\(column) = :session"
      }
    return SQL("realm_key = :realm AND name_key = :name AND \(which)")
  }

  /// The values for ``rows(by:)``.
  func values(of key: AccountKey) -> StatementValues {
    let account: StatementValues = ["realm": key.realm, "name": key.name]
    switch self {
    case .all: return account
    case .others(let token), .one(let token): return account + ["session": token]
    }
  }
}

extension SQLStatement {
  /// Ends the grants of sessions that end, with a notice for each of `clients` that has used one. Grants without a session end, too, unless
  /// only one session ends. Grants of the session that stays follow the account to its next password version.
  static func endGrants(
    _ ending: EndingSessions, of key: AccountKey, telling clients: Set<String>, now: Date
  ) -> [SQLStatement] {
    let values = ending.values(of: key)
    let notices = clients.sorted().map { client in
      SQLStatement(
        GrantSQL.notice(ending),
        values + ["client": client, "now": now, "expiry": now.addingTimeInterval(GrantLimits.noticeLife)])
    }
    let ended = SQLStatement(GrantSQL.end(ending), values + ["now": now])
    guard case .others = ending else { return notices + [ended] }
    return notices + [ended, SQLStatement(GrantSQL.renew, values)]
  }
}

private enum GrantSQL {
  /// Grants that are more than an hour ahead of the new one, by a clock that was wrong, count as the oldest.
  static let removeOldest: SQL = """
    DELETE FROM grants WHERE realm_key = ? AND name_key = ? AND id IN (
      SELECT id FROM grants WHERE realm_key = ? AND name_key = ? ORDER BY created_at > ?, created_at DESC, id
        LIMIT 1000 OFFSET \(GrantLimits.perAccount))
    """
  private static let isGood = """
    realm_key = :realmKey AND name_key = :nameKey AND id = :grantID AND ended_at IS NULL AND expires_at > :now
    """
  static let redeem: SQL = """
    UPDATE grants SET ticket_used_at = :now, details = :details, refresh_hash = :refresh
    WHERE \(isGood) AND ticket_hash = :ticket AND ticket_used_at IS NULL AND ticket_expires_at > :now
    """
  static let rotate: SQL = """
    UPDATE grants SET refresh_hash = :new, details = coalesce(:details, details)
    WHERE \(isGood) AND refresh_hash = :old
    """
  static let poll: SQL = """
    UPDATE grants SET polled_at = :now WHERE \(isGood) AND (polled_at IS NULL OR polled_at <= :notBefore)
    """
  static let end: SQL = """
    UPDATE grants SET ended_at = :now
    WHERE realm_key = :realmKey AND name_key = :nameKey AND id = :grantID AND ended_at IS NULL
    """
  private static func of(_ ending: EndingSessions) -> SQL {
    "\(ending.rows(by: "session_hash")) AND ended_at IS NULL"
  }
  static func end(_ ending: EndingSessions) -> SQL { "UPDATE grants SET ended_at = :now WHERE \(of(ending))" }
  static func notice(_ ending: EndingSessions) -> SQL {
    """
    INSERT INTO logout_notices (realm_key, name_key, id, realm, username, client_id, details, attempts, next_at,
      expires_at)
    SELECT realm_key, name_key, id, realm, username, client_id, details, 0, :now, :expiry FROM grants
    WHERE client_id = :client AND ticket_used_at IS NOT NULL AND \(of(ending))
    ON CONFLICT DO NOTHING
    """
  }
  static let renew: SQL = """
    UPDATE grants SET password_version = password_version + 1
    WHERE realm_key = :realm AND name_key = :name AND session_hash = :session AND ended_at IS NULL
    """
  static let setConsent: SQL = """
    INSERT INTO consents (realm_key, name_key, client_id, scopes, given_at)
    SELECT realm_key, name_key, ?1, ?2, ?3 FROM users
    WHERE realm_key = ?4 AND name_key = ?5 AND (?6 IS NULL OR account_id = ?6)
    ON CONFLICT (realm_key, name_key, client_id) DO UPDATE
      SET scopes = excluded.scopes, given_at = excluded.given_at
    """
  static let dueNotices: SQL = """
    SELECT realm, username, id, client_id, details, attempts FROM logout_notices WHERE next_at <= ? AND expires_at > ? ORDER BY next_at LIMIT ?
    """
  static let takeNotice: SQL = """
    UPDATE logout_notices SET attempts = attempts + 1, next_at = :now + 15.0 * (1 + 4 * attempts * attempts)
    WHERE realm_key = :realmKey AND name_key = :nameKey AND id = :grantID AND next_at <= :now
    """
  static let removeNotice: SQL =
    "DELETE FROM logout_notices WHERE realm_key = :realmKey AND name_key = :nameKey AND id = :grantID"
}

extension GrantKey {
  fileprivate var values: StatementValues {
    let key = AccountKey(account)
    return ["realmKey": key.realm, "nameKey": key.name, "grantID": id]
  }

  fileprivate init(_ row: StoredRow) throws {
    try self.init(
      account: UniversalID(username: row.text("username"), realm: row.text("realm")), id: row.text("id"))
  }
}

extension GrantDetails {
  fileprivate var stored: String {
    get throws { String(decoding: try StoredJSON.bytes(of: self), as: UTF8.self) }
  }
}

extension GrantRecord: StoredRecord {
  package static var table: StoreTable { .grants }

  package init(_ row: StoredRow) throws {
    try self.init(
      key: GrantKey(row),
      mark: PasswordMark(accountID: row.text("account_id"), version: row.integer("password_version")),
      clientID: row.text("client_id"), sessionHash: row.optionalBytes("session_hash"),
      details: row.value("details"), createdAt: row.date("created_at"), expiresAt: row.date("expires_at"),
      ticketHash: row.bytes("ticket_hash"), ticketExpiry: row.date("ticket_expires_at"))
    ticketUsedAt = try row.optionalDate("ticket_used_at")
    refreshHash = try row.optionalBytes("refresh_hash")
    endedAt = try row.optionalDate("ended_at")
  }
}
