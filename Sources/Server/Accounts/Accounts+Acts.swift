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

  /// Forgets the failures and locks of an account; whether there were any.
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

  /// Says whether the account may do without a kind of device.
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

  /// Ends all sessions of the account, what clients were granted in them, and cookies by which browsers sign in again.
  package func endSessions(of account: UniversalID, by actor: AccountActor) async throws {
    _ = try await permit(.endSessions, account, by: actor)
    try await endGrants(account, nil)
    try await endPersistentCookies(of: account)
    _ = try await store.deleteSessions(of: account)
    try await record(.endSessions, of: account, by: actor)
  }

  /// Ends the account's sessions but one, and cookies by which browsers sign in again; how many sessions.
  package func endOtherSessions(of session: SessionRecord) async throws -> Int {
    let (account, actor) = (session.account, AccountActor.session(session))
    _ = try await permit(.endSessions, account, by: actor)
    try await endPersistentCookies(of: account)
    var count = 0
    for other in try await store.sessions(of: account, now: clock())
    where other.tokenHash != session.tokenHash {
      try await endGrants(account, other.tokenHash)
      if try await store.deleteSession(tokenHash: other.tokenHash) { count += 1 }
    }
    if count > 0 {
      try await record(
        .endSessions, of: account, by: actor, detail: ["sessions": .integer(Int64(count))])
    }
    return count
  }

  /// Ends one session. Clients' grants end first, so that an interrupted sign-out can be repeated.
  ///
  /// - Returns: whether it was there.
  package func end(_ session: SessionRecord, by actor: AccountActor) async throws -> Bool {
    _ = try await permit(.endSessions, session.account, by: actor)
    try await endGrants(session.account, session.tokenHash)
    guard try await store.deleteSession(tokenHash: session.tokenHash) else { return false }
    try await record(.endSessions, of: session.account, id: session.accountID, by: actor)
    return true
  }

  /// Invalidates all persistent cookies of the account.
  private func endPersistentCookies(of account: UniversalID) async throws {
    guard let user = try await store.user(account) else { return }
    _ = try await keep(id: user.id, realm: user.realm) { user, attributes in
      attributes[ManagedAttribute.cookieEpoch] = .integer(Int64(user.cookieEpoch) &+ 1)
    }
  }
}

extension UserRecord {
  /// The number of the persistent cookies that are valid.
  package var cookieEpoch: Int { Int(attributes[ManagedAttribute.cookieEpoch]?.integerValue ?? 0) }
}
