public import PingLogger
public import PingOrchestrate
public import PingStorage

/// What an app is to its OpenID provider.
// Every stored property is guarded.
public class OidcClientConfig: @unchecked Sendable {
  /// The provider's addresses; `nil` to have them looked up at ``discoveryEndpoint``.
  @Guarded public var openId: OpenIdConfiguration?

  /// How long before their end tokens count as expired, in seconds.
  @Guarded public var refreshThreshold: Int64 = 0

  /// Where is logged to.
  @Guarded public var logger: any Logger = LogManager.none

  /// Where the tokens are kept: by default encrypted, under the account `ACCESS_TOKEN_STORAGE`.
  @Guarded public var storage: StorageDelegate<Token> = KeychainStorage<Token>(
    account: "ACCESS_TOKEN_STORAGE", encryptor: DeviceEncryptor(), cacheable: true)

  /// Where the provider tells its addresses.
  @Guarded public var discoveryEndpoint = ""

  /// The app's name at the provider.
  @Guarded public var clientId = ""

  /// What the app asks for, such as `openid`.
  @Guarded public var scopes = Set<String>()

  /// Where the provider sends the person back to.
  @Guarded public var redirectUri = ""

  /// Whom the provider should expect.
  @Guarded public var loginHint: String?

  /// What the provider sends back as it is; by default chosen at random.
  @Guarded public var state: String?

  /// What the id token is to have.
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

  /// A configuration that names no provider yet.
  public init() {}

  /// Asks for `scope`, too.
  public func scope(_ scope: String) { scopes.insert(scope) }

  /// A configuration of its own with the same values and the same storage.
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
