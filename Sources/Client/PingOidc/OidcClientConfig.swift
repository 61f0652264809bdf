public import PingLogger
public import PingOrchestrate
public import PingStorage

/// An app's configuration as an OpenID Connect client.
// Every stored property is guarded.
public class OidcClientConfig: @unchecked Sendable {
  /// The provider's addresses; `nil` to look them up at ``discoveryEndpoint``.
  @Guarded public var openId: OpenIdConfiguration?

  /// How many seconds before their expiry tokens count as expired.
  @Guarded public var refreshThreshold: Int64 = 0

  /// Receives the log messages.
  @Guarded public var logger: any Logger = LogManager.none

  /// Stores the tokens; by default encrypted, under the account `ACCESS_TOKEN_STORAGE`.
  @Guarded public var storage: StorageDelegate<Token> = KeychainStorage<Token>(
    account: "ACCESS_TOKEN_STORAGE", encryptor: DeviceEncryptor(), cacheable: true)

  /// The address of the provider's discovery document.
  @Guarded public var discoveryEndpoint = ""

  /// The client id that the provider has registered.
  @Guarded public var clientId = ""

  /// The requested scopes, such as `openid`.
  @Guarded public var scopes = Set<String>()

  /// The address to which the provider redirects the person.
  @Guarded public var redirectUri = ""

  /// The login name that the provider should expect.
  @Guarded public var loginHint: String?

  /// A value that the provider returns unchanged; random by default.
  @Guarded public var state: String?

  /// The nonce that the ID token has to contain.
  @Guarded public var nonce: String?

  /// How the provider shows its pages.
  @Guarded public var display: String?

  /// Whether the provider asks the person again.
  @Guarded public var prompt: String?

  /// The person's languages.
  @Guarded public var uiLocales: String?

  /// How the person is to be authenticated.
  @Guarded public var acrValues: String?

  /// Further parameters of the authorization request.
  @Guarded public var additionalParameters = [String: String]()

  /// Sends the requests; the journey's client when `nil`.
  @Guarded public var httpClient: HttpClient?

  public init() {}

  /// Adds `scope` to the requested scopes.
  public func scope(_ scope: String) { scopes.insert(scope) }

  /// A separate configuration with the same values and the same storage.
  public func clone() -> OidcClientConfig {
    let clone = OidcClientConfig()
    clone.openId = openId
    clone.refreshThreshold = refreshThreshold
    clone.logger = logger
    clone.storage = storage
    clone.discoveryEndpoint = discoveryEndpoint
    clone.clientId = clientId
    clone.scopes = scopes
    clone.redirectUri = redirectUri
    clone.loginHint = loginHint
    clone.state = state
    clone.nonce = nonce
    clone.display = display
    clone.prompt = prompt
    clone.uiLocales = uiLocales
    clone.acrValues = acrValues
    clone.additionalParameters = additionalParameters
    clone.httpClient = httpClient
    return clone
  }
}

/// The addresses of an OpenID provider (OpenID Connect Discovery 1.0 §3).
public struct OpenIdConfiguration: Codable, Sendable, Hashable {
  public let authorizationEndpoint: String
  public let tokenEndpoint: String
  public let userinfoEndpoint: String
  public let endSessionEndpoint: String
  public let revocationEndpoint: String
  /// Ends a PingOne session without the person's token.
  public let pingEndsessionEndpoint: String?

  private enum CodingKeys: String, CodingKey {
    case authorizationEndpoint = "authorization_endpoint"
    case tokenEndpoint = "token_endpoint"
    case userinfoEndpoint = "userinfo_endpoint"
    case endSessionEndpoint = "end_session_endpoint"
    case revocationEndpoint = "revocation_endpoint"
    case pingEndsessionEndpoint = "ping_end_idp_session_endpoint"
  }
}
