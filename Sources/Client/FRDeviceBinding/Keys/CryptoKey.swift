internal import Concurrency
internal import Crypto
internal import DeviceKeys
internal import Foundation
internal import PingBinding

#if canImport(Security)
  public import Security
#endif

/// The name of a user's private key on this device, and the earlier SDK's operations on the key with that name.
///
/// This module's authenticators choose a fresh name for each binding; `FRUserKeys` lists them.
public struct CryptoKey: Sendable, Hashable {
  /// The key's user, as the server names it.
  public let keyId: String

  /// The private key's name in the earlier SDK: the standard Base64 of the SHA-256 of ``keyId``.
  public let keyAlias: String

  public init(keyId: String) {
    self.keyId = keyId
    keyAlias = Data(SHA256.hash(data: Data(keyId.utf8))).base64EncodedString()
  }

  /// Removes the private key, if it exists. A key that cannot be removed stays, and the next call tries again. Blocks until it is
  /// done.
  public func deleteKeys() {
    let alias = keyAlias
    try? Blocking.run { try await FRDeviceBinding.keyStore().deleteKey(tag: alias) }
  }

  #if canImport(Security)
    /// Makes the key pair in the Secure Enclave.
    ///
    /// - Parameters:
    ///   - accessControl: How the key is unlocked; `nil` requires only an unlocked device.
    ///   - pin: The app's PIN, when `accessControl` has `applicationPassword`.
    /// - Throws: `DeviceKeyError`.
    public func createKeyPair(accessControl: SecAccessControl? = nil, pin: String? = nil) throws -> KeyPair {
      KeyPair(
        try PingBinding.CryptoKey(keyTag: keyAlias).generateKeyPair(
          attestation: .none, accessControl: accessControl, pin: pin))
    }
  #endif
}
