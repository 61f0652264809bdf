internal import DeviceKeys
internal import UserVerification

/// Where keys are kept when the app does not say: in the client's home.
enum StandardStores {
  static func keyStore() throws -> any DeviceKeyStore { try SoftwareKeyStore() }

  static func vault() -> AuthorizationVault { AuthorizationVault() }
}
