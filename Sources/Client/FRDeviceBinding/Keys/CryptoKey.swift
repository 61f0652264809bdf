internal import Concurrency
internal import Crypto
internal import DeviceKeys
internal import Foundation
internal import PingBinding

#if canImport(Security)
  public import Security
#endif

/// The name of a user's private key on this device, and what the earlier SDK does with the key of that name.
///
/// What our authenticators make has a fresh name with each binding; `FRUserKeys` knows it.
public struct CryptoKey: Sendable, Hashable {
  /// What the key is for: the user as the server names it.
  public let keyId: String

  /// The standard Base64 of the SHA-256 of ``keyId``: what the earlier SDK calls the private key.
  public let keyAlias: String

  public init(keyId: String) {
    self.keyId = keyId
    keyAlias = Data(SHA256.hash(data: Data(keyId.utf8))).base64EncodedString()
  }

  /// Removes the private key. Succeeds when there is none; one that cannot be removed stays, and the next call tries again.
  /// Blocks until it is done.
  public func deleteKeys() {
    let alias = keyAlias
    try? Blocking.run { try await FRDeviceBinding.keyStore().deleteKey(tag: alias) }
  }

  #if canImport(Security)
    /// Makes the key pair in the Secure Enclave.
    ///
    /// - Parameters:
    ///   - accessControl: What has to happen before the key signs; `nil` is nothing, on the unlocked device.
    ///   - pin: The app's PIN, when `accessControl` has `applicationPassword`.
    /// - Throws: `DeviceKeyError`.
    public func createKeyPair(accessControl: SecAccessControl? = nil, pin: String? = nil) throws -> KeyPair {
      KeyPair(
        try PingBinding.CryptoKey(keyTag: keyAlias).generateKeyPair(
          attestation: .none, accessControl: accessControl, pin: pin))
    }
  #endif
}
