#if canImport(Security)
  internal import DeviceKeysApple
  public import Security

  extension KeyPair {
    /// A pair of keys of Security.framework, as authenticators of an app's own make them.
    ///
    /// - Parameter publicKey: Is not needed: it follows from the private key.
    /// - Throws: `DeviceKeyError` when `privateKey` is no private key on P-256.
    public init(publicKey: SecKey? = nil, privateKey: SecKey, keyTag: String) throws {
      self.init(try KeychainKey(tag: keyTag, privateKey: privateKey))
    }
  }

  extension DeviceAuthenticator {
    /// The access control of new keys of this authentication type; `nil` when this device can have none now.
    public func accessControl() -> SecAccessControl? {
      try? AppleKeyStore.accessControl(for: type().protection)
    }
  }
#endif
