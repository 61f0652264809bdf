public import Bytes
public import DeviceKeys
public import Foundation
internal import UserVerification

/// This device's own authenticator (WebAuthn L3 §6): makes credentials whose keys are in a key store, and signs with them.
///
/// It is a platform authenticator without user interface: it asks for consent through ``AuthenticatorConsent`` and verifies the person
/// through ``UserVerifiers``. Keys never leave the device, and its flags say that there are no backups.
public struct Authenticator: Sendable {
  let keyStore: any DeviceKeyStore
  let credentials: CredentialStore
  let verifiers: UserVerifiers
  let randomBytes: @Sendable (Int) -> [UInt8]
  let clock: @Sendable () -> Date
  let timeZone: TimeZone

  /// How long making a key may take before it counts as abandoned. Seconds.
  static let reservation: TimeInterval = 600

  /// - Parameters:
  ///   - keyStore: Where private keys are.
  ///   - credentials: Where the rest of each credential is.
  ///   - verifiers: What verifies the person.
  ///   - randomBytes: Source of credential ids; the system's by default.
  ///   - clock: The time that keys are stamped with.
  ///   - timeZone: The time zone of the dates in keys' names.
  public init(
    keyStore: any DeviceKeyStore, credentials: CredentialStore, verifiers: UserVerifiers = UserVerifiers(),
    randomBytes: @escaping @Sendable (Int) -> [UInt8] = SystemRandom.bytes,
    clock: @escaping @Sendable () -> Date = { Date() }, timeZone: TimeZone = .current
  ) {
    self.keyStore = keyStore
    self.credentials = credentials
    self.verifiers = verifiers
    self.randomBytes = randomBytes
    self.clock = clock
    self.timeZone = timeZone
  }

  /// Whether the device can verify who is in front of it.
  ///
  /// - Throws: `CancellationError`.
  public func canVerifyUser() async throws -> Bool {
    keyStore.verifiesPerson ? true : try await verifiers.canVerify()
  }

  /// Removes a credential and its private key from this device. Succeeds when they are gone already.
  ///
  /// - Throws: `DeviceKeyError` and `AuthorizationVaultError`; the credential is out of use then, and what is left of it is removed
  ///   when the next one is made.
  public func delete(_ source: PublicKeyCredentialSource) async throws {
    try await credentials.doom(source)
    try await removeKey(of: source)
  }

  /// Removes the discoverable credentials that `source` replaces: the older ones of the same account at the same relying party, server and
  /// realm (§6.3.2 step 7.4). Call it once the relying party has accepted the new one; until then the older ones must stay usable.
  public func removePredecessors(of source: PublicKeyCredentialSource) async throws {
    guard let handle = source.userHandle else { return }
    let all = try await credentials.credentials(relyingPartyID: source.relyingPartyID)
    // Compares places in the list: two credentials may be of one millisecond.
    guard let place = all.firstIndex(where: { $0.id == source.id }) else { return }
    let scope = all[place].scope
    for other in all[..<place] where other.userHandle == handle && other.scope == scope {
      try await delete(other)
    }
  }

  /// Gives a credential that has no scope the one of the server that has just verified it. One that has a scope keeps it.
  ///
  /// - Throws: `DeviceKeyError`.
  public func adopt(_ source: PublicKeyCredentialSource, for scope: CredentialScope) async throws {
    if source.scope == nil { try await credentials.adopt(source, for: scope) }
  }

  /// Removes what crashes have left behind.
  func removeAbandoned() async throws {
    for source in try await credentials.abandoned(now: clock()) { try await removeKey(of: source) }
  }

  /// Removes the records that cannot be read, and the keys that no record names, which are theirs. For a store that holds only credentials,
  /// when the person wants them all deleted.
  ///
  /// - Returns: The number of removed records.
  /// - Throws: `DeviceKeyError`.
  package func removeUnreadable() async throws -> Int {
    let count = try await credentials.removeUnreadable()
    guard count > 0 else { return 0 }
    // Lists the keys first: a credential that is being made has its record before its key.
    let tags = try await keyStore.readableKeys().keys.map(\.tag)
    let named = try await credentials.keyTags()
    for tag in tags where tag.hasPrefix(PublicKeyCredentialSource.keyTagPrefix) && !named.contains(tag) {
      try await keyStore.deleteKey(tag: tag)
    }
    return count
  }

  /// Removes the key before its record, because the record tells that there is something to remove.
  private func removeKey(of source: PublicKeyCredentialSource) async throws {
    try await keyStore.deleteKey(tag: source.keyTag)
    try verifiers.vault.remove(tag: source.keyTag)
    try await credentials.remove(source)
  }

  /// Runs `body` and translates its errors into ``AuthenticatorError``. A success is returned even when the task is cancelled: otherwise
  /// there would be a new credential that nobody knows of.
  func reporting<Result>(_ body: () async throws -> Result) async throws -> Result {
    do { return try await body() } catch let error as AuthenticatorError {
      throw error
    } catch let error as UserVerificationError {
      throw AuthenticatorError.notAllowed(
        [error.errorDescription, error.recoverySuggestion].compactMap { $0 }.joined(separator: " "))
    } catch AuthorizationVaultError.enrolmentChanged {
      throw AuthenticatorError.notAllowed(
        "The enrolled fingers or faces have changed since this key was made. Register a new key.")
    } catch let error as CancellationError {
      throw error
    } catch {
      if Task.isCancelled { throw CancellationError() }
      throw AuthenticatorError.failed(error)
    }
  }
}
