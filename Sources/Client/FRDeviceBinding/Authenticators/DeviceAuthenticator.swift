public import Foundation
public import PingBinding

/// Says how keys of one authentication type are made and unlocked.
///
/// The earlier SDK's authenticators also hand out private keys as `SecKey`. Ours never do, so what makes and unlocks a key is
/// ``authenticator()``, an authenticator of PingBinding.
public protocol DeviceAuthenticator {
  /// The authentication type.
  func type() -> DeviceBindingAuthenticationType
  /// Whether this device can do it.
  func isSupported() -> Bool
  /// Sets what the person is told.
  func setPrompt(_ prompt: Prompt)
  /// Sets for which user the key is, and what the person is told.
  func initialize(userId: String, prompt: Prompt)
  /// Sets for which user the key is.
  func initialize(userId: String)
  /// Deletes the keys of the initialised user that have this authentication type; blocks until it is done.
  func deleteKeys()
  /// `iat` of what is signed.
  func issueTime() -> Date
  /// `nbf` of what is signed.
  func notBeforeTime() -> Date
  /// Whether the custom claims may be signed.
  func validateCustomClaims(_ customClaims: [String: Any]) -> Bool
  /// What makes and unlocks the key; used for one operation.
  func authenticator() -> any PingBinding.DeviceAuthenticator
}
