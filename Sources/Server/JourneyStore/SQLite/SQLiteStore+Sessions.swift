public import BindingFormats
public import Foundation
internal import GRDB
internal import StrictJSON

extension SQLiteStore {
  public func createSession(_ session: SessionRecord, with mark: PasswordMark?) async throws {
    let key = AccountKey(username: session.username, realm: session.realm)
    try await write("the session \(session.handle) of \(session.username)") { [quotas] db in
      try Self.insert(session, mark, key, in: db)
      _ = try db.change(SessionSQL.endOldest, [key.realm, key.name, max(1, quotas.sessionsPerAccount)])
    }
  }

  public func replaceSession(
    tokenHash: [UInt8], with session: SessionRecord, mark: PasswordMark?, now: Date
  ) async throws {
    let key = AccountKey(username: session.username, realm: session.realm)
    try await write("the session \(session.handle) of \(session.username)") { db in
      let ended = try db.change(
        SessionSQL.end, [Data(tokenHash), now.timeIntervalSince1970, key.realm, key.name])
      guard ended == 1 else {
        throw StoreError.missing("the session of \(session.username) that was to be replaced")
      }
      try Self.insert(session, mark, key, in: db)
    }
  }

  private static func insert(
    _ session: SessionRecord, _ mark: PasswordMark?, _ key: AccountKey, in db: Database
  ) throws {
    guard try db.change(SessionSQL.insert, session.arguments(key, mark)) == 1 else {
      throw StoreError.missing(
        "an active account \(session.username) of realm \(session.realm)\(mark == nil ? "" : " that still has the password")"
      )
    }
  }

  public func session(tokenHash: [UInt8], now: Date) async throws -> SessionRecord? {
    try await read { db in
      try db.all(
        "sessions", SessionSQL.live, [Data(tokenHash), now.timeIntervalSince1970], SessionRecord.init
      ).first
    }
  }

  public func touchSession(tokenHash: [UInt8], now: Date) async throws -> Bool {
    try await write("the use of a session") { db in
      try db.change(SessionSQL.touch, [Data(tokenHash), now.timeIntervalSince1970]) == 1
    }
  }

  public func deleteSession(tokenHash: [UInt8]) async throws -> Bool {
    try await write("the end of a session") { db in
      try db.change("DELETE FROM sessions WHERE token_hash = ?", [Data(tokenHash)]) == 1
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
        "sessions", SessionSQL.ofUser, [key.realm, key.name, now.timeIntervalSince1970], SessionRecord.init)
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
  /// Whatever the rows say, a session of an inactive account is none.
  static let ofActiveAccount = """
    EXISTS (SELECT 1 FROM users WHERE users.realm_key = sessions.realm_key
      AND users.name_key = sessions.name_key AND users.is_active)
    """
  static let live = """
    SELECT * FROM sessions WHERE token_hash = ? AND ends_at > ? AND \(ofActiveAccount)
    """
  static let touch = """
    UPDATE sessions SET latest_access = max(latest_access, ?2),
      ends_at = min(expires_at, max(latest_access, ?2) + maximum_idle)
    WHERE token_hash = ?1 AND ends_at > ?2 AND \(ofActiveAccount)
    """
  static let ofUser = """
    SELECT * FROM sessions WHERE realm_key = ? AND name_key = ? AND ends_at > ? AND \(ofActiveAccount)
      ORDER BY created_at, rowid
    """
}

extension SessionRecord {
  /// Moment at which the session ends if nothing more happens.
  fileprivate var end: Date { min(expiresAt, idleExpiry) }

  /// For ``SessionSQL/insert``.
  fileprivate func arguments(_ key: AccountKey, _ mark: PasswordMark?) -> StatementArguments {
    [
      "realm": key.realm, "name": key.name, "account": mark?.accountID, "passwordVersion": mark?.version,
      "end": end.timeIntervalSince1970, "tokenHash": Data(tokenHash), "handle": handle,
      "createdAt": createdAt.timeIntervalSince1970, "latestAccess": latestAccess.timeIntervalSince1970,
      "maximumIdle": maximumIdle, "expiresAt": expiresAt.timeIntervalSince1970,
      "properties": JSONValue.object(properties).text, "level": authLevel, "service": service,
      "authenticatedAt": authenticatedAt.timeIntervalSince1970,
    ]
  }

  fileprivate init(_ row: StoredRow) throws {
    self.init(
      tokenHash: try row.bytes("token_hash"), handle: try row.text("handle"), realm: try row.text("realm"),
      username: try row.text("username"), createdAt: try row.date("created_at"),
      latestAccess: try row.date("latest_access"), maximumIdle: try row.seconds("maximum_idle"),
      expiresAt: try row.date("expires_at"), properties: try row.object("properties"),
      authLevel: try row.integer("auth_level"), service: try row.optionalText("service"),
      authenticatedAt: try row.date("authenticated_at"))
  }
}
