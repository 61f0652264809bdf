public import BindingFormats
internal import Foundation

extension ServerStore {
  /// Adds the user. Throws ``StoreError/conflict(_:)`` when the name is taken in its realm.
  public func createUser(_ user: UserRecord, by caller: Caller? = nil) async throws {
    let key = AccountKey(username: user.username, realm: user.realm)
    let index = identityIndex
    try await write("the user \(user.username) of realm \(user.realm)") {
      .ask(.all(.caller(caller, over: key), .requireRealm(key.realm))) { _, _ in
        .done((), [.insert(user.row(key), into: "users")] + IdentitySQL.note(user, index))
      }
    }
  }

  /// The user, or `nil` when there is none.
  public func user(_ account: UniversalID) async throws -> UserRecord? {
    try await look(.user(AccountKey(account)))
  }

  /// The user of that name, or `nil`.
  public func user(named username: String, realm: String) async throws -> UserRecord? {
    try await user(UniversalID(username: username, realm: realm))
  }

  /// Users of the realm, by name: at most `limit`, of those whose names come after `username`, whatever its case; `nil`
  /// begins with the first.
  public func users(realm: String, after username: String? = nil, limit: Int = .max) async throws
    -> [UserRecord]
  {
    try await users(UserSQL.page, realm: realm, after: username, limit: limit)
  }

  /// Accounts of the realm that have a role, by name, as ``users(realm:after:limit:)``.
  public func usersWithRoles(realm: String, after username: String?, limit: Int) async throws -> [UserRecord]
  {
    try await users(UserSQL.pageWithRoles, realm: realm, after: username, limit: limit)
  }

  private func users(
    _ page: SQL, realm: String, after username: String?, limit: Int
  ) async throws -> [UserRecord] {
    let key = AccountKey(username: username ?? "", realm: realm)
    return try await rows("users", page, key.values + [max(0, limit)], UserRecord.init)
  }

  /// Stores what the change names and ends the sessions that it has to end (``UserChange``), with the account's SSH certificates, in one
  /// transaction. Throws ``StoreError/lastAdministrator`` rather than deactivating the root realm's last active administrator.
  public func updateUser(_ change: UserChange) async throws -> UserChangeOutcome {
    let key = AccountKey(username: change.username, realm: change.realm)
    let index = identityIndex
    let guarded = SQLQuestion.all(
      .anotherAdministrator(than: key, isRequired: change.isActive == false), .silent([.hold(key)]),
      .caller(change.caller, over: key))
    return try await write("the user \(change.username) of realm \(change.realm)") {
      .ask(guarded) { _, _, _ in
        .next(
          .ask(.all(UserRecord.first(of: UserSQL.update, change.values(key)), .user(key))) {
            changed, present in
            guard let changed else { return .done(change.failure(present)) }
            var changes = change.changesValues ? IdentitySQL.note(changed, index) : []
            let (endsSessions, kept) = change.endsSessions
            if endsSessions {
              changes.append(
                SQLStatement(
                  "DELETE FROM sessions WHERE realm_key = ?1 AND name_key = ?2 AND (?3 IS NULL OR token_hash <> ?3)",
                  [key.realm, key.name, kept]))
              changes.append(.revokeCertificates(of: key))
            }
            return .done(.changed(changed), changes)
          })
      }
    }
  }

  /// Stores the same password under a new hash, if the account still has the hash of `user`. Returns whether it had.
  public func renewPasswordHash(of user: UserRecord, to hash: String) async throws -> Bool {
    let renewal = SQLStatement(
      "UPDATE users SET password_hash = ? WHERE \(UserSQL.byKey) AND account_id = ? AND password_hash = ?",
      [hash] + AccountKey(user.account).values + [user.id, user.passwordHash])
    return try await change("the renewed password hash of \(user.username)", renewal.isDone)
  }

  /// The number of accounts by kind of password hash. The kind is the beginning of the hash, up to the salt.
  public func passwordHashKinds() async throws -> [String: Int] {
    let kinds = try await rows("users", UserSQL.hashKinds, []) { row in
      (try row.text("kind"), try row.integer("accounts"))
    }
    return Dictionary(kinds) { $0 + $1 }
  }

  /// Removes the user with all sessions, devices and lockout state, and revokes the SSH certificates, in one transaction. Returns the
  /// removed record, or `nil`. Throws ``StoreError/lastAdministrator`` rather than removing the root realm's last active administrator.
  public func deleteUser(_ account: UniversalID, by caller: Caller? = nil) async throws -> UserRecord? {
    let key = AccountKey(account)
    return try await write("the user \(account.username) of realm \(account.realm)") {
      .ask(
        .all(.anotherAdministrator(than: key), .silent([.hold(key)]), .caller(caller, over: key))
      ) { _, _, _ in
        // Foreign keys remove sessions and devices. Failures have no foreign key, because they are counted for unknown names, too.
        .next(
          .ask(UserRecord.first(of: "DELETE FROM users WHERE \(UserSQL.byKey)", key.values)) {
            $0 == nil
              ? .done(nil)
              : .done(
                $0,
                [
                  .delete(from: "lockouts", of: key), .delete(from: ActivitySQL.attempts, of: key),
                  .revokeCertificates(of: key),
                ])
          })
      }
    }
  }

  /// Grants or takes away one role, in one conditional write. A caller needs ``Capability/administrate`` over the realm, and grants nothing
  /// to its own account. A new role ends the account's sessions. Throws ``StoreError/lastAdministrator`` rather than leaving the root realm
  /// without an active administrator.
  public func changeRole(_ change: RoleChange, by caller: Caller?) async throws -> RoleChangeOutcome {
    let key = AccountKey(username: change.username, realm: change.realm)
    let takes = change.role == .administrator && !change.isGrant
    // Administrators are locked before the other rows; whether the account is the last one is checked after the other checks.
    let guarded = SQLQuestion.all(
      .administrators(for: key, areNeeded: takes),
      UserRecord.first(where: "\(UserSQL.byKey) \(.held)", key.values),
      .caller(caller, over: key))
    return try await write("the roles of \(change.username) of realm \(change.realm)") {
      .ask(guarded) { administrators, before, holder in
        if change.isGrant { try caller?.requireAnother(than: holder, key) }
        guard let before else { return .done(.noSuchUser) }
        guard before.roles.contains(change.role) != change.isGrant else {
          return .done(.changed(before, isNew: false))
        }
        try administrators.requireAnother(than: key)
        let update = change.isGrant ? "true, password_version = password_version + 1" : "false"
        let changed = UserRecord.first(
          of: "UPDATE users SET \(change.role.column) = \(update) WHERE \(UserSQL.byKey)",
          key.values)
        // A session from before the role was granted must not become an administrator's, nor may anything that leads to a session.
        let ended: [SQLStatement] =
          change.isGrant ? [.delete(from: "sessions", of: key), .revokeCertificates(of: key)] : []
        return .next(.ask(changed) { .done($0.map { .changed($0, isNew: true) } ?? .noSuchUser, ended) })
      }
    }
  }
}

// MARK: - Who may

extension SQLQuestion where Value == UserRecord? {
  static func user(_ key: AccountKey) -> SQLQuestion {
    SQLStatement(UserSQL.one, key.values).row(of: UserRecord.self)
  }
}

extension SQLQuestion where Value == Caller.Holder? {
  /// Judges the caller of a change inside the transaction that makes it, and keeps its session and account as they are until
  /// the end.
  ///
  /// The answer is the account of the caller's session; `nil` without a caller. Reading it throws ``StoreError/unauthorized(_:)`` when
  /// session, account or right are gone.
  static func caller(_ caller: Caller?, over account: AccountKey) -> SQLQuestion {
    guard let caller else { return .known(nil) }
    return SQLQuestion<(Caller.Holder?, Set<AccountRole>?)>.all(
      SQLStatement(UserSQL.holder, [caller.tokenHash, caller.now])
        .row(of: "sessions") { try Caller.Holder($0) },
      SQLStatement(
        "SELECT \(AccountRole.columns) FROM users WHERE \(UserSQL.byKey)", account.values
      ).row(of: "users") { try $0.roles() }
    ).map { holder, roles in
      try caller.require(holder, over: account, with: roles)
      return holder
    }
  }
}

extension SQLQuestion where Value == [String] {
  /// The active administrators of the root realm, locked, if `key` is of that realm: for a transaction that may end its account's role.
  /// This lock comes before all others, and in one order, so that transactions do not deadlock. The answer has the keys of their names.
  static func administrators(for key: AccountKey, areNeeded: Bool = true) -> SQLQuestion {
    guard key.realm == "root", areNeeded else { return .known([]) }
    // Sorted, so that two transactions that lock them do not deadlock.
    return SQLStatement(
      """
      SELECT name_key FROM users WHERE realm_key = 'root' AND is_administrator AND is_active
        ORDER BY name_key \(.held)
      """
    ).rows(of: "users") { try $0.text("name_key") }
  }
}

extension SQLQuestion where Value == Void {
  /// Makes sure that the root realm keeps an active administrator. Reading the answer throws ``StoreError/lastAdministrator`` when the
  /// account of `key` is the only one.
  fileprivate static func anotherAdministrator(than key: AccountKey, isRequired: Bool = true) -> SQLQuestion {
    SQLQuestion<[String]>.administrators(for: key, areNeeded: isRequired).map {
      try $0.requireAnother(than: key)
    }
  }
}

extension [String] {
  fileprivate func requireAnother(than key: AccountKey) throws {
    if key.realm == "root", self == [key.name] { throw StoreError.lastAdministrator }
  }
}

enum UserSQL {
  static let byKey = "realm_key = ? AND name_key = ?"
  static let one: SQL = "SELECT \(UserRecord.columns) FROM users WHERE \(byKey)"

  /// No name is empty, so that all come after the empty one.
  static let page: SQL =
    "SELECT \(UserRecord.columns) FROM users WHERE realm_key = ? AND name_key > ? ORDER BY name_key LIMIT ?"
  static let pageWithRoles: SQL = """
    SELECT \(UserRecord.columns) FROM users
      WHERE realm_key = ? AND name_key > ? AND (is_administrator OR is_help_desk OR is_auditor)
      ORDER BY name_key LIMIT ?
    """

  fileprivate static let update: SQL = """
    UPDATE users SET mail = coalesce(:mail, mail), attributes = coalesce(:attributes, attributes),
      is_active = coalesce(:isActive, is_active), password_hash = coalesce(:hash, password_hash),
      password_version = password_version
        + CASE WHEN :hash IS NOT NULL OR (is_active AND NOT coalesce(:isActive, is_active)) THEN 1 ELSE 0 END,
      must_change_password = coalesce(:mustChange, must_change_password),
      password_expires_at = CASE WHEN :setsExpiry THEN :expiry ELSE password_expires_at END,
      revision = revision + 1
    WHERE realm_key = :realm AND name_key = :name AND account_id = :account
      AND (:checked IS NULL OR password_version = :checked) AND (is_active OR NOT :requiresActive)
      AND (:revision IS NULL OR revision = :revision)
    """

  /// SQLite reads it from the index of the same expression.
  fileprivate static let hashKinds: SQL = """
    SELECT \(hashKind) AS kind, count(*) AS accounts FROM users WHERE \(hashKind) IS NOT NULL GROUP BY 1
    """
  private static let hashKind: SQL =
    "substr(password_hash, 1, 15 + \(.position)(substr(password_hash, 16), '$'))"
  fileprivate static let holder: SQL = """
    SELECT users.realm_key, users.name_key, \(AccountRole.columns)
      FROM sessions JOIN users USING (realm_key, name_key)
      WHERE sessions.token_hash = ? AND sessions.ends_at > ? AND users.is_active \(.heldByMany)
    """
}
