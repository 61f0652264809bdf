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

  func token() async -> Result<Token, OidcError> { .failure(noTokens) }
  func refresh() async -> Result<Token, OidcError> { .failure(noTokens) }
  func userinfo(cache: Bool) async -> Result<UserInfo, OidcError> { .failure(noTokens) }

  /// There is nothing to revoke.
  func revoke() async {}

  /// Ends the session on the server, then deletes it here. Without a network the session stays; `journeySignOff()` reports this.
  func logout() async {
    if case .failure(let error) = await journey.signOff() {
      journey.config.logger.w("The session could not be ended", error: error)
    }
  }

  private var noTokens: OidcError { .authorizeError(message: NoTokens.explanation) }
}

extension JourneyUser: CustomStringConvertible, CustomReflectable {
  /// Without the token.
  var description: String { "JourneyUser(session: redacted)" }
  var customMirror: Mirror { Mirror(self, children: [:]) }
}
