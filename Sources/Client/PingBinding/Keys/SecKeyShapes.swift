#if canImport(Security)
  internal import DeviceKeys
  internal import DeviceKeysApple
  internal import JOSE
  public import Security

  // The published API with Apple's types, over keys that sign asynchronously. An app's authenticators make, return and receive
  // `SecKey`s; keys of other stores have none.

  extension KeyPair {
    /// - Precondition: The key is in the keychain or the Secure Enclave. Use ``jwk`` for keys of any other `DeviceKeyStore` that the
    ///   app has chosen.
    public var publicKey: SecKey { KeychainKey.demanded(deviceKey).publicSecKey }

    /// - Precondition: As ``publicKey``; use ``deviceKey`` for other stores.
    public var privateKey: SecKey { KeychainKey.demanded(deviceKey).secKey }

    /// A pair of Security.framework keys, as an app's own authenticators make them.
    ///
    /// - Parameter publicKey: Ignored: it follows from the private key.
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

    /// The private key, unlocked.
    ///
    /// - Precondition: As ``KeyPair/privateKey``.
    public var privateKey: SecKey { KeychainKey.demanded(deviceKey).secKey }

    /// - Precondition: As ``KeyPair/publicKey``.
    public var publicKey: SecKey { KeychainKey.demanded(deviceKey).publicSecKey }
  }

  extension KeychainKey {
    /// `key`, which the caller knows to be a keychain key.
    fileprivate static func demanded(_ key: any DeviceKey) -> KeychainKey {
      guard let key = key as? KeychainKey else {
        preconditionFailure(
          "The key store of '\(key.tag)' has no SecKey: use deviceKey and jwk instead of privateKey and publicKey."
        )
      }
      return key
    }
  }

  extension Result where Success == any DeviceKey, Failure == any Error {
    /// The key as a `SecKey`.
    var secKey: Result<SecKey, any Error> {
      flatMap { key in
        guard let key = key as? KeychainKey else {
          return .failure(
            DeviceBindingError.unsupported(
              errorMessage: "The key store of '\(key.tag)' has no SecKey."))
        }
        return .success(key.secKey)
      }
    }
  }

  extension Result where Success == SecKey, Failure == any Error {
    /// The key as a `DeviceKey` with the tag `tag`.
    func deviceKey(tag: String) -> Result<any DeviceKey, any Error> {
      flatMap { key in Result<any DeviceKey, any Error> { try KeychainKey(tag: tag, privateKey: key) } }
    }
  }

  extension DeviceBindingAuthenticationType {
    /// The access control of new keys of this type; `nil` when this device cannot provide it now.
    var accessControl: SecAccessControl? { try? AppleKeyStore.accessControl(for: protection) }
  }
#endif
