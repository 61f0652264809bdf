internal import BindingFormats
internal import Hummingbird
internal import JourneyStore

/// Who may do what: the only place that decides it for requests. Writes check again (``JourneyStore/Caller``).
extension SessionAuthority {
  /// Whether the session's account has a role with the capability in `realm`, or in the root realm, whose roles count in all realms.
  /// Read from the account, not the session, so that a role taken away is gone at once.
  ///
  /// - Parameter target: the roles of the account concerned; `nil` when there is none.
  func allows(
    _ capability: Capability, _ session: AuthenticatedSession, of realm: String,
    over target: Set<AccountRole>? = nil
  ) async throws -> Bool {
    guard session.record.realm == "root" || session.record.realm == realm else { return false }
    let user = try await store.user(named: session.record.username, realm: session.record.realm)
    guard let user, user.isActive else { return false }
    return capability.isGranted(to: user.roles, over: target)
  }

  /// - Throws: 403 unless the session's account has the capability in `realm`.
  func require(_ capability: Capability, _ session: AuthenticatedSession, of realm: String) async throws {
    guard try await allows(capability, session, of: realm) else {
      throw ErrorResponse.forbidden("\(session.account.text) may not \(capability) in realm \(realm)")
    }
  }

  /// The request's session, if its account has the capability in `realm`.
  ///
  /// - Throws: 401, 403.
  @discardableResult
  func require(
    _ capability: Capability, _ request: Request, of realm: String
  ) async throws -> AuthenticatedSession {
    let session = try await requireSession(request)
    try await require(capability, session, of: realm)
    return session
  }

  /// Lets accounts act on themselves, and others with a capability over the account.
  ///
  /// - Returns: the right to name in the write.
  /// - Throws: 403 for all others.
  @discardableResult
  func require(
    _ capability: Capability, _ session: AuthenticatedSession, over account: UniversalID
  ) async throws -> Caller.Right {
    guard session.account != account else { return .ownAccount }
    // Others learn nothing of an account, not even whether it exists.
    let target = try await store.user(account)
    guard try await allows(capability, session, of: account.realm, over: target?.roles) else {
      throw ErrorResponse.forbidden("\(session.account.text) may not \(capability) of \(account.text)")
    }
    return .capability(capability)
  }

  /// The account that a path names, if the request's session is the account's own or has the capability over it.
  func require(
    _ capability: Capability, _ request: Request, user: String, realm: String
  ) async throws -> UniversalID {
    let session = try await requireSession(request)
    let account = try AccountName.account(user, realm: realm)
    try await require(capability, session, over: account)
    return account
  }
}
