internal import DeviceKeys

/// What has to happen before a bound key signs; chosen on the server, when the key is bound.
public enum DeviceBindingAuthenticationType: String, Codable, Sendable {
  /// An enrolled biometric is recognised; there is no fallback.
  case biometricOnly = "BIOMETRIC_ONLY"
  /// An enrolled biometric is recognised, or the device's own credential is entered.
  case biometricAllowFallback = "BIOMETRIC_ALLOW_FALLBACK"
  /// The app's own PIN is entered.
  case applicationPin = "APPLICATION_PIN"
  /// Nothing: possession of the device is enough.
  case none = "NONE"

  /// Whether a biometric unlocks such keys.
  var isBiometric: Bool { self == .biometricOnly || self == .biometricAllowFallback }

  var protection: KeyProtection {
    switch self {
    case .biometricOnly: .biometricOnly
    case .biometricAllowFallback: .biometricOrCredential
    case .applicationPin: .applicationPIN
    case .none: .none
    }
  }
}

/// Whether the server wants a proof that the key is in hardware.
public enum Attestation: Equatable, Sendable {
  case none
  /// It does, over this challenge.
  case challenge(String)
}
