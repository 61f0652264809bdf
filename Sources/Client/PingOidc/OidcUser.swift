internal import PingOrchestrate

/// A person who is signed in with OpenID Connect, by the agent of a configuration.
// Its properties are immutable and Sendable, or guarded.
public class OidcUser: User, @unchecked Sendable {
  private let client: OidcClient
  @Guarded private var claims: UserInfo?

  /// The user whose tokens are in the storage of `config`.
  public init(config: OidcClientConfig) { client = OidcClient(config: config) }

  public func token() async -> Result<Token, OidcError> { await client.token() }

  public func refresh() async -> Result<Token, OidcError> {
    claims = nil
    return await client.refresh()
  }

  public func revoke() async {
    claims = nil
    await client.revoke()
  }

  public func userinfo(cache: Bool = true) async -> Result<UserInfo, OidcError> {
    if cache, let claims { return .success(claims) }
    let answer = await client.userinfo()
    if cache, case .success(let answer) = answer { claims = answer }
    return answer
  }

  public func logout() async {
    claims = nil
    await client.endSession()
  }
}
