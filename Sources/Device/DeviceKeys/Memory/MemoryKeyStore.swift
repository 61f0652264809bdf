internal import Crypto
public import Foundation
internal import JOSE

/// Keeps keys in memory for as long as the store lives: for our tests and those of apps.
public actor MemoryKeyStore: DeviceKeyStore {
  private struct Entry {
    let key: UnlockedKey
    let protection: KeyProtection
    /// What it was made with.
    let unlock: KeyUnlock
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
  ///   - pinAttempts: The policy for wrong PINs.
  ///   - clock: The time for creation dates and for the delays after wrong PINs.
  public init(
    pinAttempts: PINAttemptPolicy = .standard, clock: @escaping @Sendable () -> Date = { Date() }
  ) {
    attemptPolicy = pinAttempts
    self.clock = clock
  }

  public nonisolated func supports(_ protection: KeyProtection) -> Bool { true }

  public func createKey(
    tag: String, protection: KeyProtection, unlock: KeyUnlock
  ) throws -> any DeviceKey {
    try KeyTag.check(tag)
    let unlock = try protection.checked(unlock)
    guard entries[tag] == nil else { throw DeviceKeyError.exists(tag: tag) }
    let key = try UnlockedKey(tag: tag, privateKey: P256.Signing.PrivateKey())
    entries[tag] = Entry(
      key: key, protection: protection, unlock: unlock, createdAt: clock(),
      attempts: PINAttempts(policy: attemptPolicy, clock: clock))
    return key
  }

  public func openKey(tag: String, unlock: KeyUnlock) async throws -> any DeviceKey {
    guard let entry = entries[tag] else { throw DeviceKeyError.notFound(tag: tag) }
    return try await unlocked(entry, tag: tag, unlock: unlock)
  }

  public func changePIN(tag: String, from currentPIN: PIN, to newPIN: PIN) async throws {
    guard let entry = entries[tag] else { throw DeviceKeyError.notFound(tag: tag) }
    let unlock = try entry.protection.checked(.pin(newPIN))
    let key = try await unlocked(entry, tag: tag, unlock: .pin(currentPIN))
    // The key may have been deleted or replaced meanwhile.
    guard entries[tag]?.key === key else { throw DeviceKeyError.notFound(tag: tag) }
    entries[tag] = Entry(
      key: key, protection: entry.protection, unlock: unlock, createdAt: entry.createdAt,
      attempts: entry.attempts)
  }

  public func pinTries(tag: String) async throws -> PINTries? {
    guard let entry = entries[tag], entry.protection == .applicationPIN else { return nil }
    return try await entry.attempts.tries()
  }

  private func unlocked(_ entry: Entry, tag: String, unlock: KeyUnlock) async throws -> UnlockedKey {
    switch (try entry.protection.checked(unlock), entry.unlock) {
    case (.pin(let pin), .pin(let expected)):
      return try await entry.attempts.evaluate(tag: tag) {
        guard pin == expected else { throw DeviceKeyError.wrongPIN(tag: tag) }
        return entry.key
      }
    case (.authorization(let value), .authorization(let expected)) where value != expected:
      throw DeviceKeyError.unreadable(
        path: "the key '\(tag)' in memory", reason: "the authorisation does not belong to this key")
    default:
      return entry.key
    }
  }

  public func deleteKey(tag: String) { entries[tag] = nil }

  public func keys() -> [StoredKey] {
    entries.map { tag, entry in
      StoredKey(
        tag: tag, protection: entry.protection, publicKey: entry.key.publicKey, createdAt: entry.createdAt,
        kind: kind)
    }.oldestFirst
  }
}
