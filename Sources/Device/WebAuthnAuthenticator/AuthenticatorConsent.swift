/// Asks the person on behalf of an authenticator.
///
/// The task is cancelled when nobody waits for the answer any more: take the question away then.
public protocol AuthenticatorConsent: Sendable {
  /// Whether the relying party may learn that it excludes a credential of this device. Ask without telling that one exists:
  /// no credential is made either way (WebAuthn L3 §6.3.2 step 3).
  func mayRevealExcludedCredential() async -> Bool

  /// Whether a new credential may be made (§6.3.2 step 6).
  func mayCreate(_ credential: CredentialDescription) async -> Bool

  /// Which of several credentials to use, oldest first; `nil` for none (§6.3.3 step 6).
  func choose(among credentials: [PublicKeyCredentialSource]) async -> PublicKeyCredentialSource?
}

/// What a person is told of a credential that is about to be made.
public struct CredentialDescription: Sendable, Hashable {
  /// The name that the key will have on this device.
  public let keyName: String
  public let relyingPartyName: String
  public let relyingPartyID: String
  public let userName: String
  public let userDisplayName: String

  public init(
    keyName: String, relyingPartyName: String, relyingPartyID: String, userName: String,
    userDisplayName: String
  ) {
    self.keyName = keyName
    self.relyingPartyName = relyingPartyName
    self.relyingPartyID = relyingPartyID
    self.userName = userName
    self.userDisplayName = userDisplayName
  }
}
