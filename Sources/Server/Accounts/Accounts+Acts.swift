package import BindingFormats
package import JourneyStore
internal import StrictJSON

extension Accounts {
  // MARK: The account

  /// Removes the account and everything that belongs to it.
  package func delete(_ account: UniversalID, by actor: AccountActor) async throws -> UserRecord {
    let permit = try await permit(.delete, account, by: actor)
    let gone: UserRecord?
    do { gone = try await store.deleteUser(account, by: permit.caller) } catch StoreError.lastAdministrator {
      throw AccountRefusal.lastAdministrator
    }
    guard let gone else { throw AccountRefusal.noSuchUser }
    try await record(.delete, of: gone.account, id: gone.id, by: actor)
    return gone
  }

  /// Forgets the failures and locks of an account. Returns whether there were any.
  ///
  /// An account needs a role even for itself: a stolen session must not allow further guesses of its password.
  package func unlock(_ account: UniversalID, by actor: AccountActor) async throws -> Bool {
    let permit = try await permit(.unlock, account, by: actor)
    guard let user = try await store.user(account) else { throw AccountRefusal.noSuchUser }
    let hadLocks = try await store.unlock(of: user.account, by: permit.caller)
    try await record(.unlock, of: user.account, id: user.id, by: actor)
    return hadLocks
  }

  /// Gives the account a role, or takes one.
  package func change(
    _ role: AccountRole, isGrant: Bool, of account: UniversalID, by actor: AccountActor
  ) async throws -> UserRecord {
    let act = isGrant ? AccountAct.grantRole : .revokeRole
    let permit = try await permit(act, account, by: actor)
    let outcome: RoleChangeOutcome
    do {
      outcome = try await store.changeRole(
        RoleChange(role, isGrant: isGrant, username: account.username, realm: account.realm),
        by: permit.caller)
    } catch StoreError.lastAdministrator { throw AccountRefusal.lastAdministrator }
    guard case .changed(let user, _) = outcome else { throw AccountRefusal.noSuchUser }
    try await record(
      act, of: user.account, id: user.id, by: actor, detail: ["role": .string(role.rawValue)])
    return user
  }

  // MARK: What signs it in

  /// Gives a device another name; `nil` when the account has no such device.
  package func renameMethod<Record>(
    _ id: String, to name: String, kind: String, in devices: any DeviceStore<Record>, of account: UniversalID,
    by actor: AccountActor
  ) async throws -> Record? {
    _ = try await permit(.renameMethod, account, by: actor)
    guard let device = try await devices.rename(id, of: account, to: name) else { return nil }
    try await record(.renameMethod, of: account, by: actor, detail: Self.detail(kind, id))
    return device
  }

  /// Removes a device; `nil` when the account has no such device.
  package func removeMethod<Record>(
    _ id: String, kind: String, in devices: any DeviceStore<Record>, of account: UniversalID,
    by actor: AccountActor
  ) async throws -> Record? {
    _ = try await permit(.removeMethod, account, by: actor)
    guard let device = try await devices.delete(id, of: account) else { return nil }
    try await record(.removeMethod, of: account, by: actor, detail: Self.detail(kind, id))
    return device
  }

  /// Removes all devices of a kind.
  package func resetMethods<Record>(
    kind: String, in devices: any DeviceStore<Record>, of account: UniversalID,
    by actor: AccountActor
  ) async throws -> [Record] {
    _ = try await permit(.resetMethods, account, by: actor)
    guard try await store.user(account) != nil else { throw AccountRefusal.noSuchUser }
    let gone = try await devices.reset(account)
    try await record(.resetMethods, of: account, by: actor, detail: ["kind": .string(kind)])
    return gone
  }

  /// Sets whether the account may do without a kind of device.
  package func skipMethods<Record>(
    _ setting: SkipSetting, kind: String, in devices: any DeviceStore<Record>, of account: UniversalID,
    by actor: AccountActor
  ) async throws {
    _ = try await permit(.skipMethods, account, by: actor)
    guard try await devices.set(setting, of: account) else { throw AccountRefusal.noSuchUser }
    try await record(
      .skipMethods, of: account, by: actor,
      detail: ["members": [.string("skip \(kind)")]])
  }

  private static func detail(_ kind: String, _ id: String) -> JSONObject {
    ["kind": .string(kind), "device": .string(String(id.prefix(200)))]
  }

  // MARK: Sessions

  // Ending sessions also ends what they led to: grants, persistent cookies, running journeys that had accepted the old password. It revokes
  // SSH certificates, too, and so does ending a single session from another one: the account's person can get a new certificate. Only
  // signing out of the own session keeps them.

  /// Ends all sessions of the account.
  package func endSessions(of account: UniversalID, by actor: AccountActor) async throws {
    _ = try await permit(.endSessions, account, by: actor)
    try await end(.all, of: account)
    try await record(.endSessions, of: account, by: actor)
  }

  /// Ends the account's sessions except one. Returns how many ended.
  package func endOtherSessions(of session: SessionRecord) async throws -> Int {
    let (account, actor) = (session.account, AccountActor.session(session))
    _ = try await permit(.endSessions, account, by: actor)
    let ended = try await end(.others(than: session.tokenHash), of: account)
    if ended.sessions > 0 || ended.certificates > 0 {
      try await record(
        .endSessions, of: account, by: actor,
        detail: [
          "sessions": .integer(Int64(ended.sessions)), "certificates": .integer(Int64(ended.certificates)),
        ])
    }
    return ended.sessions
  }

  /// Ends one session, and what clients were granted in it.
  ///
  /// Ending another session than the actor's own also revokes the account's SSH certificates, because one that a stranger got in it would
  /// stay valid. Signing out keeps them.
  ///
  /// - Returns: whether the session existed.
  package func end(_ session: SessionRecord, by actor: AccountActor) async throws -> Bool {
    _ = try await permit(.endSessions, session.account, by: actor)
    let isOwn = if case .session(let own) = actor { own.tokenHash == session.tokenHash } else { false }
    let ended = try await end(
      .one(session.tokenHash), of: session.account, takesBackCertificates: !isOwn)
    guard ended.sessions > 0 else { return false }
    try await record(.endSessions, of: session.account, id: session.accountID, by: actor)
    return true
  }

  @discardableResult
  private func end(
    _ ending: EndingSessions, of account: UniversalID, takesBackCertificates: Bool = true
  ) async throws -> EndedSessions {
    try await store.endSessions(
      ending, of: account, telling: clientsToTell(account.realm),
      takesBackCertificates: takesBackCertificates,
      now: clock())
  }
}

extension UserRecord {
  /// The number of the persistent cookies that are valid.
  package var cookieEpoch: Int { Int(attributes[ManagedAttribute.cookieEpoch]?.integerValue ?? 0) }
}
