#if canImport(Security)
  internal import DeviceKeys
  internal import DeviceKeysApple
  internal import JOSE
  public import Security

  // The published API with Apple's types, over keys that sign asynchronously. Authenticators that an app wrote for it make
  // and return `SecKey`s, so what they are handed back has them; a key of another store has none.

  extension KeyPair {
    /// - Precondition: The key is of the keychain or the Secure Enclave, as all are but those of a `DeviceKeyStore` that the
    ///   app has chosen for Apple platforms itself; use ``jwk`` for these.
    public var publicKey: SecKey { KeychainKey.demanded(deviceKey).publicSecKey }

    /// - Precondition: As ``publicKey``; use ``deviceKey`` for other stores.
    public var privateKey: SecKey { KeychainKey.demanded(deviceKey).secKey }

    /// A pair of keys of Security.framework, as authenticators of an app's own make them.
    ///
    /// - Parameter publicKey: Is not needed: it follows from the private key.
    /// - Throws: `DeviceKeyError` when `privateKey` is not a private key on P-256.
    public init(publicKey: SecKey? = nil, privateKey: SecKey, keyTag: String) throws {
      self.init(try KeychainKey(tag: keyTag, privateKey: privateKey))
    }
  }

  extension SigningParameters {
    /// ES256.
    public var algorithm: SecKeyAlgorithm { .ecdsaSignatureMessageX962SHA256 }
  }

  extension UserKeySigningParameters {
    /// ES256.
    public var algorithm: SecKeyAlgorithm { .ecdsaSignatureMessageX962SHA256 }

    /// Unlocked.
    ///
    /// - Precondition: As ``KeyPair/privateKey``.
    public var privateKey: SecKey { KeychainKey.demanded(deviceKey).secKey }

    /// - Precondition: As ``KeyPair/publicKey``.
    public var publicKey: SecKey { KeychainKey.demanded(deviceKey).publicSecKey }
  }

  extension KeychainKey {
    /// `key`, which the caller knows to be of the keychain.
    fileprivate static func demanded(_ key: any DeviceKey) -> KeychainKey {
      guard let key = key as? KeychainKey else {
        preconditionFailure(
          "The key '\(key.tag)' is of a key store that has no SecKey: use deviceKey and jwk in place of privateKey and publicKey."
        )
      }
      return key
    }
  }

  extension Result where Success == any DeviceKey, Failure == any Error {
    /// The key as Security.framework has it.
    var secKey: Result<SecKey, any Error> {
      flatMap { key in
        guard let key = key as? KeychainKey else {
          return .failure(
            DeviceBindingError.unsupported(
              errorMessage: "The key '\(key.tag)' is of a key store that has no SecKey."))
        }
        return .success(key.secKey)
      }
    }
  }

  extension Result where Success == SecKey, Failure == any Error {
    /// The key as our flows use it, under the tag `tag`.
    func deviceKey(tag: String) -> Result<any DeviceKey, any Error> {
      flatMap { key in Result<any DeviceKey, any Error> { try KeychainKey(tag: tag, privateKey: key) } }
    }
  }

  extension DeviceBindingAuthenticationType {
    /// The access control of new keys of this type; `nil` when this device can have none now.
    var accessControl: SecAccessControl? { try? AppleKeyStore.accessControl(for: protection) }
  }
#endif
