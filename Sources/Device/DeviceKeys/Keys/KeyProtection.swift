/// What has to happen before a key signs. The raw values are the `authenticationType` of a device binding callback.
public enum KeyProtection: String, Codable, Sendable, Hashable, CaseIterable {
  /// Nothing: possession of the device is enough.
  case none = "NONE"

  /// The person enters the app's PIN.
  case applicationPIN = "APPLICATION_PIN"

  /// An enrolled biometric is recognised.
  case biometricOnly = "BIOMETRIC_ONLY"

  /// An enrolled biometric is recognised, or the device's own credential is entered.
  case biometricOrCredential = "BIOMETRIC_ALLOW_FALLBACK"
}

/// What unlocks a key.
public enum KeyUnlock: Sendable {
  /// Nothing, for ``KeyProtection/none``.
  case nothing

  /// The PIN, for ``KeyProtection/applicationPIN``.
  case pin(PIN)

  /// The key's authorisation value, for biometric keys of stores that do not verify the person themselves.
  case authorization(AuthorizationValue)

  /// The system verifies the person and shows the reason, for biometric keys of stores with ``DeviceKeyStore/verifiesPerson``. It shows its
  /// prompt at the first use of the key.
  case systemPrompt(reason: String)
}

extension KeyUnlock {
  /// The PIN, if it is one.
  package var pin: PIN? {
    if case .pin(let pin) = self { pin } else { nil }
  }

  /// The authorisation value, if it is one.
  package var authorization: AuthorizationValue? {
    if case .authorization(let value) = self { value } else { nil }
  }
}
