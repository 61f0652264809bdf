#if canImport(Security)
  internal import DeviceKeys
  internal import DeviceKeysApple
  public import Security

  /// A key pair in the Secure Enclave under a tag that the app chooses, for an app's own authenticators.
  ///
  /// `bind()` and `sign()` use `AppleKeyStore`, which can also open these keys by their tags.
  public class CryptoKey {
    public let keyTag: String

    public init(keyTag: String) { self.keyTag = keyTag }

    /// Makes the key pair.
    ///
    /// - Parameters:
    ///   - attestation: Has no effect: Apple devices do not attest an app's own keys. A server that asks for one decides what follows.
    ///   - accessControl: How the key is unlocked, with `privateKeyUsage`; `nil` requires only an unlocked device.
    ///   - keySizeInBits: The size of the key. Only 256 is supported.
    ///   - pin: The app's PIN, when `accessControl` has `applicationPassword`.
    /// - Throws: ``DeviceKeyError/exists(tag:)`` when a key has the tag, which stays unchanged; another `DeviceKeyError`; or
    ///   ``DeviceBindingError/unsupported(errorMessage:)`` for another size.
    public func generateKeyPair(
      attestation: Attestation, accessControl: SecAccessControl? = nil, keySizeInBits: Int = 256,
      pin: String? = nil
    ) throws -> KeyPair {
      guard keySizeInBits == 256 else {
        throw DeviceBindingError.unsupported(errorMessage: UnsupportedReason.keySize(keySizeInBits))
      }
      return KeyPair(
        try EnclaveKeys.create(tag: keyTag, access: accessControl, pin: pin.map { PIN($0) }))
    }

    /// The public key.
    ///
    /// - Throws: ``DeviceBindingError/deviceNotRegistered`` when no key has this tag.
    public func getPublicKey() throws -> SecKey {
      guard let key = try EnclaveKeys.find(tag: keyTag), let publicKey = SecKeyCopyPublicKey(key.secKey)
      else {
        throw DeviceBindingError.deviceNotRegistered
      }
      return publicKey
    }

    /// Removes the key pair. Succeeds when there is none.
    ///
    /// - Throws: ``DeviceBindingError/unknown``
    public func deleteKeyPair() throws {
      do {
        try EnclaveKeys.delete(tag: keyTag)
      } catch {
        throw DeviceBindingError.unknown
      }
    }
  }
#endif
