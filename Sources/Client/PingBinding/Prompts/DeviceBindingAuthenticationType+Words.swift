extension DeviceBindingAuthenticationType {
  /// What unlocks such a key, for people.
  package var words: String {
    switch self {
    case .biometricOnly: "fingerprint or face"
    case .biometricAllowFallback: "fingerprint, face or password"
    case .applicationPin: "PIN"
    case .none: "nothing"
    }
  }
}
