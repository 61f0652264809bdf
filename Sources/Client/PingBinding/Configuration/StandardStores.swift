internal import DeviceKeys
internal import UserVerification

#if canImport(Security)
  internal import DeviceKeysApple
#endif

/// The default stores of keys: in the Secure Enclave on Apple devices, else in the client's home.
enum StandardStores {
  static func keyStore() throws -> any DeviceKeyStore {
    #if canImport(Security)
      AppleKeyStore()
    #else
      try SoftwareKeyStore()
    #endif
  }

  static func vault() -> AuthorizationVault { AuthorizationVault() }
}
