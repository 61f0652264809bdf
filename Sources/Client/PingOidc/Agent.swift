/// How an app gets its person's authorization: by a browser, a journey's session, or something else.
public protocol Agent<T>: Sendable {
  /// The agent's own configuration.
  associatedtype T

  /// Makes a configuration.
  func config() -> () -> T

  /// Ends the session that `idToken` belongs to, and returns whether the provider did so.
  func endSession(oidcConfig: OidcConfig<T>, idToken: String) async throws -> Bool

  /// Has the provider authorize the app.
  func authorize(oidcConfig: OidcConfig<T>) async throws -> AuthCode
}

/// The configurations of an app and of its agent.
public class OidcConfig<T> {
  /// The app's configuration.
  public let oidcClientConfig: OidcClientConfig
  /// The agent's configuration.
  public let config: T

  init(oidcClientConfig: OidcClientConfig, config: T) {
    self.oidcClientConfig = oidcClientConfig
    self.config = config
  }
}

/// The agent of an app that has set none. It can end sessions, but cannot authorize.
public final class DefaultAgent: Agent {
  public typealias T = Void

  public init() {}

  public func config() -> () -> Void { {} }

  /// Ends the session at the provider's end-session endpoint (OpenID Connect RP-Initiated Logout 1.0 §2).
  ///
  /// - Returns: whether the provider accepted; `false` when it has no such endpoint.
  @discardableResult
  public func endSession(oidcConfig: OidcConfig<Void>, idToken: String) async throws -> Bool {
    try await oidcConfig.oidcClientConfig.endSession(idToken: idToken)
  }

  /// - Throws: ``OidcError/authorizeError(cause:message:)``, always.
  public func authorize(oidcConfig: OidcConfig<Void>) async throws -> AuthCode {
    throw OidcError.authorizeError(
      message:
        "No one can authorize this app: set an agent by updateAgent, or sign in with a journey or a browser.")
  }
}

/// An agent with its configurations.
public protocol AgentDelegateProtocol {
  associatedtype T

  /// Has the provider authorize the app.
  func authenticate() async throws -> AuthCode

  /// Ends the session that `idToken` belongs to.
  func endSession(idToken: String) async throws -> Bool
}

/// An agent with its configurations.
// Both configurations are set up before this is made, and only read by the agent from then on; the agent itself is Sendable.
public class AgentDelegate<T: Any>: AgentDelegateProtocol, @unchecked Sendable {
  private let agent: any Agent<T>
  private let oidcConfig: OidcConfig<T>

  init(agent: any Agent<T>, config: T, oidcClientConfig: OidcClientConfig) {
    self.agent = agent
    oidcConfig = OidcConfig(oidcClientConfig: oidcClientConfig, config: config)
  }

  public func authenticate() async throws -> AuthCode { try await agent.authorize(oidcConfig: oidcConfig) }

  @discardableResult
  public func endSession(idToken: String) async throws -> Bool {
    try await agent.endSession(oidcConfig: oidcConfig, idToken: idToken)
  }
}

/// A type-erased agent, which can serve a copy of the app's configuration.
struct AnyAgent: Sendable {
  /// The agent, for a configuration of the app.
  let serving: @Sendable (OidcClientConfig) -> any AgentDelegateProtocol & Sendable

  init<T>(_ agent: any Agent<T>, configure: (T) -> Void) {
    let config = agent.config()()
    configure(config)
    let held = Held(value: config)
    serving = { AgentDelegate(agent: agent, config: held.value, oidcClientConfig: $0) }
  }

  // Under the same rule as in AgentDelegate: set up by the closure above, then only read.
  private struct Held<T>: @unchecked Sendable { let value: T }
}
