public import DeviceKeys

/// Makes keys that are unlocked by an enrolled biometric, without a fallback.
///
/// Fails at once as unsupported where there is no reader or nobody is enrolled on it. When fingers or faces are added or
/// removed, signing fails with ``DeviceBindingStatus/clientNotRegistered``, unless
/// ``BiometricAuthenticatorConfig/enrolmentChangePolicy`` says otherwise. The key is kept: a set that is restored counts again,
/// and binding anew replaces it.
public class BiometricOnlyAuthenticator: DefaultDeviceAuthenticator {
  private let config: BiometricAuthenticatorConfig

  public init(config: BiometricAuthenticatorConfig) { self.config = config }

  public override func type() -> DeviceBindingAuthenticationType { .biometricOnly }

  public override func register() async throws -> KeyPair { try await registerForPerson(config) }

  @_disfavoredOverload
  public override func authenticate(keyTag: String) async -> Result<any DeviceKey, any Error> {
    await authenticatePerson(keyTag: keyTag, config)
  }

  public override func isSupported(attestation: Attestation) -> Bool {
    unsupportedReason(attestation: attestation) == nil
  }

  public override func deleteKeys() async throws { try await deleteStoredKeys() }

  override func checkSettings() throws { try checkKeySize(config.keySizeInBits) }

  override var tagPrefix: String { config.keyTag }
}

/// Makes keys that are unlocked by an enrolled biometric or by the device's own credential.
///
/// The credential is asked for when there is no reader, nobody is enrolled, or the biometric was not recognised. When the key
/// was made while somebody was enrolled, a change of what is enrolled refuses it as with ``BiometricOnlyAuthenticator``.
public class BiometricDeviceCredentialAuthenticator: DefaultDeviceAuthenticator {
  private let config: BiometricAuthenticatorConfig

  public init(config: BiometricAuthenticatorConfig) { self.config = config }

  public override func type() -> DeviceBindingAuthenticationType { .biometricAllowFallback }

  public override func register() async throws -> KeyPair { try await registerForPerson(config) }

  @_disfavoredOverload
  public override func authenticate(keyTag: String) async -> Result<any DeviceKey, any Error> {
    await authenticatePerson(keyTag: keyTag, config)
  }

  public override func isSupported(attestation: Attestation) -> Bool {
    unsupportedReason(attestation: attestation) == nil
  }

  public override func deleteKeys() async throws { try await deleteStoredKeys() }

  override func checkSettings() throws { try checkKeySize(config.keySizeInBits) }

  override var tagPrefix: String { config.keyTag }
}

extension DefaultDeviceAuthenticator {
  /// Has the person verified, and makes a key that the verification unlocks.
  fileprivate func registerForPerson(_ config: BiometricAuthenticatorConfig) async throws -> KeyPair {
    try checkSettings()
    let dependencies = try currentDependencies()
    let reason = personReason
    guard !dependencies.keyStore.verifiesPerson else {
      return try await createKey(unlock: .systemPrompt(reason: reason))
    }
    let unlocking = dependencies.unlocking(type: type(), reason: reason, config)
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

  /// Has the person verified, and unlocks the key with what that releases.
  fileprivate func authenticatePerson(
    keyTag: String, _ config: BiometricAuthenticatorConfig
  ) async -> Result<any DeviceKey, any Error> {
    if let key = takeRegistered(keyTag: keyTag) { return .success(key) }
    do {
      let dependencies = try currentDependencies()
      let reason = personReason
      let unlock: KeyUnlock =
        if dependencies.keyStore.verifiesPerson {
          .systemPrompt(reason: reason)
        } else {
          .authorization(
            try await dependencies.unlocking(type: type(), reason: reason, config).release(tag: keyTag))
        }
      return .success(try await dependencies.keyStore.openKey(tag: keyTag, unlock: unlock))
    } catch {
      return .failure(error)
    }
  }

  /// What the person agrees to: who asks, as this device knows it, and the prompt's description, else its title.
  private var personReason: String { prompt?.sentence ?? "Use the key of this device" }
}
