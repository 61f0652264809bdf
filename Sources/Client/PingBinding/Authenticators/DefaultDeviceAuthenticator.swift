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

  private var dependencies: KeyDependencies?
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
  public func keyStore() throws -> any DeviceKeyStore { try currentDependencies().keyStore }

  /// Why this device cannot do it, `nil` when it can: what the store, the reader and the attestation key said when the
  /// operation began. An app's own authenticator says itself what it supports.
  func unsupportedReason(attestation: Attestation) -> String? {
    guard let dependencies else { return attestation == .none ? nil : UnsupportedReason.attestation }
    guard dependencies.keyStore.supports(type().protection) else {
      return UnsupportedReason.protection(type())
    }
    if attestation != .none, let reason = dependencies.attestation.problem { return reason }
    return dependencies.personProblem
  }

  /// What an app's settings ask for and no key can have, checked before one is made.
  func checkSettings() throws {}

  func checkKeySize(_ bits: Int) throws {
    guard bits == 256 else {
      throw DeviceBindingError.unsupported(errorMessage: UnsupportedReason.keySize(bits))
    }
  }

  // MARK: Keys in the store

  func prepare(_ dependencies: KeyDependencies) {
    self.dependencies = dependencies
    registered = nil
  }

  /// Chooses the tag of the next key, so that it can be noted before the key is made.
  func reserveTag(_ tag: String) { dependencies?.reservedTag = tag }

  /// What the tag of the next key begins with.
  var tagPrefix: String { "binding" }

  func currentDependencies() throws -> KeyDependencies {
    if let dependencies { return dependencies }
    let dependencies = try KeyDependencies.standard()
    self.dependencies = dependencies
    return dependencies
  }

  /// Makes a key of this authentication type in the store.
  func createKey(unlock: KeyUnlock) async throws -> KeyPair {
    let dependencies = try currentDependencies()
    let tag = dependencies.reservedTag ?? "\(tagPrefix).\(dependencies.makeID())"
    self.dependencies?.reservedTag = nil
    try Task.checkCancellation()
    let key = try await dependencies.keyStore.createKey(
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
    let dependencies = try currentDependencies()
    for key in try await dependencies.storage.find(in: dependencies.scope, userId: userId)
    where key.authType == type() {
      try await dependencies.keyStore.deleteKey(tag: key.keyTag)
      try dependencies.verifiers.vault.remove(tag: key.keyTag)
    }
  }
}
