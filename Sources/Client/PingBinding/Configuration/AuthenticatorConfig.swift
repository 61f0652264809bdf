public import DeviceKeys
public import Foundation
public import PingLogger
public import UserVerification

/// Settings of an authenticator.
public protocol AuthenticatorConfig {
  /// Receives what the authenticator has to say; `nil` is the journey's logger.
  var logger: (any Logger)? { get set }

  /// What the tags of new keys begin with. Each binding adds a random part, so that a new key never overwrites the old
  /// one before the binding has succeeded.
  var keyTag: String { get set }
}

/// Settings of ``AppPinAuthenticator``.
public class AppPinConfig: AuthenticatorConfig {
  /// What is shown when neither the app nor the server says anything.
  public static let defaultPrompt = Prompt(
    title: "Enter PIN", subtitle: "", description: "Please enter your application PIN to continue.")

  public var logger: (any Logger)?
  /// What the person is told. Unless it is ``defaultPrompt``, it takes the place of the server's texts.
  public var prompt: Prompt
  /// How many wrong PINs are accepted before the operation fails; at least one is. The key store counts over operations.
  public var pinRetry: Int
  /// What a new PIN has to be like.
  public var pinPolicy = PINPolicy()
  /// Whether the collector is asked twice for a new PIN, and both answers have to be the same. Collectors of this module have
  /// the person enter it twice by themselves; others can, by ``Prompt/isNewPIN``.
  public var asksForNewPINTwice = false
  public var keyTag: String
  /// The size of new keys; only 256 can be had, and binding with another one fails as unsupported.
  public var keySizeInBits: Int
  /// Asks for the PIN: the one that was set here, else the one of ``DeviceBindingConfig/pinCollector``, else the default.
  public var pinCollector: any PinCollector {
    get { ownCollector ?? inheritedCollector ?? DefaultPinCollector() }
    set { ownCollector = newValue }
  }

  private var ownCollector: (any PinCollector)?
  var inheritedCollector: (any PinCollector)?

  public init(
    logger: (any Logger)? = nil, prompt: Prompt = AppPinConfig.defaultPrompt, pinRetry: Int = 3,
    keyTag: String = UUID().uuidString, keySizeInBits: Int = 256, pinCollector: (any PinCollector)? = nil
  ) {
    self.logger = logger
    self.prompt = prompt
    self.pinRetry = pinRetry
    self.keyTag = keyTag
    self.keySizeInBits = keySizeInBits
    ownCollector = pinCollector
  }
}

/// Settings of ``BiometricOnlyAuthenticator`` and ``BiometricDeviceCredentialAuthenticator``.
public class BiometricAuthenticatorConfig: AuthenticatorConfig {
  public var logger: (any Logger)?
  public var keyTag: String
  /// The size of new keys; only 256 can be had, and binding with another one fails as unsupported.
  public var keySizeInBits: Int
  /// What becomes of new keys when fingers or faces are added or removed later. Has no effect where the system decides that.
  public var enrolmentChangePolicy = EnrolmentChangePolicy.invalidate

  public init(
    logger: (any Logger)? = nil, keyTag: String = UUID().uuidString, keySizeInBits: Int = 256
  ) {
    self.logger = logger
    self.keyTag = keyTag
    self.keySizeInBits = keySizeInBits
  }
}
