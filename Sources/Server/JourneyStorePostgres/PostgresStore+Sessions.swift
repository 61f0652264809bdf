package import BindingFormats
package import Foundation
package import JourneyStore

extension PostgresStore {
  /// One round trip: what ends the oldest sessions ends none when the session was not added.
  @discardableResult
  package func createSession(
    _ session: SessionRecord, with mark: PasswordMark?, prolonging step: OnceKey?
  ) async throws -> UserRecord {
    let key = AccountKey(username: session.username, realm: session.realm)
    let answers = try await change(
      "the session \(session.handle) of \(session.username)",
      [
        Statement(SessionSQL.insert, session.values(key, mark)),
        Statement(SessionSQL.endOldest, [key.realm, key.name, max(1, quotas.sessionsPerAccount)]),
        Statement(UserSQL.one, [key.realm, key.name]),
      ] + OnceSQL.prolong(step))
    return try session.account(mark, added: answers[0], read: answers[2])
  }

  @discardableResult
  package func replaceSession(
    tokenHash: [UInt8], with session: SessionRecord, mark: PasswordMark?, now: Date, prolonging step: OnceKey?
  ) async throws -> UserRecord {
    let key = AccountKey(username: session.username, realm: session.realm)
    return try await write("the session \(session.handle) of \(session.username)") { transaction in
      let answers = try await transaction.run(
        [
          Statement(SessionSQL.end, [tokenHash, now, key.realm, key.name]),
          Statement(SessionSQL.insert, session.values(key, mark)),
          Statement(UserSQL.one, [key.realm, key.name]),
        ] + OnceSQL.prolong(step))
      guard answers[0].count == 1 else {
        throw StoreError.missing("the session of \(session.username) that was to be replaced")
      }
      return try session.account(mark, added: answers[1], read: answers[2])
    }
  }

  package func session(tokenHash: [UInt8], now: Date) async throws -> SessionRecord? {
    try await read(SessionSQL.live, [tokenHash, now]).all("sessions", SessionRecord.init).first
  }

  package func touchSession(tokenHash: [UInt8], now: Date) async throws -> Bool {
    try await change("the use of a session", Statement(SessionSQL.touch, [tokenHash, now]))[0].count == 1
  }

  package func deleteSession(tokenHash: [UInt8]) async throws -> Bool {
    try await change(
      "the end of a session", Statement("DELETE FROM sessions WHERE token_hash = ?", [tokenHash]))[0].count
      == 1
  }

  package func session(handle: String) async throws -> SessionRecord? {
    try await read(SharedSQL.sessionOfHandle, [handle]).all("sessions", SessionRecord.init).first
  }

  package func deleteSession(handle: String) async throws -> Bool {
    try await change(
      "the end of a session", Statement("DELETE FROM sessions WHERE handle = ?", [handle]))[0].count == 1
  }

  package func deleteSessions(of account: UniversalID) async throws -> Int {
    let key = AccountKey(account)
    return try await change(
      "the end of the sessions of \(account.username)", Statement(SessionSQL.endAll, [key.realm, key.name]))[
        0
      ]
      .count
  }

  package func sessions(of account: UniversalID, now: Date) async throws -> [SessionRecord] {
    let key = AccountKey(account)
    return try await read(SessionSQL.ofUser, [key.realm, key.name, now]).all("sessions", SessionRecord.init)
  }
}

extension SessionRecord {
  /// The account that the session was added to, whose row is locked since then.
  fileprivate func account(_ mark: PasswordMark?, added: Answer, read: Answer) throws -> UserRecord {
    guard added.count == 1, let user = try read.all("users", UserRecord.init).first else {
      throw missingAccount(mark)
    }
    return user
  }
}

enum SessionSQL {
  /// The account's row is locked, so that neither another password nor another session comes in between.
  static let insert = """
    INSERT INTO sessions (realm_key, name_key, realm, username, ends_at, token_hash, handle, created_at,
      latest_access, maximum_idle, expires_at, properties, auth_level, service, authenticated_at)
    SELECT realm_key, name_key, realm, username, :end, :tokenHash, :handle, :createdAt, :latestAccess,
      :maximumIdle, :expiresAt, :properties, :level, :service, :authenticatedAt
      FROM users WHERE realm_key = :realm AND name_key = :name AND is_active
        AND (:id IS NULL OR account_id = :id)
        AND (:account IS NULL OR (account_id = :account AND password_version = :passwordVersion))
      FOR NO KEY UPDATE
    """
  static let end =
    "DELETE FROM sessions WHERE token_hash = ? AND ends_at > ? AND realm_key = ? AND name_key = ?"
  static let endAll = "DELETE FROM sessions WHERE realm_key = ? AND name_key = ?"

  /// The one that was just added is the youngest.
  static let endOldest = """
    DELETE FROM sessions WHERE token_hash IN (
      SELECT token_hash FROM sessions WHERE realm_key = ? AND name_key = ?
        ORDER BY created_at DESC, added_at DESC OFFSET ?)
    """

  static let live =
    "\(SharedSQL.sessions) WHERE token_hash = ? AND ends_at > ? AND is_active"
  static let touch = """
    UPDATE sessions SET latest_access = greatest(latest_access, ?2),
      ends_at = least(expires_at, greatest(latest_access, ?2) + maximum_idle)
    WHERE token_hash = ?1 AND ends_at > ?2 AND \(SharedSQL.sessionIsOfActiveAccount)
    """
  static let ofUser = """
    \(SharedSQL.sessions) WHERE realm_key = ? AND name_key = ? AND ends_at > ? AND is_active
      ORDER BY sessions.created_at, added_at
    """
}
