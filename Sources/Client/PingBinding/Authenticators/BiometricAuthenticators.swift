public import DeviceKeys

/// Makes keys that are unlocked by an enrolled biometric, without a fallback.
///
/// It is unsupported where no key store is tied to a biometric sensor, and then says so before anything is made.
public class BiometricOnlyAuthenticator: DefaultDeviceAuthenticator {
  private let config: BiometricAuthenticatorConfig

  public init(config: BiometricAuthenticatorConfig) { self.config = config }

  public override func type() -> DeviceBindingAuthenticationType { .biometricOnly }

  public override func register() async throws -> KeyPair { throw unsupported }

  public override func authenticate(keyTag: String) async -> Result<any DeviceKey, any Error> {
    .failure(unsupported)
  }

  public override func deleteKeys() async throws { try await deleteStoredKeys() }

  override func unsupportedReason(attestation: Attestation) -> String? { UnsupportedReason.biometric(type()) }

  override var tagPrefix: String { config.keyTag }
}

/// Makes keys that are unlocked by an enrolled biometric or by the device's own credential.
///
/// It is unsupported where no key store is tied to a biometric sensor, and then says so before anything is made.
public class BiometricDeviceCredentialAuthenticator: DefaultDeviceAuthenticator {
  private let config: BiometricAuthenticatorConfig

  public init(config: BiometricAuthenticatorConfig) { self.config = config }

  public override func type() -> DeviceBindingAuthenticationType { .biometricAllowFallback }

  public override func register() async throws -> KeyPair { throw unsupported }

  public override func authenticate(keyTag: String) async -> Result<any DeviceKey, any Error> {
    .failure(unsupported)
  }

  public override func deleteKeys() async throws { try await deleteStoredKeys() }

  override func unsupportedReason(attestation: Attestation) -> String? { UnsupportedReason.biometric(type()) }

  override var tagPrefix: String { config.keyTag }
}

extension DefaultDeviceAuthenticator {
  fileprivate var unsupported: DeviceBindingError {
    .unsupported(errorMessage: UnsupportedReason.biometric(type()))
  }
}
