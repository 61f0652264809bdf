public import DeviceKeys

extension KeyStoreKind {
  /// A token that a PKCS#11 module reaches, such as a smart card.
  public static let pkcs11 = KeyStoreKind(rawValue: "pkcs11")

  /// A token that reports itself as a program: its keys are files.
  public static let softwareToken = KeyStoreKind(rawValue: "pkcs11-software")
}
