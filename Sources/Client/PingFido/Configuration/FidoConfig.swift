internal import Bytes
internal import Concurrency
public import DeviceKeys
internal import DeviceKeysApple
package import Foundation
internal import UserVerification
public import WebAuthnAuthenticator

#if os(Linux)
  public import SecurityKeys
#endif

/// Asks the person on behalf of this device's authenticator; see ``FidoConfig/consent``.
public typealias WebAuthnConsent = AuthenticatorConsent

/// The configuration of WebAuthn ceremonies. Set ``standard`` once, when the program starts, or set ``FidoCallback/config``.
public struct FidoConfig: Sendable {
  /// The store of private keys; `nil` is the Secure Enclave on Apple's systems, else the software store in the client's home.
  public var keyStore: (any DeviceKeyStore)?

  /// The store of the credentials' other data; `nil` is the store in the client's home.
  public var credentials: CredentialStore?

  /// Verifies the person, for example with `FprintdVerifier` and `PAMVerifier` on Linux; `nil` uses the system on Apple's, and
  /// verifies nobody elsewhere.
  public var verifiers: UserVerifiers?

  /// The origin in signed client data, such as `https://example.com`; one of the node's "Origin domains". `nil` is
  /// `ios:bundle-id:<bundle id>` on Apple's systems, else the origin of the journey's `serverUrl`, where `localhost` stands for
  /// this machine's addresses. Outside a journey it has to be set.
  ///
  /// A web origin replaces the server's when relying party ids are checked: an id has to be its host or a registrable suffix of it.
  /// Otherwise nothing is looked up, made or signed.
  public var origin: String?

  /// Relying parties that servers may ask for even though they do not match the origin: those of a native app whose server has
  /// another name. Every server that the app talks to may ask for them.
  public var relyingPartyIDs: Set<String> = []

  /// Asks the person before a key is made, when a key has to be chosen, and before a key is used without verifying the person. Without
  /// a consent no key is made, and none is used without a verification. The earlier SDK's callbacks ask their delegates instead.
  public var consent: (any AuthenticatorConsent)?

  /// The system's passkey service, which can replace this device's own authenticator; `nil` is Apple's where available. Linux has
  /// no such service.
  public var passkeys: (any PasskeyProvider)?

  #if os(Linux)
    /// A FIDO2 security key on USB that makes and uses the credentials, in place of ``keyStore``, ``credentials``, ``verifiers`` and
    /// ``consent``; `nil` is this device's own authenticator. Linux only: on Apple's systems the system's prompt offers security keys.
    ///
    /// The rules for origins and relying parties are the same. The key asks for a touch, and for its PIN or a finger where the server wants
    /// a verified person; `SecurityKeyPerson` shows and asks that. libfido2 is opened when a ceremony begins.
    public var securityKey: SecurityKeyAuthenticator?
  #endif

  /// Measures time limits.
  package var clock: any Clock<Duration> = ContinuousClock()
  /// The time of day for stored dates.
  package var now: @Sendable () -> Date = { Date() }
  /// The source of credential ids.
  package var randomBytes: @Sendable (Int) -> [UInt8] = SystemRandom.bytes

  public init(
    keyStore: (any DeviceKeyStore)? = nil, credentials: CredentialStore? = nil,
    verifiers: UserVerifiers? = nil, origin: String? = nil, consent: (any AuthenticatorConsent)? = nil,
    passkeys: (any PasskeyProvider)? = nil, relyingPartyIDs: Set<String> = []
  ) {
    self.keyStore = keyStore
    self.credentials = credentials
    self.verifiers = verifiers
    self.origin = origin
    self.consent = consent
    self.passkeys = passkeys
    self.relyingPartyIDs = relyingPartyIDs
  }

  private static let shared = Locked(FidoConfig())

  /// The default configuration of ceremonies.
  public static var standard: FidoConfig {
    get { shared.withLock { $0 } }
    set { shared.withLock { $0 = newValue } }
  }

  /// This device's own authenticator.
  package func authenticator() throws -> Authenticator {
    Authenticator(
      keyStore: try keyStore ?? Self.standardKeyStore(), credentials: credentials ?? CredentialStore(),
      verifiers: verifiers ?? Self.standardVerifiers(), randomBytes: randomBytes, clock: now)
  }

  /// The system's passkey service, if it is available.
  var availablePasskeys: (any PasskeyProvider)? {
    guard let provider = passkeys ?? Self.systemPasskeys, provider.isAvailable else { return nil }
    return provider
  }

  private static func standardKeyStore() throws -> any DeviceKeyStore {
    #if canImport(Security)
      AppleKeyStore()
    #else
      try SoftwareKeyStore()
    #endif
  }

  private static func standardVerifiers() -> UserVerifiers {
    #if canImport(LocalAuthentication) && canImport(Security)
      UserVerifiers(biometric: LocalAuthenticationVerifier(), deviceCredential: LocalAuthenticationVerifier())
    #else
      UserVerifiers()
    #endif
  }

  private static var systemPasskeys: (any PasskeyProvider)? {
    #if canImport(AuthenticationServices)
      SystemPasskeys()
    #else
      nil
    #endif
  }
}
