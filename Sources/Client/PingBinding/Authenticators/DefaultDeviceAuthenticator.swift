public import DeviceKeys
public import Foundation
public import PingJourneyPlugin

#if canImport(Security)
  public import Security
#endif

/// The base of authenticators: supports nothing by itself.
///
/// An app's authenticator overrides ``type()``, ``isSupported(attestation:)``, ``register()`` and ``authenticate(keyTag:)``,
/// and keeps its keys in ``keyStore()``, so that they are removed with the bindings. On Apple platforms
/// ``authenticate(keyTag:)`` may return a `SecKey` instead; the authenticator then keeps its keys itself.
open class DefaultDeviceAuthenticator: DeviceAuthenticator {
  /// The journey that the operation belongs to.
  public var journey: Journey?

  /// The texts shown to the person.
  public var prompt: Prompt?

  /// The key's user.
  public private(set) var userId: String?

  private var dependencies: KeyDependencies?

  public init() {}

  open func type() -> DeviceBindingAuthenticationType { .none }

  open func register() async throws -> KeyPair {
    throw DeviceBindingStatus.unsupported(
      errorMessage: "Cannot use DefaultDeviceAuthenticator. Must be subclassed")
  }

  #if canImport(Security)
    @_disfavoredOverload
    open func authenticate(keyTag: String) async -> Result<any DeviceKey, any Error> {
      // An app's authenticator overrides one of the two forms.
      let key: Result<SecKey, any Error> = await authenticate(keyTag: keyTag)
      return key.deviceKey(tag: keyTag)
    }

    open func authenticate(keyTag: String) async -> Result<SecKey, any Error> {
      .failure(DeviceBindingError.unknown)
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

  /// The operation's key store.
  ///
  /// - Throws: When the default store cannot be used.
  public func keyStore() throws -> any DeviceKeyStore { try currentDependencies().keyStore }

  /// Why this device does not support the operation; `nil` when it does. The reason comes from what the store, the reader and the
  /// attestation key reported when the operation began. An app's authenticator decides for itself what it supports.
  func unsupportedReason(attestation: Attestation) -> String? {
    guard let dependencies else { return attestation == .none ? nil : UnsupportedReason.attestation }
    guard dependencies.keyStore.supports(type().protection) else {
      return UnsupportedReason.protection(type())
    }
    if attestation != .none, let reason = dependencies.attestation.problem { return reason }
    return dependencies.personProblem
  }

  // MARK: The operation's dependencies

  func prepare(_ dependencies: KeyDependencies) { self.dependencies = dependencies }

  /// Chooses the tag of the next key, so that it can be recorded before the key is made.
  func reserveTag(_ tag: String?) { dependencies?.reservedTag = tag }

  func currentDependencies() throws -> KeyDependencies {
    if let dependencies { return dependencies }
    let dependencies = try KeyDependencies.standard()
    self.dependencies = dependencies
    return dependencies
  }
}
