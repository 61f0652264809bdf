public import DeviceKeys

extension KeyStoreKind {
  /// A token that a PKCS#11 module reaches, such as a smart card.
  public static let pkcs11 = KeyStoreKind(rawValue: "pkcs11")

  /// A token that is a program, by its own account: its keys are files.
  public static let softwareToken = KeyStoreKind(rawValue: "pkcs11-software")
}
