public import DeviceKeys
public import Foundation
public import PingLogger
public import UserVerification

/// Settings of an authenticator.
public protocol AuthenticatorConfig {
  /// Receives the authenticator's messages; `nil` is the journey's logger.
  var logger: (any Logger)? { get set }

  /// The first part of the tags of new keys. Each binding adds a random part, so that a new key never overwrites the old
  /// one before the binding has succeeded.
  var keyTag: String { get set }
}

/// The settings that ``StandardAuthenticator`` uses.
protocol StandardAuthenticatorConfig: AuthenticatorConfig {
  var keySizeInBits: Int { get }
}

/// Settings of ``AppPinAuthenticator``.
public class AppPinConfig: StandardAuthenticatorConfig {
  /// Shown when neither the app nor the server provides texts.
  public static let defaultPrompt = Prompt(
    title: "Enter PIN", subtitle: "", description: "Please enter your application PIN to continue.")

  public var logger: (any Logger)?
  /// The texts shown to the person. Unless it is ``defaultPrompt``, it replaces the server's texts.
  public var prompt: Prompt
  /// How often the PIN may be entered before the operation fails; at least once. The key store counts across operations.
  public var pinRetry: Int
  /// How many new PINs the person may try, if they are refused, before binding fails; `nil` is ``pinRetry``.
  public var newPINTries: Int?
  /// The requirements on a new PIN.
  public var pinPolicy = PINPolicy()
  /// Whether the collector is called twice for a new PIN, and both answers have to match. This module's collectors ask the person
  /// twice in one call; an app's collector can do the same when ``Prompt/isNewPIN`` is true.
  public var asksForNewPINTwice = false
  public var keyTag: String
  /// The size of new keys. Only 256 is supported; binding with any other size fails as unsupported.
  public var keySizeInBits: Int
  /// The collector that asks for the PIN: the one set here, else ``DeviceBindingConfig/pinCollector``, else the default.
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
public class BiometricAuthenticatorConfig: StandardAuthenticatorConfig {
  public var logger: (any Logger)?
  public var keyTag: String
  /// The size of new keys. Only 256 is supported; binding with any other size fails as unsupported.
  public var keySizeInBits: Int
  /// What happens to new keys when fingers or faces are added or removed later. Has no effect where the system decides that.
  public var enrolmentChangePolicy = EnrolmentChangePolicy.invalidate

  public init(
    logger: (any Logger)? = nil, keyTag: String = UUID().uuidString, keySizeInBits: Int = 256
  ) {
    self.logger = logger
    self.keyTag = keyTag
    self.keySizeInBits = keySizeInBits
  }
}
