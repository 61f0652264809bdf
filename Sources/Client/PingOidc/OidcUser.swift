internal import PingOrchestrate

/// A person who is signed in with OpenID Connect, by the agent of a configuration.
// Its properties are immutable and Sendable, or guarded.
public class OidcUser: User, @unchecked Sendable {
  private let client: OidcClient

  /// Claims, and the tokens that they were obtained with. Other tokens in the storage may be another person's.
  private struct Remembered {
    let claims: UserInfo
    let token: Token
  }
  @Guarded private var remembered: Remembered?

  /// The user whose tokens are in the storage of `config`.
  public init(config: OidcClientConfig) { client = OidcClient(config: config) }

  public func token() async -> Result<Token, OidcError> { await client.token() }

  public func refresh() async -> Result<Token, OidcError> {
    remembered = nil
    return await client.refresh()
  }

  public func revoke() async {
    remembered = nil
    await client.revoke()
  }

  public func userinfo(cache: Bool = true) async -> Result<UserInfo, OidcError> {
    if cache, let remembered, await client.stores(remembered.token) { return .success(remembered.claims) }
    do {
      let token = try await client.token().get()
      let claims = try await client.userinfo(with: token)
      if cache { remembered = Remembered(claims: claims, token: token) }
      return .success(claims)
    } catch { return .failure(OidcError.wrapping(error)) }
  }

  public func logout() async {
    remembered = nil
    await client.endSession()
  }
}
