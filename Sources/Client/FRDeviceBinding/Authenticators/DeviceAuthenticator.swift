public import Foundation
public import PingBinding

#if canImport(Security)
  public import Security
#endif

/// Makes, unlocks and uses keys of one authentication type.
///
/// What is an app's own is used as it is: its `generateKeys()` makes the key, and its `sign` unlocks it and signs. They block
/// their thread, which is none that Swift's tasks share. Keys are objects that sign, and never hand out private bytes: `SecKey`
/// on Apple platforms, `DeviceKey` elsewhere.
public protocol DeviceAuthenticator {
  /// Makes a key, unlocked. Blocks its thread until it is there.
  func generateKeys() throws -> KeyPair
  /// The proof that a new key was bound, as a compact JWS.
  func sign(
    keyPair: KeyPair, kid: String, userId: String, challenge: String, expiration: Date
  ) throws -> String
  /// Unlocks a bound key, and returns the proof that it is here, as a compact JWS.
  func sign(
    userKey: UserKey, challenge: String, expiration: Date, customClaims: [String: Any]
  ) throws -> String
  /// The authentication type.
  func type() -> DeviceBindingAuthenticationType
  /// Whether this device can do it.
  func isSupported() -> Bool
  #if canImport(Security)
    /// The access control of new keys; `nil` when this device can have none now.
    func accessControl() -> SecAccessControl?
  #endif
  /// The set of enrolled biometrics, on platforms that tell and for authenticators that keep to one.
  func biometricDomainState() -> Data?
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
  /// What makes and unlocks the key, used for one operation. Ours; by default `generateKeys()` and `sign` do it.
  func authenticator() -> any PingBinding.DeviceAuthenticator
}

extension DeviceAuthenticator {
  public func sign(
    keyPair: KeyPair, kid: String, userId: String, challenge: String, expiration: Date
  ) throws -> String {
    try LegacySigning.proof(
      of: keyPair, kid: kid, userId: userId, challenge: challenge, expiration: expiration, by: self,
      in: LegacyOperation())
  }

  public func sign(
    userKey: UserKey, challenge: String, expiration: Date, customClaims: [String: Any] = [:]
  ) throws -> String {
    try LegacySigning.proof(
      of: userKey, challenge: challenge, expiration: expiration, customClaims: customClaims, by: self,
      in: LegacyOperation())
  }

  #if canImport(Security)
    public func accessControl() -> SecAccessControl? { LegacySigning.accessControl(of: type()) }
  #endif

  public func biometricDomainState() -> Data? { nil }

  public func initialize(userId: String, prompt: Prompt) {
    setPrompt(prompt)
    initialize(userId: userId)
  }

  public func issueTime() -> Date { Date() }

  public func notBeforeTime() -> Date { Date() }

  public func validateCustomClaims(_ customClaims: [String: Any]) -> Bool {
    PingBinding.DefaultDeviceAuthenticator().validateCustomClaims(customClaims)
  }

  public func authenticator() -> any PingBinding.DeviceAuthenticator {
    PingBinding.DefaultDeviceAuthenticator()
  }
}

/// An authenticator that works with the key of its user.
public protocol CryptoAware {
  /// Sets the key that ``DeviceAuthenticator/generateKeys()`` makes. Called when the authenticator is initialised for a user.
  func setKey(cryptoKey: CryptoKey)
}
