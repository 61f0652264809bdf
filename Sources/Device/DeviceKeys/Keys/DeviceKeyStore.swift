public import Foundation
public import JOSE

/// Makes, keeps and unlocks the keys of a device.
///
/// Tags are any text of 1 to 256 UTF-8 bytes.
public protocol DeviceKeyStore: Sendable {
  /// What keeps the keys.
  var kind: KeyStoreKind { get }

  /// Whether keys with `protection` can be made here and now.
  func supports(_ protection: KeyProtection) -> Bool

  /// Makes a P-256 key and keeps it under `tag`. It is durable when the call returns, and it is unlocked.
  ///
  /// - Parameter unlock: What will unlock it from now on; has to fit `protection`.
  /// - Throws: ``DeviceKeyError/exists(tag:)`` when there is a key of that tag, which stays as it is;
  ///   ``DeviceKeyError/unsupported(_:)`` when the store cannot protect a key so.
  func createKey(tag: String, protection: KeyProtection, unlock: KeyUnlock) async throws -> any DeviceKey

  /// Unlocks the key `tag`.
  ///
  /// - Throws: ``DeviceKeyError/notFound(tag:)``; ``DeviceKeyError/wrongPIN(tag:)``;
  ///   ``DeviceKeyError/unreadable(path:reason:)`` when it is there and damaged.
  func openKey(tag: String, unlock: KeyUnlock) async throws -> any DeviceKey

  /// Removes the key `tag` for good. Succeeds when there is none.
  func deleteKey(tag: String) async throws

  /// Describes the keys, oldest first.
  ///
  /// - Throws: ``DeviceKeyError/unreadable(path:reason:)`` when one of them cannot be described: a list that leaves out
  ///   what is damaged would look complete.
  func keys() async throws -> [StoredKey]
}

/// What a store says about a key without unlocking it.
public struct StoredKey: Sendable, Hashable {
  /// The name under which the store finds it.
  public let tag: String
  /// What has to happen before it signs.
  public let protection: KeyProtection
  /// The public key, without a key id.
  public let publicKey: JWK
  /// When it was made, to the millisecond.
  public let createdAt: Date
  /// What keeps it.
  public let kind: KeyStoreKind

  public init(
    tag: String, protection: KeyProtection, publicKey: JWK, createdAt: Date, kind: KeyStoreKind
  ) {
    self.tag = tag
    self.protection = protection
    self.publicKey = publicKey
    self.createdAt = createdAt
    self.kind = kind
  }
}
