internal import Concurrency
internal import Foundation
internal import PingCommons
internal import PingLogger
internal import PingTamperDetector

/// Stores credentials for one-time codes, and generates the codes.
///
/// Safe to use from any number of tasks at once. A counter is never used twice: the next one is stored before a code is
/// returned, so a program that crashes in between skips one.
public final class OathClient: Sendable {
  let storage: any OathTransactionalStorage
  let logger: any Logger
  let now: @Sendable () -> Date
  private let evaluator: MfaPolicyEvaluator

  /// Credentials in memory, for clients that are configured to keep them.
  private let cache: Locked<[String: OathCredential]>?
  private let turn = AsyncMutex()

  /// A client set up by `configure`.
  ///
  /// - Throws: ``OathError/initializationFailed(_:_:)``
  public static func createClient(
    configure: (OathConfiguration) -> Void = { _ in }
  ) async throws -> OathClient {
    let configuration = OathConfiguration.build(configure)
    guard configuration.storage != nil || configuration.encryptionEnabled else {
      throw OathError.initializationFailed(
        "encryptionEnabled is off, and the default storage always encrypts: set a storage of your own")
    }
    let storage = configuration.storage ?? OathKeychainStorage(logger: configuration.logger)
    do { _ = try await storage.retrieveOathCredential(credentialId: "") } catch {
      throw OathError.initializationFailed("the storage cannot be read", error)
    }
    // An app's own storage may be in memory or belong to another account, so nothing is migrated to it.
    if configuration.storage == nil, let legacy = configuration.legacyAccounts {
      await OathMigration.beforeUse(of: storage, from: legacy, logger: configuration.logger)
    }
    return OathClient(configuration, storage)
  }

  private init(_ configuration: OathConfiguration, _ storage: any OathStorage) {
    self.storage = storage as? any OathTransactionalStorage ?? LockedOathStorage(storage)
    logger = configuration.logger
    now = configuration.now
    cache = configuration.enableCredentialCache ? Locked([:]) : nil
    evaluator =
      configuration.policyEvaluator
      ?? MfaPolicyEvaluator.create {
        $0.policies = [BiometricAvailablePolicy(), DeviceTamperingPolicy()]
        $0.logger = configuration.logger
      }
  }

  /// Stores the credential of an enrolment address, `otpauth` or `mfauth`. No server is contacted.
  ///
  /// An `mfauth` address is for push too: pass it to `PushClient.addCredentialFromUri` as well, and delete this credential if
  /// that fails.
  /// - Throws: ``OathError``: what is wrong with the address, ``OathError/policyViolation(_:_:)``,
  ///   ``OathError/duplicateCredential(_:)``; or the storage's error. Nothing is then stored.
  @discardableResult
  public func addCredentialFromUri(_ uri: String) async throws -> OathCredential {
    try await addCredential(fromUri: uri, enrolledBy: nil)
  }

  /// Stores the credential of an enrolment address that `server` shows.
  ///
  /// - Parameter isUnproven: Whether the server still has to accept a code; ``confirmCredential(_:)`` records that it has.
  @discardableResult
  package func addCredential(
    fromUri uri: String, enrolledBy server: String?, isUnproven: Bool = false
  ) async throws -> OathCredential {
    var credential = try OathUriParser.credential(of: uri, now: now())
    credential.enrolledBy = server
    credential.isUnproven = isUnproven
    if let policy = await evaluator.evaluate(credentialPolicies: credential.policies).nonCompliancePolicyName
    {
      throw OathError.policyViolation("nothing was enrolled", policy)
    }
    do {
      do { try await add(credential) } catch OathStorageError.duplicateCredential {
        // A leftover of an earlier attempt does not block the enrolment; a credential in use does.
        try await removeUnproven(like: credential)
        try await add(credential)
      }
    } catch OathStorageError.duplicateCredential(let name) { throw OathError.duplicateCredential(name) }
    logger.i("The credential \(credential.id) for one-time codes was added")
    return credential
  }

  private func add(_ credential: OathCredential) async throws {
    _ = try await keeping {
      try await storage.addOathCredential(credential)
      return credential
    }
  }

  /// Records that the server accepted a code of the credential.
  package func confirmCredential(_ credentialId: String) async throws {
    _ = try await keeping {
      try await storage.updateOathCredential(credentialId: credentialId) { stored in
        stored.isUnproven = false
        return stored
      }
    }
  }

  /// Removes unproven credentials of the same account from the same server, or from any server when enrolled by hand.
  private func removeUnproven(like new: OathCredential) async throws {
    for old in try await storage.getAllOathCredentials()
    where old.isUnproven && old.issuer == new.issuer && old.accountName == new.accountName
      && (new.enrolledBy == nil || new.enrolledBy == old.enrolledBy)
    {
      try await deleteCredential(old.id)
    }
  }

  /// Stores a credential, new or changed, locked or unlocked as its policies say. A higher stored counter is kept.
  ///
  /// - Returns: The credential as stored.
  /// - Throws: ``OathError/invalidSecret(_:)``, also for a credential that was read from JSON, which has no secret;
  ///   ``OathError/invalidParameterValue(_:)`` for digits other than 4 to 8, a period other than 1 to 3600 seconds, a negative
  ///   counter, and names that are empty, too long or unreadable; ``OathError/duplicateCredential(_:)`` when another credential has its
  ///   issuer and account; the storage's error. Nothing is then stored.
  @discardableResult
  public func saveCredential(_ credential: OathCredential) async throws -> OathCredential {
    try credential.validate(isNew: false)
    var judged = credential
    _ = await evaluator.apply(to: &judged, logger: logger)
    let new = judged
    let saved = try await keeping {
      try await storage.updateOathCredential(credentialId: new.id) { stored in
        var new = new
        new.keepProgress(of: stored)
        stored = new
        return new
      }
    }
    if saved == nil {
      try credential.validate(isNew: true)
      do { try await add(new) } catch OathStorageError.duplicateCredential(let name) {
        throw OathError.duplicateCredential(name)
      }
    }
    return saved ?? new
  }

  /// All credentials, locked or unlocked as their policies say now.
  public func getCredentials() async throws -> [OathCredential] {
    var credentials: [OathCredential] = []
    // The cache may hold only some of the credentials.
    for stored in try await storage.getAllOathCredentials() { credentials.append(try await judged(stored)) }
    return credentials
  }

  /// The credential of that id, locked or unlocked as its policies say now.
  public func getCredential(_ credentialId: String) async throws -> OathCredential? {
    if let kept = cache?.withLock({ $0[credentialId] }) { return try await judged(kept) }
    let stored = try await keeping { try await storage.retrieveOathCredential(credentialId: credentialId) }
    guard let stored else { return nil }
    return try await judged(stored)
  }

  /// Removes a credential from this device; `false` when there was none. The server is not told: the user removes the device
  /// there.
  @discardableResult
  public func deleteCredential(_ credentialId: String) async throws -> Bool {
    try await turn.withLock {
      cache?.withLock { $0[credentialId] = nil }
      return try await storage.removeOathCredential(credentialId: credentialId)
    }
  }

  /// Forgets the credentials in memory. A later call reads them again.
  public func close() async throws { cache?.withLock { $0 = [:] } }

  /// Runs `body`, which reads or changes what is stored, and keeps in memory the credential that it returns. One at a time, so that nothing
  /// read before a deletion or a change is kept after it.
  func keeping(_ body: () async throws -> OathCredential?) async rethrows -> OathCredential? {
    guard let cache else { return try await body() }
    return try await turn.withLock {
      let credential = try await body()
      if let credential { cache.withLock { $0[credential.id] = credential } }
      return credential
    }
  }

  /// The credential, locked or unlocked as its policies say now; a change is stored. Policies are evaluated at every use,
  /// cached or not, because the result may change.
  private func judged(_ credential: OathCredential) async throws -> OathCredential {
    var credential = credential
    guard await evaluator.apply(to: &credential, logger: logger) else { return credential }
    let (id, isLocked, policy) = (credential.id, credential.isLocked, credential.lockingPolicy)
    let stored = try await keeping {
      try await storage.updateOathCredential(credentialId: id) { stored in
        (stored.isLocked, stored.lockingPolicy) = (isLocked, policy)
        return stored
      }
    }
    return stored ?? credential
  }
}

extension OathCredential {
  /// Issuer and account, for messages.
  var name: String {
    issuer.isEmpty
      ? accountName.debugDescription : "\(accountName.debugDescription) at \(issuer.debugDescription)"
  }
}
