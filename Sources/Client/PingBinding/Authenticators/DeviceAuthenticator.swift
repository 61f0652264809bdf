public import DeviceKeys
public import Foundation
public import PingJourneyPlugin

#if canImport(Security)
  public import Security
#endif

/// Makes and unlocks keys of one authentication type.
///
/// Apps subclass ``DefaultDeviceAuthenticator`` rather than conform. One object serves one operation at a time. `sign` is
/// called on a thread of its own, where it may wait for a person.
///
/// On Apple platforms an authenticator written with `SecKey` conforms unchanged; the key that it returns is used like any
/// other.
public protocol DeviceAuthenticator {
  /// The journey that the operation belongs to.
  var journey: Journey? { get set }

  /// Makes a key and keeps it in the key store. The PIN or biometric that the person gives now unlocks it later.
  func register() async throws -> KeyPair

  /// Unlocks the key `keyTag`.
  @_disfavoredOverload
  func authenticate(keyTag: String) async -> Result<any DeviceKey, any Error>

  #if canImport(Security)
    /// Unlocks the key `keyTag`.
    func authenticate(keyTag: String) async -> Result<SecKey, any Error>

    /// The access control of new keys of this authentication type; `nil` when this device cannot provide it now.
    func accessControl() -> SecAccessControl?
  #endif

  /// Whether this device supports the authentication type, with key attestation if that is wanted. After `false` for an
  /// attestation it is called again without one, unless ``DeviceBindingConfig/requiresAttestation`` is set.
  func isSupported(attestation: Attestation) -> Bool

  /// The authentication type.
  func type() -> DeviceBindingAuthenticationType

  /// Sets the texts shown to the person.
  func setPrompt(_ prompt: Prompt)

  /// Sets the key's user, and the texts shown to the person.
  func initialize(userId: String, prompt: Prompt)

  /// Sets the key's user.
  func initialize(userId: String)

  /// Deletes the private keys of the initialised user that have this authentication type.
  func deleteKeys() async throws

  /// The `iat` of signatures outside `bind()` and `sign()`.
  func issueTime() -> Date

  /// The `nbf` of signatures outside `bind()` and `sign()`.
  func notBeforeTime() -> Date

  /// Whether the claims have no reserved names and only values that JSON can express.
  func validateCustomClaims(_ customClaims: [String: Any]) -> Bool

  /// The proof that a new key was bound, as a compact JWS. Blocks its thread until the key has signed.
  func sign(params: SigningParameters, journey: Journey?) throws -> String

  /// The proof that this device has a bound key, as a compact JWS. Blocks its thread until the key has signed.
  func sign(params: UserKeySigningParameters, journey: Journey?) throws -> String
}

extension DeviceAuthenticator {
  public func sign(params: SigningParameters, journey: Journey?) throws -> String {
    try params.blockingProof()
  }

  public func sign(params: UserKeySigningParameters, journey: Journey?) throws -> String {
    try params.blockingProof()
  }

  #if canImport(Security)
    /// Unlocks the key with the method that returns a `SecKey`, and returns it as a `DeviceKey`.
    @_disfavoredOverload
    public func authenticate(keyTag: String) async -> Result<any DeviceKey, any Error> {
      let key: Result<SecKey, any Error> = await authenticate(keyTag: keyTag)
      return key.deviceKey(tag: keyTag)
    }

    /// The access control of this module's keys of this authentication type.
    public func accessControl() -> SecAccessControl? { type().accessControl }
  #endif
}
