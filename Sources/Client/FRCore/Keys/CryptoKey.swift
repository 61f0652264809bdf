internal import Concurrency
internal import Crypto
internal import Foundation
internal import PingBinding

#if canImport(Security)
  package import DeviceKeys
  internal import DeviceKeysApple
  public import Security
#else
  public import DeviceKeys
#endif

/// The name of a user's private key on this device, and the earlier SDK's operations on the key with that name.
///
/// FRDeviceBinding's authenticators choose a fresh name for each binding; `FRUserKeys` lists them.
public struct CryptoKey: Sendable, Hashable {
  /// The key's user, as the server names it.
  public let keyId: String

  /// The private key's name in the earlier SDK: the standard Base64 of the SHA-256 of ``keyId``.
  public let keyAlias: String

  /// The keychain's access group, on Apple platforms; `nil` is the app's own.
  private let accessGroup: String?

  public init(keyId: String, accessGroup: String? = nil) {
    self.keyId = keyId
    self.accessGroup = accessGroup
    keyAlias = Self.getKeyAlias(keyName: keyId)
  }

  /// The standard Base64 of the SHA-256 of `keyName`.
  public static func getKeyAlias(keyName: String) -> String {
    Data(SHA256.hash(data: Data(keyName.utf8))).base64EncodedString()
  }

  /// Removes the private key, if it exists. A key that cannot be removed stays, and the next call tries again. Blocks until it is
  /// done.
  public func deleteKeys() {
    let alias = keyAlias
    try? Blocking.run { try await KeyPlace.store().deleteKey(tag: alias) }
    #if canImport(Security)
      if accessGroup != nil { try? EnclaveKeys.delete(tag: alias, accessGroup: accessGroup) }
    #endif
  }

  #if canImport(Security)
    /// The attributes with which `SecKeyCreateRandomKey` makes the key: a permanent one on P-256, in the Secure Enclave if there is one.
    /// An authenticator adds its access control to `kSecPrivateKeyAttrs`.
    public func keyBuilderQuery() -> [String: Any] {
      EnclaveKeys.attributes(tag: keyAlias, accessGroup: accessGroup)
    }

    /// Makes the key pair with the attributes `builderQuery`, in place of an existing one.
    ///
    /// - Throws: The system's error, or `DeviceKeyError`.
    public func createKeyPair(builderQuery: [String: Any]) throws -> KeyPair {
      deleteKeys()
      return try KeyPair(privateKey: try EnclaveKeys.create(attributes: builderQuery), keyAlias: keyAlias)
    }

    /// Makes the key pair in the Secure Enclave, in place of an existing one.
    ///
    /// - Parameters:
    ///   - accessControl: How the key is unlocked; `nil` requires only an unlocked device.
    ///   - pin: The app's PIN, when `accessControl` has `applicationPassword`.
    /// - Throws: `DeviceKeyError`.
    public func createKeyPair(accessControl: SecAccessControl? = nil, pin: String? = nil) throws -> KeyPair {
      deleteKeys()
      return KeyPair(
        try PingBinding.CryptoKey(keyTag: keyAlias).generateKeyPair(
          attestation: .none, accessControl: accessControl, pin: pin))
    }

    /// The private key; `nil` when there is none, or it cannot be opened.
    ///
    /// - Parameters:
    ///   - pin: The app's PIN, for a key that it unlocks.
    ///   - reason: Shown by the system when it asks the person.
    public func getSecureKey(pin: String? = nil, reason: String? = nil) -> SecKey? {
      try? EnclaveKeys.find(
        tag: keyAlias, accessGroup: accessGroup, pin: pin.map { PIN($0) }, reason: reason)?.secKey
    }
  #else
    /// Makes the key pair in the device's key store, in place of an existing one. Blocks until it is done.
    ///
    /// - Parameter pin: The PIN that unlocks the key; without a PIN, the key signs without asking.
    /// - Throws: `DeviceKeyError`.
    public func createKeyPair(pin: String? = nil) throws -> KeyPair {
      let alias = keyAlias
      return KeyPair(
        try Blocking.run {
          let store = try KeyPlace.store()
          try await store.deleteKey(tag: alias)
          return try await store.createKey(
            tag: alias, protection: pin == nil ? .none : .applicationPIN,
            unlock: pin.map { .pin(PIN($0)) } ?? .nothing)
        })
    }

    /// The private key; `nil` when there is none, or it cannot be opened. Blocks until it is done.
    ///
    /// - Parameters:
    ///   - pin: The app's PIN, for a key that it unlocks.
    ///   - reason: Has no effect off Apple's systems.
    public func getSecureKey(pin: String? = nil, reason: String? = nil) -> (any DeviceKey)? {
      let alias = keyAlias
      return try? Blocking.run {
        try await KeyPlace.store().openKey(tag: alias, unlock: pin.map { .pin(PIN($0)) } ?? .nothing)
      }
    }
  #endif
}

/// The store of the keys that ``CryptoKey`` names: FRDeviceBinding's, when that is part of the program.
package enum KeyPlace {
  private static let chosen = Locked<@Sendable () throws -> any DeviceKeyStore>({
    try PingBinding.DefaultDeviceAuthenticator().keyStore()
  })

  package static func store() throws -> any DeviceKeyStore { try chosen.withLock { $0 }() }

  package static func use(_ store: @escaping @Sendable () throws -> any DeviceKeyStore) {
    chosen.withLock { $0 = store }
  }
}
