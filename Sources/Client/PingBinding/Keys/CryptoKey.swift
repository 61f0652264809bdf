#if canImport(Security)
  internal import DeviceKeys
  internal import DeviceKeysApple
  public import Security

  /// A key pair of the Secure Enclave under a tag of the app's choice, for authenticators of an app's own.
  ///
  /// `bind()` and `sign()` use `AppleKeyStore`, which opens these keys by their tags, too.
  public class CryptoKey {
    public let keyTag: String

    public init(keyTag: String) { self.keyTag = keyTag }

    /// Makes the key pair.
    ///
    /// - Parameters:
    ///   - attestation: Has no effect: Apple devices attest no key of an app's own. Where it is asked for, the server decides.
    ///   - accessControl: What has to happen before the key signs, with `privateKeyUsage`; `nil` is nothing, on the unlocked
    ///     device.
    ///   - keySizeInBits: Only 256.
    ///   - pin: The app's PIN, when `accessControl` has `applicationPassword`.
    /// - Throws: `DeviceKeyError`: ``DeviceKeyError/exists(tag:)`` when there is a key of this tag, which stays; a
    ///   ``DeviceBindingError/unsupported(errorMessage:)`` for what cannot be had.
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
    /// - Throws: ``DeviceBindingError/deviceNotRegistered`` when there is no key of this tag.
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
