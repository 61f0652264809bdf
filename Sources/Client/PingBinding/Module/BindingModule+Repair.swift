public import UserVerification

/// What became of a key that a change on this device refuses.
extension BindingModule {
  /// The keys that are refused because other fingers or faces are enrolled now than when they were made. They are kept: enrolling
  /// what was there before makes them count again, and the person may decide otherwise.
  ///
  /// - Parameters:
  ///   - verifier: The reader.
  ///   - userKeyStorage: Where descriptions are kept; `nil` is the default.
  ///   - authorizationVault: What unlocks biometric keys; `nil` is the default.
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

  /// Lets those who are enrolled now unlock `key`, after the device's credential proved that it is its user who decides so. The key
  /// stays the same; the server need not know.
  ///
  /// - Parameters:
  ///   - key: A key with ``DeviceBindingAuthenticationType/biometricAllowFallback``: the credential unlocks it by itself, too.
  ///   - verification: What the verifier of the device's credential returned now.
  ///   - verifier: The reader.
  ///   - authorizationVault: What unlocks biometric keys; `nil` is the default.
  /// - Throws: `AuthorizationVaultError/biometricOnly(tag:)` for a key of fingers or faces only, which has to be bound anew;
  ///   `UserVerificationError` when nothing is enrolled.
  public static func renewEnrolment(
    of key: UserKey, after verification: DeviceCredentialVerification, on verifier: any BiometricVerifier,
    authorizationVault: AuthorizationVault? = nil
  ) async throws {
    try (authorizationVault ?? StandardStores.vault()).renew(
      tag: key.keyTag, for: verification, enrolment: try await verifier.enrolment())
  }
}
