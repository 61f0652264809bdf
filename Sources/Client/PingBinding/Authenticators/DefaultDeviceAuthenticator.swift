public import DeviceKeys
public import Foundation
public import PingJourneyPlugin
internal import UserVerification

#if canImport(Security)
  public import Security
#endif

/// The base of authenticators: supports nothing by itself.
///
/// An app's own authenticator overrides ``type()``, ``isSupported(attestation:)``, ``register()`` and
/// ``authenticate(keyTag:)``, and keeps its keys in ``keyStore()``, so that they are removed with the bindings. On Apple
/// platforms it may return a `SecKey` from the latter instead, and keep its keys itself.
open class DefaultDeviceAuthenticator: DeviceAuthenticator {
  /// The journey that the operation belongs to.
  public var journey: Journey?

  /// What the person is told.
  public var prompt: Prompt?

  /// For which user the key is.
  public private(set) var userId: String?

  private var environment: KeyEnvironment?
  /// The key that was made last, unlocked, for the signature that proves it.
  private var registered: (any DeviceKey)?

  public init() {}

  open func type() -> DeviceBindingAuthenticationType { .none }

  open func register() async throws -> KeyPair {
    throw DeviceBindingStatus.unsupported(
      errorMessage: "Cannot use DefaultDeviceAuthenticator. Must be subclassed")
  }

  #if canImport(Security)
    @_disfavoredOverload
    open func authenticate(keyTag: String) async -> Result<any DeviceKey, any Error> {
      // Ours override this form; of an app's the other one counts, unless it overrides this one, too.
      guard !isOurs else { return .failure(DeviceBindingError.unknown) }
      let key: Result<SecKey, any Error> = await authenticate(keyTag: keyTag)
      return key.deviceKey(tag: keyTag)
    }

    open func authenticate(keyTag: String) async -> Result<SecKey, any Error> {
      guard isOurs else { return .failure(DeviceBindingError.unknown) }
      let key: Result<any DeviceKey, any Error> = await authenticate(keyTag: keyTag)
      return key.secKey
    }

    open func accessControl() -> SecAccessControl? { type().accessControl }
  #else
    open func authenticate(keyTag: String) async -> Result<any DeviceKey, any Error> {
      .failure(DeviceBindingError.unknown)
    }
  #endif

  open func isSupported(attestation: Attestation) -> Bool { false }

  open func setPrompt(_ prompt: Prompt) { self.prompt = prompt }

  open func initialize(userId: String, prompt: Prompt) {
    setPrompt(prompt)
    initialize(userId: userId)
  }

  open func initialize(userId: String) { self.userId = userId }

  open func deleteKeys() async throws {}

  open func issueTime() -> Date { Date() }

  open func notBeforeTime() -> Date { Date() }

  open func validateCustomClaims(_ customClaims: [String: Any]) -> Bool {
    (try? CustomClaims(customClaims)) != nil
  }

  open func sign(params: SigningParameters, journey: Journey?) throws -> String {
    try params.blockingProof()
  }

  open func sign(params: UserKeySigningParameters, journey: Journey?) throws -> String {
    try params.blockingProof()
  }

  /// The store that the operation keeps its keys in.
  ///
  /// - Throws: When the default store cannot be used.
  public func keyStore() throws -> any DeviceKeyStore { try currentEnvironment().keyStore }

  /// Why this device cannot do it, `nil` when it can: what the store, the reader and the attestation key said when the
  /// operation began. An app's own authenticator says itself what it supports.
  func unsupportedReason(attestation: Attestation) -> String? {
    guard let environment else { return attestation == .none ? nil : UnsupportedReason.attestation }
    guard environment.keyStore.supports(type().protection) else {
      return UnsupportedReason.protection(type())
    }
    if attestation != .none, let reason = environment.attestation.problem { return reason }
    return environment.personProblem
  }

  /// What an app's settings ask for and no key can have, checked before one is made.
  func checkSettings() throws {}

  func checkKeySize(_ bits: Int) throws {
    guard bits == 256 else {
      throw DeviceBindingError.unsupported(errorMessage: UnsupportedReason.keySize(bits))
    }
  }

  // MARK: Keys in the store

  func prepare(_ environment: KeyEnvironment) {
    self.environment = environment
    registered = nil
  }

  /// Chooses the tag of the next key, so that it can be noted before the key is made.
  func reserveTag(_ tag: String) { environment?.reservedTag = tag }

  /// What the tag of the next key begins with.
  var tagPrefix: String { "binding" }

  func currentEnvironment() throws -> KeyEnvironment {
    if let environment { return environment }
    let environment = try KeyEnvironment.standard()
    self.environment = environment
    return environment
  }

  /// Makes a key of this authentication type in the store.
  func createKey(unlock: KeyUnlock) async throws -> KeyPair {
    let environment = try currentEnvironment()
    let tag = environment.reservedTag ?? "\(tagPrefix).\(environment.makeID())"
    self.environment?.reservedTag = nil
    try Task.checkCancellation()
    let key = try await environment.keyStore.createKey(
      tag: tag, protection: type().protection, unlock: unlock)
    registered = key
    return KeyPair(key)
  }

  /// The key `keyTag`, if this object has just made it: whoever made it need not unlock it again for the first signature.
  func takeRegistered(keyTag: String) -> (any DeviceKey)? {
    guard let key = registered, key.tag == keyTag else { return nil }
    registered = nil
    return key
  }

  /// Deletes the private keys of the initialised user that have this authentication type.
  func deleteStoredKeys() async throws {
    guard let userId else { return }
    let environment = try currentEnvironment()
    for key in try await environment.storage.find(in: environment.scope, userId: userId)
    where key.authType == type() {
      try await environment.keyStore.deleteKey(tag: key.keyTag)
      try environment.verifiers.vault.remove(tag: key.keyTag)
    }
  }
}
