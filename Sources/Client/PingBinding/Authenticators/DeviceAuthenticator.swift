public import DeviceKeys
public import Foundation
public import PingJourneyPlugin

#if canImport(Security)
  public import Security
#endif

/// Makes and unlocks keys of one authentication type.
///
/// Apps subclass ``DefaultDeviceAuthenticator`` rather than conform. One object serves one operation at a time. `sign` is
/// called on a thread that tasks do not share, and may wait for a person there.
///
/// On Apple platforms an authenticator that was written with `SecKey` conforms as it is; a key that it returns is used as
/// any other.
public protocol DeviceAuthenticator {
  /// The journey that the operation belongs to.
  var journey: Journey? { get set }

  /// Makes a key and keeps it in the key store. What the person is asked for now unlocks it later.
  func register() async throws -> KeyPair

  /// Unlocks the key `keyTag`.
  @_disfavoredOverload
  func authenticate(keyTag: String) async -> Result<any DeviceKey, any Error>

  #if canImport(Security)
    /// Unlocks the key `keyTag`.
    func authenticate(keyTag: String) async -> Result<SecKey, any Error>

    /// The access control of new keys of this authentication type; `nil` when this device can have none now.
    func accessControl() -> SecAccessControl?
  #endif

  /// Whether this device can do it, with key attestation if that is wanted. One that cannot attest is asked again without,
  /// unless ``DeviceBindingConfig/requiresAttestation`` is set.
  func isSupported(attestation: Attestation) -> Bool

  /// The authentication type.
  func type() -> DeviceBindingAuthenticationType

  /// Sets what the person is told.
  func setPrompt(_ prompt: Prompt)

  /// Sets for which user the key is, and what the person is told.
  func initialize(userId: String, prompt: Prompt)

  /// Sets for which user the key is.
  func initialize(userId: String)

  /// Deletes the private keys of the initialised user that have this authentication type.
  func deleteKeys() async throws

  /// `iat` of what is signed outside `bind()` and `sign()`.
  func issueTime() -> Date

  /// `nbf` of what is signed outside `bind()` and `sign()`.
  func notBeforeTime() -> Date

  /// Whether the claims have no reserved names and only values that JSON can express.
  func validateCustomClaims(_ customClaims: [String: Any]) -> Bool

  /// The proof that a new key was bound, as a compact JWS. Blocks its thread until the key has signed.
  func sign(params: SigningParameters, journey: Journey?) throws -> String

  /// The proof that a bound key is here, as a compact JWS. Blocks its thread until the key has signed.
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
    /// What the form with `SecKey` returns, as a key of ours.
    @_disfavoredOverload
    public func authenticate(keyTag: String) async -> Result<any DeviceKey, any Error> {
      let key: Result<SecKey, any Error> = await authenticate(keyTag: keyTag)
      return key.deviceKey(tag: keyTag)
    }

    /// That of our own keys of this authentication type.
    public func accessControl() -> SecAccessControl? { type().accessControl }
  #endif
}
