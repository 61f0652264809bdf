package import BindingFormats
internal import Foundation
package import JourneyStore
internal import PasswordRules
internal import SecurityEvents
package import StrictJSON

extension Accounts {
  /// How often a change is retried because somebody else changed the account meanwhile.
  private static let attempts = 5

  // MARK: Creating

  /// Adds an account.
  ///
  /// - Parameters:
  ///   - user: without a password, or with a hash that another system has made.
  ///   - isTrial: checks everything and stores nothing.
  /// - Throws: ``AccountRefusal``.
  package func create(
    _ user: UserRecord, password: String?, by actor: AccountActor, isTrial: Bool = false
  ) async throws -> UserRecord {
    let permit = try await permit(.create, user.account, by: actor)
    if let fault = LoginName.fault(in: user.username) { throw AccountRefusal.invalid(fault) }
    if let excess = AccountAttributes.excess(user.attributes, mail: user.mail) {
      throw AccountRefusal.invalid(excess)
    }
    try requireValues(user.attributes, mail: user.mail, before: nil, by: actor)
    // This comes before the costly hash. The store makes the final decision.
    guard try await store.user(user.account) == nil else {
      throw AccountRefusal.conflict("user \(user.username) exists")
    }
    if let password { try requireGood(password, username: user.username, mail: user.mail) }
    guard !isTrial else { return user }
    var user = user
    if let password { user.passwordHash = try await passwords.hash(password) }
    if case .journey(let run) = actor {
      var state = MailState(user)
      state.replace([], by: user.mail, areVouched: false, proven: run.provenMail)
      user.attributes[ManagedAttribute.mailState] = state.json
    }
    do { try await store.createUser(user, by: permit.caller) } catch StoreError.conflict(let what) {
      throw AccountRefusal.conflict(what)
    }
    try await record(.create, of: user.account, id: user.id, by: actor)
    return user
  }

  // MARK: Changing

  /// Changes an account according to its state at that moment.
  ///
  /// - Parameter change: what is wanted, given the account's present state; called again when somebody else has changed it meanwhile.
  /// - Throws: ``AccountRefusal``, what `change` throws, or the store's error.
  package func change(
    _ account: UniversalID, by actor: AccountActor,
    _ change: (UserRecord) async throws -> AccountChange
  ) async throws -> UserRecord {
    try await self.change(by: actor, reading: { try await store.user(account) }, change)
  }

  /// The same for the account with that id.
  package func change(
    id: String, realm: String, by actor: AccountActor,
    _ change: (UserRecord) async throws -> AccountChange
  ) async throws -> UserRecord {
    try await self.change(by: actor, reading: { try await store.user(id: id, realm: realm) }, change)
  }

  private func change(
    by actor: AccountActor, reading: () async throws -> UserRecord?,
    _ change: (UserRecord) async throws -> AccountChange
  ) async throws -> UserRecord {
    for _ in 0..<Self.attempts {
      guard let user = try await reading() else { throw AccountRefusal.noSuchUser }
      let wanted = try await change(user)
      let isConditional = wanted.revision != nil
      if let changed = try await make(wanted, of: user, by: actor) { return changed }
      if isConditional { break }
    }
    throw AccountRefusal.changedMeanwhile
  }

  /// Makes the change once; `nil` when the account has changed meanwhile.
  private func make(
    _ wanted: AccountChange, of user: UserRecord, by actor: AccountActor
  ) async throws -> UserRecord? {
    if let revision = wanted.revision, revision != user.revision { throw AccountRefusal.changedMeanwhile }
    let isAdministrator: Bool
    if case .session(let session) = actor {
      isAdministrator = try await allows(.administrate, session, of: user.realm)
    } else {
      isAdministrator = false
    }
    let isOwn = actor.isSession && actor.isOwner(of: user.account)
    let isOwner = wanted.isAsOwner || (isOwn && !isAdministrator)
    // The help desk sends the account as it was read, with a new password.
    let isHelp = actor.isSession && !isAdministrator && !isOwn
    var update = UserChange(of: user)
    update.revision = user.revision
    update.requiresActive = wanted.requiresActive
    var mail = wanted.mail
    if case .replacing = wanted.attributes, mail == nil, !isHelp,
      !isOwner || schema.isEditable(ManagedAttribute.mail)
    {
      mail = []
    }
    update.mail = mail.flatMap { $0 == user.mail ? nil : $0 }
    update.attributes = attributes(wanted.attributes, of: user, isOwner: isOwner, isHelp: isHelp)
    if update.attributes == user.attributes { update.attributes = nil }
    update.isActive = wanted.isActive.flatMap { $0 == user.isActive ? nil : $0 }
    update.mustChangePassword = wanted.mustChangePassword.flatMap {
      $0 == user.mustChangePassword ? nil : $0
    }
    update.passwordExpiry = wanted.passwordExpiry.flatMap { $0.date == user.passwordExpiry ? nil : $0 }
    // Every read of the account includes all of this, so it must stay small.
    if let excess = AccountAttributes.excess(
      update.attributes ?? user.attributes, mail: update.mail ?? user.mail)
    {
      throw AccountRefusal.invalid(excess)
    }
    let acts = acts(update, password: wanted.password, of: user, by: actor)
    try requireOwnersMembersOnly(update, of: user, isOwner: isOwner)
    try requireValues(
      update.attributes ?? user.attributes, mail: update.mail ?? user.mail, before: user, by: actor)
    if let password = wanted.password {
      try requireGood(password, username: user.username, mail: user.mail + (update.mail ?? []))
    }
    // Proving a reset password is enough to replace it; otherwise the person could not sign in to prove more.
    let isForced = user.mustChangePassword && actor.isJourney && wanted.provenPassword == user.passwordVersion
    update.caller = try await permit(
      isForced ? acts.subtracting([.changePassword]) : acts, of: user, by: actor,
      isAdministrator: isAdministrator)
    if let mail = update.mail {
      var state = MailState(user)
      state.replace(
        user.mail, by: mail, areVouched: !actor.isOwner(of: user.account) && !actor.isJourney,
        proven: actor.provenMail)
      var attributes = update.attributes ?? user.attributes
      attributes[ManagedAttribute.mailState] = state.json
      update.attributes = attributes
    }
    if let password = wanted.password {
      // Whoever helps knows the password that they set, so they do not decide that it stays.
      guard !isHelp || wanted.mustChangePassword != false else {
        throw AccountRefusal.forbidden("only administrators set a password that its person need not change")
      }
      var version = wanted.provenPassword
      if acts.contains(.changePassword), actor.isSession {
        version = try await wanted.proof?(user)
        guard version != nil else { throw AccountRefusal.unproven }
      }
      update.password = UserChange.Password(
        hash: try await passwords.hash(password), checkedVersion: version)
      // People who chose the password need not choose another; a password set by the help desk must be replaced. Administrators decide
      // explicitly.
      if wanted.mustChangePassword == nil {
        if acts.contains(.changePassword) || actor.isJourney {
          update.mustChangePassword = false
        } else if isHelp {
          update.mustChangePassword = true
        }
      }
    }
    guard !acts.isEmpty || update.isChange else { return user }
    let changed: UserRecord
    do {
      switch try await store.updateUser(update) {
      case .changed(let user): changed = user
      case .noSuchUser: throw AccountRefusal.noSuchUser
      case .passwordChanged: throw AccountRefusal.unproven
      case .revisionChanged: return nil
      }
    } catch StoreError.conflict {
      throw AccountRefusal.conflict("a value that must be unique is taken")
    } catch StoreError.lastAdministrator { throw AccountRefusal.lastAdministrator }
    try await report(acts, of: user, to: changed, by: actor)
    return changed
  }

  /// The acts that the change consists of, whatever the sender called it.
  private func acts(
    _ update: UserChange, password: String?, of user: UserRecord, by actor: AccountActor
  ) -> Set<AccountAct> {
    var acts: Set<AccountAct> = []
    let isReset = password != nil && !actor.isOwner(of: user.account)
    if password != nil { acts.insert(isReset ? .resetPassword : .changePassword) }
    if update.mail != nil { acts.insert(.changeMail) }
    if let isActive = update.isActive { acts.insert(isActive ? .activate : .deactivate) }
    // Setting somebody's password includes the right to say whether they must choose another.
    if update.mustChangePassword != nil && !isReset || update.passwordExpiry != nil {
      acts.insert(.setPasswordState)
    }
    for name in update.changedAttributes(of: user) {
      switch name {
      case ManagedAttribute.links: acts.insert(.changeLinks)
      case ManagedAttribute.securityQuestions: acts.insert(.changeSecurityQuestions)
      default: acts.insert(.changeAttributes)
      }
    }
    return acts
  }

  /// Permits all acts to the actor, and returns the caller for the write.
  private func permit(
    _ acts: Set<AccountAct>, of user: UserRecord, by actor: AccountActor, isAdministrator: Bool
  ) async throws -> Caller? {
    let account = user.account
    var permit: Permit?
    // The rarest right comes first, so that a refusal names what is lacking.
    for act in AccountAct.allCases where acts.contains(act) {
      let next = try await self.permit(act, account, by: actor)
      if permit == nil || next.right == .capability(.administrate) { permit = next }
    }
    if permit == nil, case .session(let session) = actor {
      // Nothing differs, but an actor who may not look at the account is still refused.
      let right: Caller.Right = actor.isOwner(of: account) ? .ownAccount : .capability(.support)
      if right != .ownAccount { try await require(.support, session, over: account) }
      return caller(actor, by: right)
    }
    return isAdministrator ? caller(actor, by: .capability(.administrate)) : permit?.caller
  }

  private func report(
    _ acts: Set<AccountAct>, of user: UserRecord, to changed: UserRecord, by actor: AccountActor
  ) async throws {
    if let address = user.countingMail {
      for (act, change) in [
        (AccountAct.changeMail, AccountNotice.Change.mail), (.changeLinks, .links),
        (.changeSecurityQuestions, .securityQuestions),
      ] where acts.contains(act) {
        notify(AccountNotice(change: change, account: user.account, address: address))
      }
    }
    var reports = AccountAct.allCases.filter { acts.contains($0) && $0.event != .accountChanged }
      .map { ($0.event, JSONObject()) }
    var members = changed.membersDiffering(from: user)
    if !acts.contains(.setPasswordState) { members.removeAll { $0 == "pwdReset" } }
    if !members.isEmpty {
      // Only names are recorded: values may be anything that people keep with an account.
      reports.append(
        (.accountChanged, ["members": .array(members.prefix(100).map { .string(String($0.prefix(100))) })]))
    }
    // The change has happened, so an event that cannot be written leaves out none of the others.
    var failure: (any Error)?
    for (kind, detail) in reports {
      do { try await record(kind, of: changed.account, id: changed.id, by: actor, detail: detail) } catch {
        failure = failure ?? error
      }
    }
    if let failure { throw failure }
  }

  // MARK: Values

  /// - Throws: ``AccountRefusal/password(_:)`` unless the password may be set.
  private func requireGood(_ password: String, username: String, mail: [String]) throws(AccountRefusal) {
    let faults = policy.faults(in: password, context: [username] + mail)
    guard faults.isEmpty else { throw .password(faults) }
  }

  /// Refuses values that the schema does not allow. Existing values may stay.
  private func requireValues(
    _ attributes: JSONObject, mail: [String], before user: UserRecord?, by actor: AccountActor
  ) throws(AccountRefusal) {
    var failures: [ManagedSchema.Failure] = []
    for (name, value) in attributes where user?.attributes[name] != value && !value.isNull {
      // Only nodes and scripts keep values there.
      let isKept = ManagedAttribute.hidden.contains(name) || ManagedAttribute.serversOwn.contains(name)
      guard !ManagedAttribute.internals.contains(name),
        actor.isJourney || !ManagedAttribute.hidden.contains(name)
      else { throw .invalid("The attribute \(name) is kept by the server, and cannot be set.") }
      if isKept, actor.isJourney, schema.attribute(name) == nil { continue }
      failures += schema.failures(in: [name: value])
    }
    if mail != user?.mail ?? [] {
      for address in mail { failures += schema.failures(in: [ManagedAttribute.mail: .string(address)]) }
    }
    guard failures.isEmpty else { throw .schema(failures) }
  }

  /// Refuses changes by owners to what only administrators may change. Unchanged members may be sent back.
  private func requireOwnersMembersOnly(
    _ update: UserChange, of user: UserRecord, isOwner: Bool
  ) throws(AccountRefusal) {
    guard isOwner else { return }
    for name in update.changedAttributes(of: user) where !schema.isEditable(name) {
      throw .forbidden("only administrators change the attribute \(name)")
    }
    guard update.mail == nil || schema.isEditable(ManagedAttribute.mail) else {
      throw .forbidden("only administrators change the mail address")
    }
    guard update.isActive == nil else { throw .forbidden("only administrators change the status") }
    guard update.mustChangePassword == nil, update.passwordExpiry == nil else {
      throw .forbidden("only administrators decide about the state of a password")
    }
  }

  /// The account's attributes afterwards: the server's own stay, and those that the owner may not change stay unless they are named.
  /// The help desk does not see all attributes, so those that it leaves out stay.
  private func attributes(
    _ wanted: AccountChange.Attributes, of user: UserRecord, isOwner: Bool, isHelp: Bool
  ) -> JSONObject? {
    switch wanted {
    case .unchanged: return nil
    case .setting(let values):
      var all = user.attributes
      for (name, value) in values { all[name] = value.isNull ? nil : value }
      return all
    case .replacing(let values):
      var all = isHelp ? user.attributes : JSONObject()
      for (name, value) in user.attributes
      where ManagedAttribute.hidden.contains(name) || isOwner && !schema.isEditable(name) {
        all[name] = value
      }
      all.merge(values)
      return all
    }
  }

  // MARK: What the server keeps there for itself

  /// Changes what the server keeps among an account's attributes. This is not an act, because nobody asked for it.
  ///
  /// - Returns: the account, and whether anything was written; `nil` when there is none.
  package func keep(
    id: String, realm: String, _ change: (UserRecord, inout JSONObject) throws -> Void
  ) async throws -> (user: UserRecord, isChanged: Bool)? {
    for _ in 0..<Self.attempts {
      guard let user = try await store.user(id: id, realm: realm) else { return nil }
      var attributes = user.attributes
      try change(user, &attributes)
      guard attributes != user.attributes else { return (user, false) }
      var update = UserChange(of: user)
      update.revision = user.revision
      update.attributes = attributes
      switch try await store.updateUser(update) {
      case .changed(let user): return (user, true)
      case .noSuchUser: return nil
      case .passwordChanged, .revisionChanged: continue
      }
    }
    throw AccountRefusal.changedMeanwhile
  }

  /// Notes that the account's person has opened a link that was sent to one of its addresses. Does nothing when the address is proven
  /// already, or gone.
  package func confirmMail(_ address: String, id: String, realm: String, by actor: AccountActor) async throws
  {
    let kept = try await keep(id: id, realm: realm) { user, attributes in
      guard user.mail.contains(where: { MailState.key($0) == MailState.key(address) }) else { return }
      var state = MailState(user)
      state.confirm(address)
      attributes[ManagedAttribute.mailState] = state.json
    }
    guard let kept, kept.isChanged else { return }
    try await record(.confirmMail, of: kept.user.account, id: id, by: actor)
  }
}

extension AccountActor {
  var isSession: Bool { if case .session = self { true } else { false } }
  var isJourney: Bool { if case .journey = self { true } else { false } }
  var provenMail: Set<String> { if case .journey(let run) = self { run.provenMail } else { [] } }
}

extension UserChange {
  fileprivate func changedAttributes(of user: UserRecord) -> [String] {
    guard let attributes else { return [] }
    let names = Set(attributes.map(\.name)).union(user.attributes.map(\.name))
    return names.filter { attributes[$0] != user.attributes[$0] }.sorted()
  }

  fileprivate var isChange: Bool {
    mail != nil || attributes != nil || isActive != nil || password != nil || mustChangePassword != nil
      || passwordExpiry != nil
  }
}

extension UserChange.Expiry {
  fileprivate var date: Date? { if case .at(let date) = self { date } else { nil } }
}

extension UserRecord {
  /// The names of the members that differ, as REST calls them; the password and the server's own attributes are left out.
  fileprivate func membersDiffering(from other: UserRecord) -> [String] {
    let names = Set(attributes.map(\.name)).union(other.attributes.map(\.name))
    var differing = names.filter {
      attributes[$0] != other.attributes[$0] && !ManagedAttribute.internals.contains($0)
    }
    if mail != other.mail { differing.insert("mail") }
    if isActive != other.isActive { differing.insert("inetUserStatus") }
    if mustChangePassword != other.mustChangePassword { differing.insert("pwdReset") }
    if passwordExpiry != other.passwordExpiry { differing.insert("ds-pwp-password-expiration-time") }
    return differing.sorted()
  }
}
