public import Foundation
public import JOSE

/// Makes, keeps and unlocks the keys of a device.
///
/// Tags are any text of 1 to 256 UTF-8 bytes.
public protocol DeviceKeyStore: Sendable {
  /// What keeps the keys.
  var kind: KeyStoreKind { get }

  /// Whether the store can protect keys with `protection`. ``availability()`` says whether it can be used at all.
  func supports(_ protection: KeyProtection) -> Bool

  /// Whether the store itself verifies the person when a biometric key is used, as a Secure Enclave does. Such a key is unlocked with
  /// ``KeyUnlock/systemPrompt(reason:)``. Otherwise the caller verifies the person and passes the value that was released for it,
  /// ``KeyUnlock/authorization(_:)``. Default: `false`.
  var verifiesPerson: Bool { get }

  /// Whether keys can be made and used here and now. Default: ``KeyStoreAvailability/available``.
  func availability() async -> KeyStoreAvailability

  /// Whether the store's keys are ``AttestableDeviceKey``, here and now. Default: not.
  func attestationAvailability() async -> KeyStoreAvailability

  /// Makes a P-256 key and keeps it under `tag`. It is durable when the call returns, and it is unlocked.
  ///
  /// - Parameter unlock: What will unlock it from now on; has to fit `protection`.
  /// - Throws: ``DeviceKeyError/exists(tag:)`` when there is a key of that tag, which stays as it is;
  ///   ``DeviceKeyError/unsupported(_:)`` when the store cannot protect a key so.
  func createKey(tag: String, protection: KeyProtection, unlock: KeyUnlock) async throws -> any DeviceKey

  /// Unlocks the key `tag`.
  ///
  /// A try is counted before its PIN is checked, across restarts and for all processes together.
  /// - Throws: ``DeviceKeyError/notFound(tag:)``; ``DeviceKeyError/wrongPIN(tag:)``;
  ///   ``DeviceKeyError/lockedOut(tag:retryAfter:)`` while a wrong PIN's delay lasts; ``DeviceKeyError/disabled(tag:)``
  ///   after too many; ``DeviceKeyError/unreadable(path:reason:)`` when it is there and damaged.
  func openKey(tag: String, unlock: KeyUnlock) async throws -> any DeviceKey

  /// Makes `newPIN` the PIN of the key `tag`. The key stays the same, and when anything fails, so does its PIN.
  ///
  /// - Throws: What ``openKey(tag:unlock:)`` does with `currentPIN`; ``DeviceKeyError/unsupported(_:)`` for a key without PIN.
  func changePIN(tag: String, from currentPIN: PIN, to newPIN: PIN) async throws

  /// How many wrong PINs the key `tag` still accepts; `nil` when it has no PIN or the store does not say. No PIN is tried. Default: `nil`.
  func pinTries(tag: String) async throws -> PINTries?

  /// Whether new keys may be made in a token, so that ``token(ofKey:)`` may name one for them. Default: `false`.
  var makesKeysInTokens: Bool { get }

  /// The token that has the key `tag`, or for `nil` the token that would get a new key with a PIN. The token's own PIN unlocks its keys, so
  /// that PIN is asked for and none is chosen. `nil` for keys with PINs of their own. Default: `nil`.
  func token(ofKey tag: String?) async throws -> KeyToken?

  /// The kind of the key `tag`, which may differ from ``kind`` in a store that has several kinds. Nothing is unlocked.
  ///
  /// Default: ``kind`` for a key that ``keys()`` lists.
  /// - Throws: ``DeviceKeyError/notFound(tag:)``
  func kind(ofKey tag: String) async throws -> KeyStoreKind

  /// Removes the key `tag` for good. Succeeds when there is none.
  func deleteKey(tag: String) async throws

  /// Describes the keys, oldest first.
  ///
  /// - Throws: ``DeviceKeyError/unreadable(path:reason:)`` when one of them cannot be described: a list that leaves out
  ///   what is damaged would look complete.
  func keys() async throws -> [StoredKey]

  /// The keys that can be described, oldest first, and the errors of the others: for a caller that can do without a damaged one, and reports
  /// it. Default: ``keys()``.
  func readableKeys() async throws -> (keys: [StoredKey], faults: [DeviceKeyError])
}

extension DeviceKeyStore {
  public var verifiesPerson: Bool { false }

  public func availability() async -> KeyStoreAvailability { .available }

  public func attestationAvailability() async -> KeyStoreAvailability {
    .unavailable("The key store '\(kind.rawValue)' has no hardware that could attest a key.")
  }

  public func pinTries(tag: String) async throws -> PINTries? { nil }

  public var makesKeysInTokens: Bool { false }

  public func token(ofKey tag: String?) async throws -> KeyToken? { nil }

  public func changePIN(tag: String, from currentPIN: PIN, to newPIN: PIN) async throws {
    throw DeviceKeyError.unsupported(
      "The key store '\(kind.rawValue)' cannot change a PIN. Bind the device again.")
  }

  public func readableKeys() async throws -> (keys: [StoredKey], faults: [DeviceKeyError]) {
    (try await keys(), [])
  }

  public func kind(ofKey tag: String) async throws -> KeyStoreKind {
    guard let key = try await keys().first(where: { $0.tag == tag }) else {
      throw DeviceKeyError.notFound(tag: tag)
    }
    return key.kind
  }
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

extension [StoredKey] {
  /// The order in which stores list their keys.
  package var oldestFirst: [StoredKey] { sorted { ($0.createdAt, $0.tag) < ($1.createdAt, $1.tag) } }
}
