internal import Concurrency
public import Foundation
public import PingBinding
internal import PingLogger

#if canImport(Security)
  public import Security
#endif

/// The base of authenticators: supports nothing by itself.
open class DefaultDeviceAuthenticator: DeviceAuthenticator {
  /// The texts shown to the person.
  public private(set) var prompt: Prompt?
  /// The key's user.
  public private(set) var userId: String?

  /// The context of the methods that the app does not override.
  var operation = LegacyOperation()

  public init() {}

  open func generateKeys() throws -> KeyPair { try LegacySigning.generateKeys(by: self, in: operation) }

  open func sign(
    keyPair: KeyPair, kid: String, userId: String, challenge: String, expiration: Date
  ) throws -> String {
    try LegacySigning.proof(
      of: keyPair, kid: kid, userId: userId, challenge: challenge, expiration: expiration, by: self,
      in: operation)
  }

  open func sign(
    userKey: UserKey, challenge: String, expiration: Date, customClaims: [String: Any] = [:]
  ) throws -> String {
    try LegacySigning.proof(
      of: userKey, challenge: challenge, expiration: expiration, customClaims: customClaims, by: self,
      in: operation)
  }

  #if canImport(Security)
    open func accessControl() -> SecAccessControl? { LegacySigning.accessControl(of: type()) }
  #endif

  open func biometricDomainState() -> Data? { nil }

  open func type() -> DeviceBindingAuthenticationType { .none }
  open func isSupported() -> Bool { LegacySigning.isSupported(self, in: operation) }
  open func setPrompt(_ prompt: Prompt) { self.prompt = prompt }

  open func initialize(userId: String, prompt: Prompt) {
    setPrompt(prompt)
    initialize(userId: userId)
  }

  open func initialize(userId: String) {
    self.userId = userId
    (self as? any CryptoAware)?.setKey(cryptoKey: CryptoKey(keyId: userId))
  }

  open func issueTime() -> Date { Date() }
  open func notBeforeTime() -> Date { Date() }

  open func validateCustomClaims(_ customClaims: [String: Any]) -> Bool {
    authenticator().validateCustomClaims(customClaims)
  }

  open func authenticator() -> any PingBinding.DeviceAuthenticator {
    PingBinding.DefaultDeviceAuthenticator()
  }

  open func deleteKeys() {
    guard let userId, !operation.keepsKeys else { return }
    let type = type()
    do {
      try Blocking.run {
        try await FRDeviceBinding.remove { $0.userId == userId && $0.authType.rawValue == type.rawValue }
      }
    } catch {
      LogManager.logger.w("The user's keys could not be deleted", error: error)
    }
  }
}

/// The base of this module's authenticators, which know the key of their user.
open class KeyedAuthenticator: DefaultDeviceAuthenticator, CryptoAware {
  /// The key of the initialised user.
  public private(set) var cryptoKey: CryptoKey?

  open func setKey(cryptoKey: CryptoKey) { self.cryptoKey = cryptoKey }
}

/// The base of the two biometric authenticators.
open class BiometricAuthenticator: KeyedAuthenticator {
  open override func biometricDomainState() -> Data? { SystemBiometrics.domainState }
}

/// Keys that are unlocked by an enrolled biometric, without a fallback.
open class BiometricOnly: BiometricAuthenticator {
  public override init() { super.init() }
  open override func type() -> DeviceBindingAuthenticationType { .biometricOnly }
  open override func authenticator() -> any PingBinding.DeviceAuthenticator {
    BiometricOnlyAuthenticator(config: BiometricAuthenticatorConfig())
  }
}

/// Keys that are unlocked by an enrolled biometric or by the device's own credential.
open class BiometricAndDeviceCredential: BiometricAuthenticator {
  public override init() { super.init() }
  open override func type() -> DeviceBindingAuthenticationType { .biometricAllowFallback }
  open override func authenticator() -> any PingBinding.DeviceAuthenticator {
    BiometricDeviceCredentialAuthenticator(config: BiometricAuthenticatorConfig())
  }
}

/// Keys that are unlocked by the app's own PIN. The PIN is requested once, and a wrong one fails with `unAuthorize`. A new PIN that is
/// refused is requested again, three times in all.
open class ApplicationPinDeviceAuthenticator: KeyedAuthenticator {
  /// Asks for the PIN.
  public var pinCollector: any PinCollector

  public init(pinCollector: any PinCollector = DefaultPinCollector()) { self.pinCollector = pinCollector }

  open override func type() -> DeviceBindingAuthenticationType { .applicationPin }
  open override func authenticator() -> any PingBinding.DeviceAuthenticator {
    // By default PingBinding's collector, or the one that FRDeviceBinding.configure has set.
    let collector = pinCollector is DefaultPinCollector ? nil : CollectorAdapter(pinCollector)
    let config = AppPinConfig(pinRetry: 1, pinCollector: collector)
    config.newPINTries = AppPinConfig().pinRetry
    return AppPinAuthenticator(config: config)
  }
}

/// Keys that sign without asking.
open class None: KeyedAuthenticator {
  public override init() { super.init() }
  open override func authenticator() -> any PingBinding.DeviceAuthenticator { NoneAuthenticator() }
}
