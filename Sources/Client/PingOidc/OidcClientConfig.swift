internal import Bytes
internal import Concurrency
internal import Crypto
package import Foundation
internal import OpenIDFormats
public import PingLogger
public import PingOrchestrate
public import PingStorage

#if !canImport(Security)
  internal import PrivateFiles
#endif

/// An app's configuration as an OpenID Connect client.
// Every stored property is guarded, or immutable and Sendable.
public class OidcClientConfig: @unchecked Sendable {
  /// The provider's addresses; `nil` to look them up at ``discoveryEndpoint``.
  @Guarded public var openId: OpenIdConfiguration?

  /// How many seconds before their expiry tokens count as expired.
  @Guarded public var refreshThreshold: Int64 = 0

  /// Receives the log messages.
  @Guarded public var logger: any Logger = LogManager.none

  /// The storage of the tokens. The default encrypts them, and gives each client of each provider its own account, whose name begins with
  /// `ACCESS_TOKEN_STORAGE`. Set the provider and the client before you use the default.
  ///
  /// Tokens of another provider or client in an app's own storage are not used, sent or deleted. But that storage holds one value, and
  /// signing in replaces it.
  public var storage: StorageDelegate<Token> {
    get { ownStorage ?? shared.storage(of: tokenOwner) }
    set { ownStorage = newValue }
  }

  @Guarded private var ownStorage: StorageDelegate<Token>?

  /// The address of the provider's discovery document.
  @Guarded public var discoveryEndpoint = ""

  /// The issuer in the provider's ID tokens, when it differs from ``discoveryEndpoint`` without `/.well-known/openid-configuration`.
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

  /// Whether the authorization parameters are pushed to the provider before the browser is opened (RFC 9126), so that the browser carries
  /// none of them. Signing in then fails at a provider that does not accept pushed requests.
  @Guarded public var par = false

  /// The client that sends the requests; the journey's client when `nil`.
  @Guarded public var httpClient: HttpClient?

  /// The key to which tokens are bound (DPoP, RFC 9449): stolen tokens are then useless on another device. `nil` asks for
  /// bearer tokens, which anyone who has them can use.
  ///
  /// With PingBinding it is a bound key: `config.proofKey = BoundProofKey(journey: journey)`.
  @Guarded public var proofKey: (any ProofKeySource)?

  /// The clock.
  @Guarded package var now: @Sendable () -> Date = { Date() }

  @Guarded private var agent = AnyAgent(DefaultAgent()) { _ in }

  /// SHA-256 of the session that tokens come by; `nil` when they come another way. Tokens of another session are not used.
  @Guarded private(set) var sessionDigest: String?

  /// Ties the tokens to a journey's session: those of an earlier session may be another person's.
  package func useSession(_ session: String) {
    sessionDigest = SHA256.hash(data: Data(session.utf8)).hexadecimal
  }

  /// The state that clones share: the same tokens and the same provider.
  let shared: OidcSharedState

  public init() { shared = OidcSharedState() }

  private init(sharing shared: OidcSharedState) { self.shared = shared }

  /// Adds `scope` to the requested scopes.
  public func scope(_ scope: String) { scopes.insert(scope) }

  /// Sets the agent that authorizes the app; `config` sets up the agent's own configuration.
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
    clone.sessionDigest = sessionDigest
    return clone
  }
}

extension OidcClientConfig {
  /// Runs `body`, which renews the stored tokens, while no other process renews them: a provider ends the grant whose refresh token
  /// comes twice. `body` reads the tokens anew.
  ///
  /// A storage of the app's own and Apple's keychain have no such lock.
  func renewing<Value>(_ body: () async throws -> Value) async throws -> Value {
    #if canImport(Security)
      return try await body()
    #else
      guard ownStorage == nil, let owner = tokenOwner else { return try await body() }
      let folder = try ClientHome.standard.folder("storage")
      let file = folder.appendingPathComponent(".\(OwnTokens.account(of: owner)).renewal.lock")
      // A holder waits for the provider, for a minute at most.
      return try await FileLock(file: file, attempts: 7000).withLock { try await body() }
    #endif
  }
}

/// What the copies of a configuration share.
final class OidcSharedState: Sendable {
  /// Lets one discovery run at a time.
  let discovery = AsyncMutex()
  /// Lets one call at a time change the stored tokens: two refreshes with the same rotating refresh token would invalidate it. Other
  /// processes wait in ``OidcClientConfig/renewing(_:)``.
  let tokens = AsyncMutex()
  /// The provider's signing keys, by the address they come from.
  let keys = Locked<[String: ProviderKeys]>([:])
  /// The default storages of tokens, by owner.
  private let storages = Locked<[TokenOwner: StorageDelegate<Token>]>([:])
  /// The latest nonce of each server for DPoP proofs, by origin.
  let nonces = Locked<[String: String]>([:])

  /// The default storage of the tokens of `owner`. Without an owner it is in memory, and lasts as long as the configuration.
  func storage(of owner: TokenOwner?) -> StorageDelegate<Token> {
    guard let owner else { return unowned }
    return storages.withLock { storages in
      let storage =
        storages[owner] ?? StorageDelegate<Token>(delegate: OwnTokens(of: owner))
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
