public import BindingFormats
public import Foundation

extension ServerStore {
  /// Opens a session for the active account that its record names, ends the account's oldest sessions beyond
  /// ``StoreQuotas/sessionsPerAccount``, and accepts the proof: all in one write, durable when this returns.
  ///
  /// - Parameter proof: `nil` when nothing of the proof is left to be stored.
  /// - Throws: ``ProofNotAccepted`` when the proof is refused; ``StoreError/missing(_:)`` when the account does not exist, is inactive, was
  ///   replaced by another one of that name, or has another password, or when the session to be replaced has ended. Nothing is stored then.
  public func openSession(_ session: NewSession, by proof: SessionProof?) async throws -> ProvenSession {
    let question = SQLQuestion<UserRecord>.session(session, quotas)
    let subject = "the session \(session.record.handle) of \(session.record.username)"
    switch proof {
    case nil:
      // The statement that ends the oldest sessions ends none when the session was not added.
      guard session.replacing != nil else { return ProvenSession(user: try await change(subject, question)) }
      return ProvenSession(user: try await write(subject) { .ask(question) { .done($0) } })
    case .signature(let signature):
      let accepted = try await accept(LedgerProof(signature, opening: session))
      guard case .accepted(let number) = accepted.acceptance, let user = accepted.user else {
        throw ProofNotAccepted()
      }
      return ProvenSession(user: user, evidence: number)
    case .push(let id, let use, let step):
      do {
        let user = try await write(subject) {
          // The account is locked before the device and the message, as when these are removed.
          PushMessageSQL.use(id, for: use, using: step, serverKey)
            .after([.hold(AccountKey(use.account))])
            .then { usage in
              guard case .taken(let message?, isLocked: false) = usage, use.isMeant(by: message) else {
                throw ProofNotAccepted()
              }
              return .next(.ask(question) { .done($0) })
            }
        }
        return ProvenSession(user: user)
      } catch is Undone<PushUsage> { throw ProofNotAccepted() }
    }
  }

  /// The session, if it is stored, its account is active, and neither its idle time nor its life has run out at `now`; `nil` otherwise.
  public func session(tokenHash: [UInt8], now: Date) async throws -> SessionRecord? {
    try await look(
      SQLStatement(SessionSQL.live, [tokenHash, now]).row(of: "sessions", SessionRecord.init))
  }

  /// Resets the idle time. `false` when there is no live session.
  public func touchSession(tokenHash: [UInt8], now: Date) async throws -> Bool {
    try await change("the use of a session", SQLStatement(SessionSQL.touch, [tokenHash, now]).isDone)
  }

  /// The session of that handle, also one that has just expired; `nil` when there is none.
  public func session(handle: String) async throws -> SessionRecord? {
    try await read(SQLStatement(SessionSQL.ofHandle, [handle]).row(of: "sessions", SessionRecord.init))
  }

  /// Ends sessions of the account and what depends on them, in one transaction: the grants of these sessions and, unless only one session
  /// ends, also grants without a session, cookies by which browsers sign in again, and journeys under way that have accepted the password
  /// (``UserRecord/passwordVersion``).
  ///
  /// The account is locked first, as when a session or a grant is added. Such an addition either comes first and is ended, too, or finds
  /// its session ended.
  ///
  /// - Parameters:
  ///   - clients: the ids of the clients that are notified when a grant that they used ends.
  ///   - takesBackCertificates: whether all SSH certificates of the account are revoked. No certificate says in which session it was
  ///     issued.
  @discardableResult
  public func endSessions(
    _ ending: EndingSessions, of account: UniversalID, telling clients: Set<String> = [],
    takesBackCertificates: Bool = true, now: Date
  ) async throws -> EndedSessions {
    let key = AccountKey(account)
    let values = ending.values(of: key)
    var delete = SQLStatement("DELETE FROM sessions WHERE \(ending.rows(by: "token_hash"))", values)
    var hold = SQLStatement(SessionSQL.outdate, key.values)
    switch ending {
    case .all: break
    // Expired sessions are not counted as ended.
    case .others: delete = SQLStatement("\(delete.sql) AND ends_at > :now", values + ["now": now])
    case .one: hold = .hold(key)
    }
    let before = [hold] + SQLStatement.endGrants(ending, of: key, telling: clients, now: now)
    let after = takesBackCertificates ? [SQLStatement.revokeCertificates(of: key)] : []
    let counts = try await change("the end of sessions of \(account.username)", before + [delete] + after)
    return EndedSessions(
      sessions: counts[before.count], certificates: takesBackCertificates ? counts[before.count + 1] : 0)
  }

  /// Live sessions of the user.
  public func sessions(of account: UniversalID, now: Date) async throws -> [SessionRecord] {
    try await rows("sessions", SessionSQL.ofUser, AccountKey(account).values + [now], SessionRecord.init)
  }
}

extension SQLQuestion where Value == UserRecord {
  /// Adds a session, alone or in place of another one of its account. The answer is the account, which stays locked from then on. Grants of
  /// the old session move to the new one.
  ///
  /// Reading the answer throws ``StoreError/missing(_:)`` when there is no such account, when it has another password, or when the session
  /// to be replaced has ended.
  static func session(_ new: NewSession, _ quotas: StoreQuotas) -> SQLQuestion {
    let (session, mark) = (new.record, new.mark)
    let key = AccountKey(username: session.username, realm: session.realm)
    // The account is locked before its session, as when all sessions are ended.
    let replaced = new.replacing.map { old in
      SQLQuestion<(Void, Bool)>.all(
        .silent([.hold(key)]), SQLStatement(SessionSQL.end, [old, new.now, key.realm, key.name]).isDone
      ).map { _, hasEnded in
        guard hasEnded else {
          throw StoreError.missing("the session of \(session.username) that was to be replaced")
        }
      }
    }
    let rest =
      if let old = new.replacing {
        SQLStatement(SessionSQL.moveGrants, [session.tokenHash, key.realm, key.name, old])
      } else {
        SQLStatement(
          SessionSQL.endOldest,
          [key.realm, key.name, session.createdAt + 3600, max(1, quotas.sessionsPerAccount)])
      }
    // In the order of the statement's placeholders, so that none is searched for.
    let values: StatementValues = [
      "end": min(session.expiresAt, session.idleExpiry), "tokenHash": session.tokenHash,
      "handle": session.handle, "createdAt": session.createdAt, "latestAccess": session.latestAccess,
      "maximumIdle": session.maximumIdle, "expiresAt": session.expiresAt, "properties": session.properties,
      "level": session.authLevel, "service": session.service, "authenticatedAt": session.authenticatedAt,
      "realm": key.realm, "name": key.name, "id": session.accountID, "account": mark?.accountID,
      "passwordVersion": mark?.version,
    ]
    return SQLQuestion<(Void, Bool, UserRecord?, Void)>.all(
      replaced ?? .known(()), SQLStatement(SessionSQL.insert, values).isDone, .user(key),
      .silent([rest] + .prolonging(new.step))
    ).map { _, isAdded, user, _ in
      guard isAdded, let user else {
        let id = session.accountID == nil ? "" : " with the id that was authenticated"
        let password = mark == nil ? "" : " that still has the password"
        throw StoreError.missing(
          "an active account \(session.username) of realm \(session.realm)\(id)\(password)")
      }
      return user
    }
  }
}

private enum SessionSQL {
  /// The account's row is locked, so that neither another password nor another session comes in between.
  static let insert: SQL = """
    INSERT INTO sessions (realm_key, name_key, realm, username, ends_at, token_hash, handle, created_at,
      latest_access, maximum_idle, expires_at, properties, auth_level, service, authenticated_at)
    SELECT realm_key, name_key, realm, username, :end, :tokenHash, :handle, :createdAt, :latestAccess,
      :maximumIdle, :expiresAt, :properties, :level, :service, :authenticatedAt
      FROM users WHERE realm_key = :realm AND name_key = :name AND is_active
        AND (:id IS NULL OR account_id = :id)
        AND (:account IS NULL OR (account_id = :account AND password_version = :passwordVersion))
      \(.held)
    """
  static let end: SQL =
    "DELETE FROM sessions WHERE token_hash = ? AND ends_at > ? AND realm_key = ? AND name_key = ?"
  static let outdate: SQL = """
    UPDATE users SET password_version = password_version + 1 WHERE realm_key = ? AND name_key = ?
    """

  static let moveGrants: SQL =
    "UPDATE grants SET session_hash = ? WHERE realm_key = ? AND name_key = ? AND session_hash = ?"

  /// The one that was just added is the youngest. Those that are more than an hour ahead of it, by a clock that was wrong, count as the
  /// oldest: it would end at once when they are as many as may stay. SQLite finds the others in the index alone.
  static let endOldest: SQL = """
    DELETE FROM sessions WHERE \(row) IN (
      SELECT \(row) FROM sessions WHERE realm_key = ? AND name_key = ?
        ORDER BY created_at > ?, created_at DESC, \(.age) DESC \(.unlimited) OFFSET ?)
    """

  private static let row = SQL(sqlite: "rowid", postgres: "token_hash")

  /// Sessions with their accounts' ids. A session is deleted with its account, so the account that has its name is the one it was opened
  /// for.
  private static let all: SQL = """
    SELECT \(SessionRecord.columns) FROM sessions JOIN users USING (realm_key, name_key)
    """
  static let live: SQL = "\(all) WHERE token_hash = ? AND ends_at > ? AND is_active"
  static let ofHandle: SQL = "\(all) WHERE handle = ?"
  static let ofUser: SQL = """
    \(all) WHERE realm_key = ? AND name_key = ? AND ends_at > ? AND is_active
      ORDER BY sessions.created_at, sessions.\(.age)
    """

  /// A session of an inactive account does not count, even if its row is still there.
  static let touch: SQL = """
    UPDATE sessions SET latest_access = \(.greatest)(latest_access, ?2),
      ends_at = \(.least)(expires_at, \(.greatest)(latest_access, ?2) + maximum_idle)
    WHERE token_hash = ?1 AND ends_at > ?2 AND EXISTS (
      SELECT 1 FROM users WHERE users.realm_key = sessions.realm_key
        AND users.name_key = sessions.name_key AND users.is_active)
    """
}
