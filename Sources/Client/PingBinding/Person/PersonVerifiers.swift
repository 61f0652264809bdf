internal import DeviceKeys
internal import PingLogger
internal import UserVerification

/// What verifies the person in front of the device, and keeps what a verification releases.
struct PersonVerifiers: Sendable {
  let biometric: (any BiometricVerifier)?
  let credential: (any DeviceCredentialVerifier)?
  let credentialSource: any CredentialSource
  let progress: @Sendable (BiometricProgress) -> Void
  let vault: AuthorizationVault
}

extension KeyDependencies {
  /// How keys of `type` are unlocked by the person.
  func unlocking(
    type: DeviceBindingAuthenticationType, reason: String, _ config: BiometricAuthenticatorConfig
  ) -> PersonUnlocking {
    PersonUnlocking(
      verifiers: verifiers, protection: type.protection,
      policy: config.enrolmentChangePolicy, reason: reason, logger: config.logger ?? logger)
  }
}
