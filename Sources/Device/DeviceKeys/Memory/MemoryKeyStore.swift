internal import Crypto
public import Foundation
internal import JOSE

/// Keeps keys for as long as the store lives: for tests, ours and those of apps.
public actor MemoryKeyStore: DeviceKeyStore {
  private struct Entry {
    let key: UnlockedKey
    let protection: KeyProtection
    let pin: PIN?
    let createdAt: Date
    /// The count of wrong PINs.
    let attempts: PINAttempts
  }

  public nonisolated let kind = KeyStoreKind.memory
  private let clock: @Sendable () -> Date
  private let attemptPolicy: PINAttemptPolicy
  private var entries: [String: Entry] = [:]

  /// An empty store.
  ///
  /// - Parameters:
  ///   - pinAttempts: What wrong PINs lead to.
  ///   - clock: The time that keys are stamped with, and by which wrong PINs delay the next try.
  public init(
    pinAttempts: PINAttemptPolicy = .standard, clock: @escaping @Sendable () -> Date = { Date() }
  ) {
    attemptPolicy = pinAttempts
    self.clock = clock
  }

  public nonisolated func supports(_ protection: KeyProtection) -> Bool {
    protection == .none || protection == .applicationPIN
  }

  public func createKey(
    tag: String, protection: KeyProtection, unlock: KeyUnlock
  ) throws -> any DeviceKey {
    try KeyTag.check(tag)
    let pin = try protection.checked(unlock).pin
    guard entries[tag] == nil else { throw DeviceKeyError.exists(tag: tag) }
    let key = try UnlockedKey(tag: tag, privateKey: P256.Signing.PrivateKey())
    entries[tag] = Entry(
      key: key, protection: protection, pin: pin, createdAt: clock(),
      attempts: PINAttempts(policy: attemptPolicy, clock: clock))
    return key
  }

  public func openKey(tag: String, unlock: KeyUnlock) async throws -> any DeviceKey {
    guard let entry = entries[tag] else { throw DeviceKeyError.notFound(tag: tag) }
    guard let pin = try entry.protection.checked(unlock).pin else { return entry.key }
    return try await entry.attempts.evaluate(tag: tag) {
      guard pin == entry.pin else { throw DeviceKeyError.wrongPIN(tag: tag) }
      return entry.key
    }
  }

  public func deleteKey(tag: String) { entries[tag] = nil }

  public func keys() -> [StoredKey] {
    entries.map { tag, entry in
      StoredKey(
        tag: tag, protection: entry.protection, publicKey: entry.key.publicKey, createdAt: entry.createdAt,
        kind: kind)
    }
    .sorted { ($0.createdAt, $0.tag) < ($1.createdAt, $1.tag) }
  }
}
