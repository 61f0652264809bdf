internal import Bytes
internal import Concurrency
public import Foundation
internal import OpenIDFormats
internal import PingLogger
public import PingOrchestrate
internal import PingStorage

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// Obtains, renews and revokes the tokens of a person at an OpenID provider.
///
/// An ID token is accepted only when one of the provider's published keys signed it and its issuer, client, time and nonce are right;
/// otherwise none of the tokens that came with it is kept. Changes of the stored tokens happen one at a time.
// Its properties are guarded, or immutable and Sendable.
public class OidcClient: @unchecked Sendable {
  // swift-format-ignore: AlwaysUseLowerCamelCase
  /// Names of parameters.
  public enum Constants {
    public static let client_id = "client_id"
    public static let grant_type = "grant_type"
    public static let refresh_token = "refresh_token"
    public static let token = "token"
    public static let authorization_code = "authorization_code"
    public static let redirect_uri = "redirect_uri"
    public static let code_verifier = "code_verifier"
    public static let code = "code"
    public static let id_token_hint = "id_token_hint"
  }

  /// The secrets of the sign-in that ``generateAuthorizeUrl(customParams:)`` began; `nil` when no sign-in is open. Keep them and set them
  /// again if the program may end while the browser is open.
  @Guarded public var pkce: Pkce?

  let config: OidcClientConfig

  public init(config: OidcClientConfig) { self.config = config }

  // MARK: Signing in by a redirect

  /// Begins a sign-in and returns the address to open in a browser. A sign-in that is still open is abandoned.
  ///
  /// - Parameter customParams: further parameters, such as `acr_values`; they replace those of the configuration, but not the
  ///   ones that the protocol relies on.
  /// - Throws: ``OidcError/unknown(cause:message:)`` when the provider's addresses are not known: call
  ///   ``OidcClientConfig/oidcInitialize()`` before.
  public func generateAuthorizeUrl(customParams: [String: String]? = nil) throws -> URL {
    guard let openId = config.openId else {
      throw OidcError.unknown(message: "The provider's addresses are not known: call oidcInitialize() first.")
    }
    guard !config.par else {
      throw OidcError.unknown(message: "The request is to be pushed (par): call authorizeUrl(customParams:).")
    }
    let pkce = Pkce.generate()
    return try open(
      config.authorizationRequest(at: openId, pkce: pkce, further: customParams ?? [:]), pkce)
  }

  /// Looks up the provider's addresses, pushes the request if ``OidcClientConfig/par`` is set, and begins a sign-in as
  /// ``generateAuthorizeUrl(customParams:)`` does.
  ///
  /// - Throws: ``OidcError``.
  public func authorizeUrl(customParams: [String: String]? = nil) async throws -> URL {
    let pkce = Pkce.generate()
    let request: Request
    do {
      request = try await config.authorizationPage(
        at: try await config.provider(), pkce: pkce, further: customParams ?? [:])
    } catch { throw OidcError.wrapping(error) }
    return try open(request, pkce)
  }

  /// Begins the sign-in that `request` asks for.
  private func open(_ request: Request, _ pkce: Pkce) throws(OidcError) -> URL {
    guard request.problem == nil, let url = request.urlRequest.url else {
      throw OidcError.unknown(
        cause: request.problem, message: "The authorization endpoint is not a web address.")
    }
    self.pkce = pkce
    return url
  }

  /// Reads the redirect that ended the sign-in, exchanges its code and stores the tokens. Each redirect is valid once.
  ///
  /// - Throws: ``OidcError``. A redirect that answers another request leaves the sign-in open.
  public func extractCodeAndGetToken(from url: URL) async throws -> Token {
    let openId = try await config.provider()
    guard let pkce else { throw OidcError(.codeAlreadyUsed) }
    let code = try config.code(in: url.absoluteString, answering: pkce, at: openId)
    // Only one caller can take it: a second caller with the same redirect fails.
    guard take(pkce) else { throw OidcError(.codeAlreadyUsed) }
    return try await exchanged(config.authCode(code, for: pkce))
  }

  private func take(_ pkce: Pkce) -> Bool {
    let isOpen = taken.withLock { taken in
      defer { taken = pkce.codeVerifier }
      return taken != pkce.codeVerifier
    }
    if isOpen { self.pkce = nil }
    return isOpen
  }

  /// The verifier of the last sign-in that was exchanged.
  private let taken = Locked<String?>(nil)

  /// The scheme of the redirect URI, with which the browser returns to the app.
  public func redirectURIScheme() -> String? { URL(string: config.redirectUri)?.scheme }

  // MARK: Tokens

  /// Returns valid tokens: the stored ones, renewed when they have expired, or else new ones from the agent.
  ///
  /// Without a network the stored tokens stay. When they can no longer be renewed, they are deleted and the agent is asked.
  public func token() async -> Result<Token, OidcError> {
    await result {
      try await config.shared.tokens.withLock {
        if let stored = try await config.storedToken() {
          guard stored.isExpired(threshold: config.refreshThreshold, at: config.now()) else { return stored }
          if let renewed = try await renewed() { return renewed }
          try await config.storage.delete()
        }
        return try await exchange(try await config.agentDelegate().authenticate())
      }
    }
  }

  /// The renewed tokens, by this process or another; `nil` when they can no longer be renewed.
  private func renewed() async throws -> Token? {
    do {
      return try await config.renewing {
        guard let stored = try await config.storedToken() else { return nil }
        guard stored.isExpired(threshold: config.refreshThreshold, at: config.now()) else { return stored }
        guard let refreshToken = stored.refreshToken else { return nil }
        return try await renew(refreshToken, replacing: stored)
      }
    } catch let error as OidcError where error.isFinalRefusal {
      config.logger.i("The tokens could not be renewed: \(error.errorMessage)")
      return nil
    }
  }

  /// Exchanges `refreshToken` for new tokens, which replace the stored ones.
  ///
  /// - Throws: ``OidcError``; the stored tokens then stay.
  public func refreshToken(_ refreshToken: String) async throws -> Token {
    do {
      return try await config.shared.tokens.withLock {
        try await config.renewing { try await renew(refreshToken, replacing: try await config.storedToken()) }
      }
    } catch { throw OidcError.wrapping(error) }
  }

  /// Renews the stored tokens, whether or not they have expired.
  func refresh() async -> Result<Token, OidcError> {
    await result {
      try await config.shared.tokens.withLock {
        try await config.renewing {
          guard let stored = try await config.storedToken(), let refreshToken = stored.refreshToken else {
            throw OidcError.authorizeError(
              message: "There is no refresh token. Ask for one with the scope offline_access.")
          }
          return try await renew(refreshToken, replacing: stored)
        }
      }
    }
  }

  /// Revokes the stored tokens (RFC 7009) and deletes them here. When the provider cannot be reached, they are deleted
  /// nevertheless, and the failure is logged.
  public func revoke() async {
    await config.shared.tokens.withLock {
      do {
        guard let stored = try await config.storedToken() else { return }
        try await config.storage.delete()
        try await revoke(stored)
      } catch { config.logger.w("The tokens could not be revoked or deleted", error: error) }
    }
  }

  /// Ends the session at the provider, after the tokens were revoked and deleted.
  ///
  /// - Returns: whether the provider ended the session; `true` when there was none.
  @discardableResult
  public func endSession() async -> Bool {
    let agent = config.agentDelegate()
    return await endSession { try await agent.endSession(idToken: $0) }
  }

  /// Ends the session with `signOff`, after the tokens were revoked and deleted.
  ///
  /// - Parameter signOff: receives the ID token; not called when there is none.
  @discardableResult
  public func endSession(signOff: @escaping (String) async throws -> Bool) async -> Bool {
    let idToken = try? await config.storedToken()?.idToken
    await revoke()
    guard let idToken else { return true }
    do { return try await signOff(idToken) } catch {
      config.logger.w("The session could not be ended", error: error)
      return false
    }
  }

  /// The provider's claims about the person (OpenID Connect Core 1.0 §5.3).
  ///
  /// An answer about another person than the ID token's is refused (§5.3.2).
  public func userinfo() async -> Result<UserInfo, OidcError> {
    switch await token() {
    case .failure(let error): .failure(error)
    case .success(let token): await result { try await userinfo(with: token) }
    }
  }

  /// Whether `token` is what the storage has now, expired or not.
  func stores(_ token: Token) async -> Bool {
    (try? await config.storedToken())?.accessToken == token.accessToken
  }

  private func result<Value>(_ body: () async throws -> Value) async -> Result<Value, OidcError> {
    do { return .success(try await body()) } catch { return .failure(OidcError.wrapping(error)) }
  }
}
