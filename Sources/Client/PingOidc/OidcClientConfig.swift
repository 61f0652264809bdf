internal import Concurrency
package import Foundation
internal import OpenIDFormats
public import PingLogger
public import PingOrchestrate
public import PingStorage

/// An app's configuration as an OpenID Connect client.
// Every stored property is guarded, or immutable and Sendable.
public class OidcClientConfig: @unchecked Sendable {
  /// The provider's addresses; `nil` to look them up at ``discoveryEndpoint``.
  @Guarded public var openId: OpenIdConfiguration?

  /// How many seconds before their expiry tokens count as expired.
  @Guarded public var refreshThreshold: Int64 = 0

  /// Receives the log messages.
  @Guarded public var logger: any Logger = LogManager.none

  /// Stores the tokens. By default they are encrypted, each client's of each provider under an account of its own that begins with
  /// `ACCESS_TOKEN_STORAGE`. Name provider and client before you use the default.
  ///
  /// Tokens of another provider or client in an app's own storage are not used, sent or deleted; but the storage has one place, and signing
  /// in replaces its content.
  public var storage: StorageDelegate<Token> {
    get { ownStorage ?? shared.storage(of: tokenOwner) }
    set { ownStorage = newValue }
  }

  @Guarded private var ownStorage: StorageDelegate<Token>?

  /// The address of the provider's discovery document.
  @Guarded public var discoveryEndpoint = ""

  /// The provider's name in its ID tokens, when that is not ``discoveryEndpoint`` without `/.well-known/openid-configuration`.
  @Guarded public var issuer: String?

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

  /// The nonce that the ID token has to contain; random by default.
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

  /// Whether the parameters are sent to the provider before the browser is opened (RFC 9126), which then carries none of them. A provider
  /// that takes no pushed requests is then an error.
  @Guarded public var par = false

  /// Sends the requests; the journey's client when `nil`.
  @Guarded public var httpClient: HttpClient?

  /// The key to which tokens are bound (DPoP, RFC 9449): stolen tokens are then useless on another device. `nil` asks for
  /// bearer tokens, which anyone who has them can use.
  ///
  /// With PingBinding it is a bound key: `config.proofKey = BoundProofKey(journey: journey)`.
  @Guarded public var proofKey: (any ProofKeySource)?

  /// Tells the time.
  @Guarded package var now: @Sendable () -> Date = { Date() }

  @Guarded private var agent = AnyAgent(DefaultAgent()) { _ in }

  /// The state that clones share: the same tokens and the same provider.
  let shared: OidcSharedState

  public init() { shared = OidcSharedState() }

  private init(sharing shared: OidcSharedState) { self.shared = shared }

  /// Adds `scope` to the requested scopes.
  public func scope(_ scope: String) { scopes.insert(scope) }

  /// Has `agent` authorize the app, with a configuration of its own that `config` sets up.
  public func updateAgent<T: Any>(_ agent: any Agent<T>, config: (T) -> Void = { _ in }) {
    self.agent = AnyAgent(agent, configure: config)
  }

  /// The agent, with this configuration.
  func agentDelegate() -> any AgentDelegateProtocol & Sendable { agent.serving(self) }

  /// Looks up the provider's addresses, unless they are known. Without a ``discoveryEndpoint`` there is nothing to look up.
  ///
  /// - Throws: ``OidcError`` when the provider cannot be reached, or its document is another issuer's, or is not acceptable.
  public func oidcInitialize() async throws {
    guard openId == nil, !discoveryEndpoint.isEmpty else { return }
    guard URL(string: discoveryEndpoint)?.host?.isEmpty == false else {
      logger.w("The discoveryEndpoint is not a web address: there will be no tokens", error: nil)
      return
    }
    try await shared.discovery.withLock {
      guard openId == nil else { return }
      openId = try await discover()
    }
  }

  /// A separate configuration with the same values, the same storage and the same agent.
  public func clone() -> OidcClientConfig {
    let clone = OidcClientConfig(sharing: shared)
    clone.openId = openId
    clone.refreshThreshold = refreshThreshold
    clone.logger = logger
    clone.ownStorage = ownStorage
    clone.discoveryEndpoint = discoveryEndpoint
    clone.issuer = issuer
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
    clone.par = par
    clone.httpClient = httpClient
    clone.proofKey = proofKey
    clone.now = now
    clone.agent = agent
    return clone
  }
}

/// What the copies of a configuration share.
final class OidcSharedState: Sendable {
  /// One discovery at a time.
  let discovery = AsyncMutex()
  /// One change of the stored tokens at a time: two refreshes with one rotating refresh token would burn it.
  let tokens = AsyncMutex()
  /// The provider's signing keys, by the address they come from.
  let keys = Locked<[String: ProviderKeys]>([:])
  /// The default places of tokens, by owner.
  private let storages = Locked<[TokenOwner: StorageDelegate<Token>]>([:])
  /// The servers' latest nonces for proofs, by origin.
  let nonces = Locked<[String: String]>([:])

  /// The default place of tokens; without an owner one that only lasts as long as the configuration.
  func storage(of owner: TokenOwner?) -> StorageDelegate<Token> {
    guard let owner else { return unowned }
    return storages.withLock { storages in
      let storage =
        storages[owner] ?? StorageDelegate<Token>(delegate: OwnTokens(of: owner), cacheable: true)
      storages[owner] = storage
      return storage
    }
  }

  private let unowned: StorageDelegate<Token> = MemoryStorage<Token>()

  func providerKeys(at address: String) -> ProviderKeys {
    keys.withLock { keys in
      let known = keys[address] ?? ProviderKeys()
      keys[address] = known
      return known
    }
  }
}
