internal import DeviceKeys

/// How a bound key is unlocked before it signs; the server chooses it when the key is bound.
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

  /// The means that unlock such a key, in words for people.
  package var words: String {
    switch self {
    case .biometricOnly: "fingerprint or face"
    case .biometricAllowFallback: "fingerprint, face or password"
    case .applicationPin: "PIN"
    case .none: "nothing"
    }
  }
}

/// Whether the server asks for a proof that the key is in hardware.
public enum Attestation: Equatable, Sendable {
  case none
  /// The server asks for a proof over this challenge.
  case challenge(String)
}
