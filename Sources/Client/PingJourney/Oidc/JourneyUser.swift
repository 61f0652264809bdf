internal import PingJourneyPlugin
internal import PingLogger
public import PingOidc
public import PingOrchestrate

extension Workflow {
  /// The user signed in at this journey's server and realm; `nil` when no one is, or when the session's storage cannot be read.
  public func journeyUser() async -> (any User)? {
    await session().map { JourneyUser(value: $0.value, journey: self) }
  }
}

extension SuccessNode {
  /// The session if it is a user; `nil` after a journey, whose session is an ``SSOToken``: use `journeyUser()`.
  public var user: (any User)? { session as? any User }
}

extension User {
  /// The session that the user is signed in with, for a user of `journeyUser()`.
  public var session: (any Session)? { self as? any Session }
}

/// The user signed in with a journey's session.
struct JourneyUser: User, Session {
  /// The session token. A secret: never log it.
  let value: String
  let journey: Workflow

  func token() async -> Result<Token, OidcError> { await with { await $0.token() } }
  func refresh() async -> Result<Token, OidcError> { await with { await $0.refresh() } }
  func userinfo(cache: Bool) async -> Result<UserInfo, OidcError> {
    await with { await $0.userinfo(cache: cache) }
  }

  func revoke() async {
    if case .success(let user) = oidcUser { await user.revoke() }
  }

  /// Revokes and deletes the tokens, and ends the session on the server, then deletes it here. Without a network the session stays;
  /// `journeySignOff()` reports this.
  func logout() async {
    if case .failure(let error) = await journey.signOff() {
      journey.config.logger.w("The session could not be ended", error: error)
    }
  }

  private func with<Value>(
    _ body: (OidcUser) async -> Result<Value, OidcError>
  ) async -> Result<Value, OidcError> {
    switch oidcUser {
    case .success(let user): await body(user)
    case .failure(let error): .failure(error)
    }
  }

  /// The user, authorized by the session.
  private var oidcUser: Result<OidcUser, OidcError> {
    let context = journey.sharedContext
    guard let config = context.get(key: JourneyConstants.oidcClient) as? OidcClientConfig,
      let users = context.get(key: OidcUsers.key) as? OidcUsers, !config.clientId.isEmpty
    else {
      return .failure(
        .authorizeError(
          message:
            "The journey is not an OpenID Connect client: configure PingJourney.OidcModule with a clientId."
            + " The session token is in journey.session()."))
    }
    let server = journey.config as? JourneyConfig
    let agent = SessionAgent(
      session: value, cookie: server?.cookie ?? JourneyConstants.cookie, origin: server?.serverOrigin)
    return .success(
      users.user(of: value) {
        let own = config.clone()
        own.updateAgent(agent)
        own.useSession(value)
        return OidcUser(config: own)
      })
  }
}

extension JourneyUser: CustomStringConvertible, CustomReflectable {
  /// A description without the token.
  var description: String { "JourneyUser(session: redacted)" }
  var customMirror: Mirror { Mirror(self, children: [:]) }
}
