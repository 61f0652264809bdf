internal import DeviceKeys

/// Makes keys that are unlocked by an enrolled biometric, without a fallback.
///
/// Fails at once as unsupported when there is no reader or nobody is enrolled on it. When fingers or faces are added or
/// removed, signing fails with ``DeviceBindingStatus/clientNotRegistered``, unless
/// ``BiometricAuthenticatorConfig/enrolmentChangePolicy`` says otherwise. The key is kept: it works again once the earlier set
/// is restored, and a new binding replaces it.
public class BiometricOnlyAuthenticator: StandardAuthenticator {
  private let config: BiometricAuthenticatorConfig

  public init(config: BiometricAuthenticatorConfig) {
    self.config = config
    super.init(settings: config)
  }

  public override func type() -> DeviceBindingAuthenticationType { .biometricOnly }

  public override func register() async throws -> KeyPair { try await registerForPerson(config) }

  override func openKey(tag: String) async throws -> any DeviceKey { try await openForPerson(tag, config) }
}

/// Makes keys that are unlocked by an enrolled biometric or by the device's own credential.
///
/// The credential is asked for when there is no reader, nobody is enrolled, or the biometric was not recognised. When the key
/// was made while a biometric was enrolled, a changed enrolment is refused as with ``BiometricOnlyAuthenticator``.
public class BiometricDeviceCredentialAuthenticator: StandardAuthenticator {
  private let config: BiometricAuthenticatorConfig

  public init(config: BiometricAuthenticatorConfig) {
    self.config = config
    super.init(settings: config)
  }

  public override func type() -> DeviceBindingAuthenticationType { .biometricAllowFallback }

  public override func register() async throws -> KeyPair { try await registerForPerson(config) }

  override func openKey(tag: String) async throws -> any DeviceKey { try await openForPerson(tag, config) }
}

extension StandardAuthenticator {
  /// Verifies the person, and makes a key that the verification unlocks.
  fileprivate func registerForPerson(_ config: BiometricAuthenticatorConfig) async throws -> KeyPair {
    try checkSettings()
    let dependencies = try currentDependencies()
    guard !dependencies.keyStore.verifiesPerson else {
      return try await createKey(unlock: .systemPrompt(reason: personReason))
    }
    let unlocking = dependencies.unlocking(type: type(), reason: personReason, config)
    let enrolled = try await unlocking.enrol()
    let pair = try await createKey(unlock: .authorization(enrolled.value))
    do {
      try unlocking.store(enrolled, tag: pair.keyTag)
    } catch {
      try? await dependencies.keyStore.deleteKey(tag: pair.keyTag)
      throw error
    }
    return pair
  }

  /// Verifies the person, and unlocks the key with the authorisation value that this releases.
  fileprivate func openForPerson(
    _ tag: String, _ config: BiometricAuthenticatorConfig
  ) async throws -> any DeviceKey {
    let dependencies = try currentDependencies()
    let reason = personReason
    let unlock: KeyUnlock =
      if dependencies.keyStore.verifiesPerson {
        .systemPrompt(reason: reason)
      } else {
        .authorization(
          try await dependencies.unlocking(type: type(), reason: reason, config).release(tag: tag))
      }
    return try await dependencies.keyStore.openKey(tag: tag, unlock: unlock)
  }

  /// The text that the person agrees to: the server as this device knows it, and the prompt's description, else its title.
  private var personReason: String { prompt?.sentence ?? "Use the key of this device" }
}
