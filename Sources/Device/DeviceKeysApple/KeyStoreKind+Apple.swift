public import DeviceKeys

extension KeyStoreKind {
  /// A Secure Enclave.
  public static let secureEnclave = KeyStoreKind(rawValue: "secure-enclave")

  /// The system's keychain, without a Secure Enclave.
  public static let keychain = KeyStoreKind(rawValue: "keychain")
}
