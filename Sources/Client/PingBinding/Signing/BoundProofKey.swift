public import DeviceKeys
internal import JOSE
internal import PingJourneyPlugin
public import PingOidc
public import PingOrchestrate

/// A bound key to which OpenID Connect tokens are bound, too (DPoP, RFC 9449): set it as
/// `OidcClientConfig.proofKey`. A stolen token is then useless on another device.
///
/// A key that signs without asking the person is preferred. Otherwise the key is unlocked as for `sign()`, once for each exchange with
/// the provider. DPoP proofs only name the request: the server's signing node refuses them, and the provider refuses the proofs that
/// `sign()` makes.
// The app's closure may be called from several tasks; everything else is immutable.
public struct BoundProofKey: ProofKeySource {
  private let journey: Workflow?
  private let userID: String?
  private let configure: @Sendable (DeviceBindingConfig) -> Void

  /// - Parameters:
  ///   - journey: the journey at whose server and realm the key has to be bound; `nil` allows any key bound outside a journey.
  ///   - userID: the user as the server names it (``UserKey/userId``), when several people have keys here.
  ///   - configure: the same settings as for `sign()`: where keys are, and how the person is asked.
  public init(
    journey: Workflow?, userID: String? = nil,
    configure: @escaping @Sendable (DeviceBindingConfig) -> Void = { _ in }
  ) {
    self.journey = journey
    self.userID = userID
    self.configure = configure
  }

  /// The key, unlocked.
  ///
  /// - Throws: ``DeviceBindingError/deviceNotRegistered`` when none is bound here, or what unlocking it throws.
  public func proofKey() async throws -> any DeviceKey {
    guard let key = try await key(where: { _ in true }) else { throw DeviceBindingError.deviceNotRegistered }
    return key
  }

  /// The thumbprint of a key that signs without asking the person; `nil` for other keys, which are unlocked once, for the exchange.
  public func thumbprint() async throws -> String? {
    try await key(where: { $0.authType == .none })?.publicKey.thumbprint
  }

  private func key(where isWanted: (UserKey) -> Bool) async throws -> (any DeviceKey)? {
    let config = DeviceBindingConfig()
    configure(config)
    let dependencies = BindingDependencies(
      config: config,
      prompt: Prompt(
        title: "Confirm it is you", subtitle: "", description: "The app proves that it runs on this device."),
      journey: journey, timeout: 0, defaultTimeout: 60)
    let keyStore = try dependencies.keyStore()
    // A key without a recorded server has to sign in first, which asks for its server (`UnplacedKey`).
    let keys = try await dependencies.storage.find(in: dependencies.scope, userId: userID)
      .filter { dependencies.scope == nil || $0.scope != nil }
    guard let key = keys.first(where: { $0.authType == .none }) ?? keys.first, isWanted(key) else {
      return nil
    }
    let authenticator = try await dependencies.authenticator(
      type: key.authType, userID: key.userId, keyStore: keyStore, isBinding: false, account: key.username)
    guard try await dependencies.ask(authenticator, { $0.isSupported(attestation: .none) }) else {
      throw authenticator.unsupportedError(attestation: .none)
    }
    return try await dependencies.openKey(key.keyTag, with: authenticator)
  }
}
