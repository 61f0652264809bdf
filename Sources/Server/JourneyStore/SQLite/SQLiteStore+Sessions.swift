public import BindingFormats
public import Foundation
internal import GRDB

extension SQLiteStore {
  @discardableResult
  public func createSession(
    _ session: SessionRecord, with mark: PasswordMark?, prolonging step: OnceKey?
  ) async throws -> UserRecord {
    let key = AccountKey(username: session.username, realm: session.realm)
    return try await write("the session \(session.handle) of \(session.username)") { [quotas] db in
      let user = try Self.insert(session, mark, key, in: db)
      try db.change(SessionSQL.endOldest, [key.realm, key.name, max(1, quotas.sessionsPerAccount)])
      try Self.prolong(step, in: db)
      return user
    }
  }

  @discardableResult
  public func replaceSession(
    tokenHash: [UInt8], with session: SessionRecord, mark: PasswordMark?, now: Date, prolonging step: OnceKey?
  ) async throws -> UserRecord {
    let key = AccountKey(username: session.username, realm: session.realm)
    return try await write("the session \(session.handle) of \(session.username)") { db in
      let ended = try db.change(
        SessionSQL.end, [tokenHash, now, key.realm, key.name])
      guard ended == 1 else {
        throw StoreError.missing("the session of \(session.username) that was to be replaced")
      }
      try Self.prolong(step, in: db)
      return try Self.insert(session, mark, key, in: db)
    }
  }

  /// - Returns: the account that the session is of.
  private static func insert(
    _ session: SessionRecord, _ mark: PasswordMark?, _ key: AccountKey, in db: Database
  ) throws -> UserRecord {
    guard try db.change(SessionSQL.insert, session.values(key, mark)) == 1,
      let user = try user(key, in: db)
    else { throw session.missingAccount(mark) }
    return user
  }

  public func session(tokenHash: [UInt8], now: Date) async throws -> SessionRecord? {
    try await look { db in
      try db.all(
        "sessions", SessionSQL.live, [tokenHash, now], SessionRecord.init
      ).first
    }
  }

  public func touchSession(tokenHash: [UInt8], now: Date) async throws -> Bool {
    try await write("the use of a session") { db in
      try db.change(SessionSQL.touch, [tokenHash, now]) == 1
    }
  }

  public func deleteSession(tokenHash: [UInt8]) async throws -> Bool {
    try await write("the end of a session") { db in
      try db.change("DELETE FROM sessions WHERE token_hash = ?", [tokenHash]) == 1
    }
  }

  public func session(handle: String) async throws -> SessionRecord? {
    try await read { db in
      try db.all("sessions", SharedSQL.sessionOfHandle, [handle], SessionRecord.init).first
    }
  }

  public func deleteSession(handle: String) async throws -> Bool {
    try await write("the end of a session") { db in
      try db.change("DELETE FROM sessions WHERE handle = ?", [handle]) == 1
    }
  }

  public func deleteSessions(of account: UniversalID) async throws -> Int {
    let key = AccountKey(account)
    return try await write("the end of the sessions of \(account.username)") { db in
      try db.change("DELETE FROM sessions WHERE realm_key = ? AND name_key = ?", [key.realm, key.name])
    }
  }

  public func sessions(of account: UniversalID, now: Date) async throws -> [SessionRecord] {
    let key = AccountKey(account)
    return try await read { db in
      try db.all(
        "sessions", SessionSQL.ofUser, [key.realm, key.name, now], SessionRecord.init)
    }
  }
}

private enum SessionSQL {
  static let insert = """
    INSERT INTO sessions (realm_key, name_key, realm, username, ends_at, token_hash, handle, created_at,
      latest_access, maximum_idle, expires_at, properties, auth_level, service, authenticated_at)
    SELECT realm_key, name_key, realm, username, :end, :tokenHash, :handle, :createdAt, :latestAccess,
      :maximumIdle, :expiresAt, :properties, :level, :service, :authenticatedAt
      FROM users WHERE realm_key = :realm AND name_key = :name AND is_active
        AND (:id IS NULL OR account_id = :id)
        AND (:account IS NULL OR (account_id = :account AND password_version = :passwordVersion))
    """
  static let end = """
    DELETE FROM sessions WHERE token_hash = ? AND ends_at > ? AND realm_key = ? AND name_key = ?
    """
  /// The one that was just added is the youngest.
  static let endOldest = """
    DELETE FROM sessions WHERE rowid IN (
      SELECT rowid FROM sessions WHERE realm_key = ?1 AND name_key = ?2
        ORDER BY created_at DESC, rowid DESC LIMIT -1 OFFSET ?3)
    """
  static let live = """
    \(SharedSQL.sessions) WHERE token_hash = ? AND ends_at > ? AND is_active
    """
  static let touch = """
    UPDATE sessions SET latest_access = max(latest_access, ?2),
      ends_at = min(expires_at, max(latest_access, ?2) + maximum_idle)
    WHERE token_hash = ?1 AND ends_at > ?2 AND \(SharedSQL.sessionIsOfActiveAccount)
    """
  static let ofUser = """
    \(SharedSQL.sessions) WHERE realm_key = ? AND name_key = ? AND ends_at > ? AND is_active
      ORDER BY sessions.created_at, sessions.rowid
    """
}
