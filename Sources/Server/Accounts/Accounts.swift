package import BindingFormats
package import Foundation
package import JourneyStore
package import PasswordRules
package import SecurityEvents
package import StrictJSON

/// Decides on all operations on accounts: who may act, what they must have proven, which values are allowed, what ends with an act, and
/// what is reported. Callers parse, call and show.
package struct Accounts: Sendable {
  package let store: any ServerStore
  let passwords: any PasswordVerifying
  package let policy: PasswordPolicy
  package let schema: ManagedSchema
  package let factorChanges: FactorChangeCheck
  let events: SecurityEvents
  package let clock: @Sendable () -> Date

  /// Tells an account's person about a change, at the address that was valid before it.
  let notify: @Sendable (AccountNotice) -> Void

  /// The OpenID Connect clients of a realm to notify when a session ends in which they were granted something.
  package var clientsToTell: @Sendable (_ realm: String) -> Set<String> = { _ in [] }

  /// The actor's reason, which the event of each act records; `nil` when they were not asked.
  private var reason: String?

  /// The realm's journey that reaches the level; `nil` when there is none.
  package var stepUpJourney: @Sendable (_ authLevel: Int, _ realm: String) -> String? = { _, _ in nil }

  package init(
    store: any ServerStore, passwords: any PasswordVerifying, policy: PasswordPolicy = PasswordPolicy(),
    schema: ManagedSchema = .standard, factorChanges: FactorChangePolicy = FactorChangePolicy(),
    events: SecurityEvents = .none, clock: @escaping @Sendable () -> Date,
    notify: @escaping @Sendable (AccountNotice) -> Void = { _ in }
  ) {
    self.store = store
    self.passwords = passwords
    self.policy = policy
    self.schema = schema
    self.factorChanges = FactorChangeCheck(policy: factorChanges, store: store, clock: clock)
    self.events = events
    self.clock = clock
    self.notify = notify
  }

  /// Returns the same for an actor who gives a reason, which each event records.
  package func because(_ reason: String) -> Accounts {
    var accounts = self
    accounts.reason = reason
    return accounts
  }
}

// MARK: - Who may

extension Accounts {
  /// Permission for an actor to do something now, and how the write checks it again.
  package struct Permit: Sendable {
    /// For the write, which checks again (``JourneyStore/Caller``); `nil` where no session asks.
    package let caller: Caller?

    /// The right that was used; `nil` where no session asks.
    package let right: Caller.Right?

    /// What a write that adds a factor must check again.
    package let factors: FactorChangeCheck.Permission
  }

  /// Lets `actor` do `act` to `account`.
  ///
  /// - Throws: ``AccountRefusal``, or the store's error.
  package func permit(
    _ act: AccountAct, _ account: UniversalID, by actor: AccountActor
  ) async throws -> Permit {
    let right = try await right(act, account, by: actor)
    return Permit(
      caller: caller(actor, by: right), right: right, factors: try await factors(act, account, by: actor))
  }

  private func right(
    _ act: AccountAct, _ account: UniversalID, by actor: AccountActor
  ) async throws -> Caller.Right? {
    guard case .session(let session) = actor else { return nil }
    let isOwn = actor.isOwner(of: account)
    // Nobody may grant a role to their own account.
    if act == .grantRole, isOwn {
      throw AccountRefusal.forbidden("\(account.text) may not grant a role to its own account")
    }
    if isOwn, act.isForOwner { return .ownAccount }
    guard let capability = act.capability else {
      throw AccountRefusal.forbidden("\(session.account.text) may not \(act.rawValue) of \(account.text)")
    }
    try await require(capability, session, over: account)
    return .capability(capability)
  }

  /// The freshness and strength that a change of factors needs.
  private func factors(
    _ act: AccountAct, _ account: UniversalID, by actor: AccountActor
  ) async throws -> FactorChangeCheck.Permission {
    guard act.changesFactors else { return .granted }
    do {
      switch actor {
      case .session(let session):
        return try await factorChanges.permission(
          realm: account.realm, actor: session.account, proofs: [FactorChangeCheck.Proof(session)])
      case .journey(let run):
        return try await factorChanges.permission(
          realm: account.realm, actor: account, proofs: try await proofs(run, of: account))
      case .operator: return .granted
      }
    } catch let needed as StepUpNeeded { throw refusal(needed, account) }
  }

  private func refusal(_ needed: StepUpNeeded, _ account: UniversalID) -> AccountRefusal {
    .stepUp(needed, of: account, journey: stepUpJourney(needed.authLevel, needed.realm))
  }

  /// Requires of a session what a change of its own account's factors would require, for acts of equal weight, such as replacing a journey.
  ///
  /// - Parameter realm: the realm whose requirement applies.
  /// - Throws: ``AccountRefusal``.
  package func requireProof(_ session: SessionRecord, in realm: String) async throws {
    do {
      _ = try await factorChanges.permission(
        realm: realm, actor: session.account, proofs: [FactorChangeCheck.Proof(session)])
    } catch let needed as StepUpNeeded { throw refusal(needed, session.account) }
  }

  /// What a run has proven of the account, and the session presented at its start, if it is the account's and still alive.
  private func proofs(
    _ run: AccountActor.JourneyFacts, of account: UniversalID
  ) async throws -> [FactorChangeCheck.Proof] {
    var proofs: [FactorChangeCheck.Proof] = []
    if let name = run.username, let moment = run.authenticatedAt,
      UniversalID(username: name, realm: run.realm) == account
    {
      proofs.append(FactorChangeCheck.Proof(authLevel: run.authLevel, authenticatedAt: moment))
    }
    if let hash = run.sessionHash, let session = try await store.session(tokenHash: hash, now: clock()),
      session.account == account
    {
      proofs.append(FactorChangeCheck.Proof(session))
    }
    return proofs
  }

  /// The caller, whom the store checks again in the write that makes a change.
  func caller(_ actor: AccountActor, by right: Caller.Right?) -> Caller? {
    guard case .session(let session) = actor, let right else { return nil }
    return Caller(tokenHash: session.tokenHash, right: right, now: clock())
  }

  // MARK: Roles

  /// Whether the session's account has a role with the capability in `realm`, or in the root realm, whose roles count in all realms.
  /// Read from the account, not the session, so that a role taken away is gone at once.
  ///
  /// - Parameter target: the roles of the account concerned; `nil` when there is none.
  private func hasRole(
    _ capability: Capability, _ session: SessionRecord, of realm: String, over target: Set<AccountRole>?
  ) async throws -> Bool {
    guard session.realm == "root" || session.realm == realm else { return false }
    guard let user = try await store.user(session.account), user.isActive else { return false }
    return capability.isGranted(to: user.roles, over: target)
  }

  /// Whether the account of `accountRealm` with this id has a role with the capability in `realm` now, for what it has begun and others
  /// complete.
  package func hasRole(
    _ capability: Capability, id: String, accountRealm: String, of realm: String
  ) async throws -> Bool {
    guard accountRealm == "root" || accountRealm == realm,
      let user = try await store.user(id: id, realm: accountRealm), user.isActive
    else { return false }
    return capability.isGranted(to: user.roles, over: nil)
  }

  /// Whether the session may use a role with the capability now.
  package func allows(
    _ capability: Capability, _ session: SessionRecord, of realm: String
  ) async throws -> Bool {
    guard try await hasRole(capability, session, of: realm, over: nil) else { return false }
    do { try await factorChanges.requireStrength(of: session) } catch is StepUpNeeded { return false }
    return true
  }

  /// - Throws: ``AccountRefusal`` unless the session's account has the capability in `realm` and the session has proven enough to use it.
  package func require(
    _ capability: Capability, _ session: SessionRecord, of realm: String
  ) async throws {
    guard try await hasRole(capability, session, of: realm, over: nil) else {
      throw AccountRefusal.forbidden("\(session.account.text) may not \(capability) in realm \(realm)")
    }
    try await requireStrength(session, of: session.account)
  }

  /// - Throws: ``AccountRefusal`` unless the session's account has the capability over `account`. Others learn nothing about it, not even
  ///   whether it exists.
  package func require(
    _ capability: Capability, _ session: SessionRecord, over account: UniversalID
  ) async throws {
    let target = try await store.user(account)
    guard try await hasRole(capability, session, of: account.realm, over: target?.roles) else {
      throw AccountRefusal.forbidden("\(session.account.text) may not \(capability) of \(account.text)")
    }
    // A name that no account can have may stand for a whole realm in the store (`AccountKey`), which a role over accounts does not cover.
    if let fault = LoginName.faultInAddress(account.username) { throw AccountRefusal.invalid(fault) }
    try await requireStrength(session, of: account)
  }

  private func requireStrength(_ session: SessionRecord, of account: UniversalID) async throws {
    do { try await factorChanges.requireStrength(of: session) } catch let needed as StepUpNeeded {
      throw refusal(needed, account)
    }
  }
}

// MARK: - What is reported

extension Accounts {
  /// Writes the event of an act that has happened; on disk when it returns.
  package func record(
    _ act: AccountAct, of account: UniversalID, id: String? = nil, by actor: AccountActor,
    detail: JSONObject = JSONObject()
  ) async throws {
    try await record(act.event, of: account, id: id, by: actor, detail: detail)
  }

  func record(
    _ kind: SecurityEvent.Kind, of account: UniversalID, id: String? = nil, by actor: AccountActor,
    detail: JSONObject = JSONObject()
  ) async throws {
    var event = SecurityEvent(
      kind, realm: account.realm, account: account.username, accountID: id, detail: detail)
    if let reason { event.detail["reason"] = .string(reason) }
    switch actor {
    case .session(let session):
      if session.account != account {
        event.actor = "\(session.username)@\(session.realm)"
      } else {
        event.accountID = id ?? session.accountID
      }
    case .journey(let run): event.journey = run.journey
    case .operator: break
    }
    try await events.require(event)
  }
}

extension SessionRecord {
  /// The account of the session.
  package var account: UniversalID { UniversalID(username: username, realm: realm) }
}

/// A notice that an account's person gets by mail, at the address that was valid before.
package struct AccountNotice: Sendable, Hashable {
  package enum Change: Sendable, Hashable {
    case mail
    case links
    case securityQuestions
  }

  package var change: Change
  package var account: UniversalID

  /// The address to send it to.
  package var address: String
}
