internal import Bytes
internal import Concurrency
public import DeviceKeys
internal import DeviceKeysApple
package import Foundation
internal import UserVerification
public import WebAuthnAuthenticator

/// What WebAuthn ceremonies work with. Set ``standard`` once, when the program starts, or a callback's own.
public struct FidoConfig: Sendable {
  /// Where private keys are; `nil` is the Secure Enclave on Apple's systems, else the software store in the client's home.
  public var keyStore: (any DeviceKeyStore)?

  /// Where the rest of each credential is; `nil` is the one in the client's home.
  public var credentials: CredentialStore?

  /// What verifies the person, for example `FprintdVerifier` and `PAMVerifier` on Linux; `nil` is the system on Apple's, else
  /// nobody can be verified.
  public var verifiers: UserVerifiers?

  /// The origin that signed client data name, such as `https://example.com`; one of the node's "Origin domains". `nil` is
  /// `ios:bundle-id:<bundle id>` on Apple's systems, else the origin of the journey's `serverUrl`, where `localhost` stands for
  /// the addresses of this machine. Outside of a journey it has to be set.
  ///
  /// A web origin takes the place of the server's when relying parties' ids are checked: an id has to be its host or a registrable
  /// suffix of that. Otherwise nothing is looked up, made or signed.
  public var origin: String?

  /// Relying parties that servers may ask for although they do not fit the origin: those of a native app whose server has another
  /// name. Every server that the app talks to may ask for them.
  public var relyingPartyIDs: Set<String> = []

  /// Asks the person before a key is made, which key to use, and before one is used without a verification of the person. Without
  /// one nothing is made, and nothing used but after a verification. The earlier SDK's callbacks ask their delegates instead.
  public var consent: (any AuthenticatorConsent)?

  /// The system's passkey service, which answers in place of this device's own authenticator when it is asked for; `nil` is
  /// Apple's where there is one. On Linux there is none.
  public var passkeys: (any PasskeyProvider)?

  /// Measures time limits.
  package var clock: any Clock<Duration> = ContinuousClock()
  /// The time of day, for what is stored.
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

  /// What ceremonies work with when nothing else is set.
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

  /// The system's passkey service, if it can be used here.
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
