public import UserVerification

extension BindingModule {
  /// The keys that are refused because the enrolled fingers or faces have changed since the keys were made. The keys are kept: they
  /// work again once the earlier enrolment is restored, or once the person accepts the new one with
  /// ``renewEnrolment(of:after:on:authorizationVault:)``.
  ///
  /// - Parameters:
  ///   - verifier: The reader.
  ///   - userKeyStorage: Where descriptions are kept; `nil` is the default.
  ///   - authorizationVault: The vault of the values that unlock biometric keys; `nil` is the default.
  /// - Throws: When keys cannot be read; `CancellationError`.
  public static func keysWithChangedEnrolment(
    on verifier: any BiometricVerifier, userKeyStorage: UserKeyStorageConfig? = nil,
    authorizationVault: AuthorizationVault? = nil
  ) async throws -> [UserKey] {
    let current = try await CurrentEnrolment(of: verifier)
    let vault = authorizationVault ?? StandardStores.vault()
    return try await getAllKeys(userKeyStorage: userKeyStorage).filter { key in
      guard key.authType.isBiometric else { return false }
      do {
        try vault.requireUnchanged(tag: key.keyTag, current: current)
        return false
      } catch AuthorizationVaultError.enrolmentChanged {
        return true
      } catch AuthorizationVaultError.notFound {
        return false
      }
    }
  }

  /// Lets the current enrolment unlock `key`, after the device's credential has proved that its user agrees. The key stays the
  /// same; the server need not know.
  ///
  /// - Parameters:
  ///   - key: A key with ``DeviceBindingAuthenticationType/biometricAllowFallback``, which the credential unlocks as well.
  ///   - verification: The fresh result of the device credential's verifier.
  ///   - verifier: The reader.
  ///   - authorizationVault: The vault of the values that unlock biometric keys; `nil` is the default.
  /// - Throws: `AuthorizationVaultError/biometricOnly(tag:)` for a key that only a biometric unlocks, which has to be bound again;
  ///   `UserVerificationError` when nothing is enrolled.
  public static func renewEnrolment(
    of key: UserKey, after verification: DeviceCredentialVerification, on verifier: any BiometricVerifier,
    authorizationVault: AuthorizationVault? = nil
  ) async throws {
    try (authorizationVault ?? StandardStores.vault()).renew(
      tag: key.keyTag, for: verification, enrolment: try await verifier.enrolment())
  }
}
