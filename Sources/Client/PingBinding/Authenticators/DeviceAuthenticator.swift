public import DeviceKeys
public import Foundation
public import PingJourneyPlugin

/// Makes and unlocks keys of one authentication type.
///
/// Apps subclass ``DefaultDeviceAuthenticator`` rather than conform. One object serves one operation at a time.
public protocol DeviceAuthenticator {
  /// The journey that the operation belongs to.
  var journey: Journey? { get set }

  /// Makes a key and keeps it in the key store. What the person is asked for now unlocks it later.
  func register() async throws -> KeyPair

  /// Unlocks the key `keyTag`.
  func authenticate(keyTag: String) async -> Result<any DeviceKey, any Error>

  /// Whether this device can do it, with key attestation if that is wanted.
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

  /// The proof that a new key was bound, as a compact JWS.
  func sign(params: SigningParameters, journey: Journey?) async throws -> String

  /// The proof that a bound key is here, as a compact JWS.
  func sign(params: UserKeySigningParameters, journey: Journey?) async throws -> String
}

extension DeviceAuthenticator {
  public func sign(params: SigningParameters, journey: Journey?) async throws -> String {
    try await BindingToken.proof(params).signed(by: params.keyPair.privateKey)
  }

  public func sign(params: UserKeySigningParameters, journey: Journey?) async throws -> String {
    try await BindingToken(params).signed(by: params.privateKey)
  }
}
