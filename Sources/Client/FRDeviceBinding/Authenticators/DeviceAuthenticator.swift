public import Foundation
public import PingBinding

#if canImport(Security)
  public import Security
#endif

/// Makes, unlocks and uses keys of one authentication type.
///
/// An app's own authenticator is used unchanged: its `generateKeys()` makes the key, and its `sign` unlocks it and signs. They are
/// called on a thread of their own, which they may block. Keys are objects that sign and never reveal private bytes: `SecKey` on
/// Apple platforms, `DeviceKey` elsewhere.
public protocol DeviceAuthenticator {
  /// Makes an unlocked key. Blocks its thread until the key exists.
  func generateKeys() throws -> KeyPair
  /// Returns the proof that a new key was bound, as a compact JWS.
  func sign(
    keyPair: KeyPair, kid: String, userId: String, challenge: String, expiration: Date
  ) throws -> String
  /// Unlocks a bound key, and returns the proof that this device has it, as a compact JWS.
  func sign(
    userKey: UserKey, challenge: String, expiration: Date, customClaims: [String: Any]
  ) throws -> String
  /// The authentication type.
  func type() -> DeviceBindingAuthenticationType
  /// Whether this device supports the authentication type.
  func isSupported() -> Bool
  #if canImport(Security)
    /// The access control of new keys; `nil` when this device cannot provide it now.
    func accessControl() -> SecAccessControl?
  #endif
  /// The set of enrolled biometrics, on platforms that report it and for authenticators that depend on it.
  func biometricDomainState() -> Data?
  /// Sets the texts shown to the person.
  func setPrompt(_ prompt: Prompt)
  /// Sets the key's user, and the texts shown to the person.
  func initialize(userId: String, prompt: Prompt)
  /// Sets the key's user.
  func initialize(userId: String)
  /// Deletes the keys of the initialised user that have this authentication type; blocks until it is done.
  func deleteKeys()
  /// The `iat` claim of signatures.
  func issueTime() -> Date
  /// The `nbf` claim of signatures.
  func notBeforeTime() -> Date
  /// Whether the custom claims may be signed.
  func validateCustomClaims(_ customClaims: [String: Any]) -> Bool
  /// Makes and unlocks the key for one operation. Not part of the earlier SDK; by default `generateKeys()` and `sign` do so.
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
