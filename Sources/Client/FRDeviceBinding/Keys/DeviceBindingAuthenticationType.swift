internal import PingBinding

/// How a bound key is unlocked before it signs; the server chooses it when the key is bound.
public enum DeviceBindingAuthenticationType: String, Codable, Sendable, CaseIterable {
  /// An enrolled biometric is recognised; there is no fallback.
  case biometricOnly = "BIOMETRIC_ONLY"
  /// An enrolled biometric is recognised, or the device's own credential is entered.
  case biometricAllowFallback = "BIOMETRIC_ALLOW_FALLBACK"
  /// The app's own PIN is entered.
  case applicationPin = "APPLICATION_PIN"
  /// Nothing: possession of the device is enough.
  case none = "NONE"

  /// The same type in PingBinding.
  var described: PingBinding.DeviceBindingAuthenticationType {
    switch self {
    case .biometricOnly: .biometricOnly
    case .biometricAllowFallback: .biometricAllowFallback
    case .applicationPin: .applicationPin
    case .none: .none
    }
  }

  init(_ type: PingBinding.DeviceBindingAuthenticationType) {
    self =
      switch type {
      case .biometricOnly: .biometricOnly
      case .biometricAllowFallback: .biometricAllowFallback
      case .applicationPin: .applicationPin
      case .none: .none
      }
  }
}
