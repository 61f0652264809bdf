internal import Accounts
package import BindingFormats
package import Hummingbird
package import JourneyStore

/// Checks who may look at what, including things that are not accounts. ``Accounts`` checks the acts that change an account.
extension SessionAuthority {
  /// - Throws: 403 unless the session may use the capability in `realm`.
  package func require(_ capability: Capability, _ session: AuthenticatedSession, of realm: String)
    async throws
  {
    try await accounts.require(capability, session.record, of: realm)
  }

  /// The request's session, if it may use the capability in `realm`.
  ///
  /// - Throws: 401, 403.
  @discardableResult
  package func require(
    _ capability: Capability, _ request: Request, of realm: String
  ) async throws -> AuthenticatedSession {
    let session = try await requireSession(request)
    try await require(capability, session, of: realm)
    return session
  }

  /// Lets accounts look at themselves, and others with a capability over the account.
  ///
  /// - Throws: 403 for all others.
  package func require(
    _ capability: Capability, _ session: AuthenticatedSession, over account: UniversalID
  ) async throws {
    guard session.account != account else { return }
    try await accounts.require(capability, session.record, over: account)
  }

  /// The account that a path names, if the request's session is the account's own or has the capability over it.
  package func require(
    _ capability: Capability, _ request: Request, in context: ResourceContext
  ) async throws -> UniversalID {
    let (account, session) = try await self.account(request, in: context)
    try await require(capability, session, over: account)
    return account
  }

  /// The account that a path names, and the request's session. Its permissions are not checked yet.
  package func account(
    _ request: Request, in context: ResourceContext
  ) async throws -> (account: UniversalID, session: AuthenticatedSession) {
    let session = try await requireSession(request)
    return (try AccountName.account(context.user, realm: context.realm), session)
  }
}
