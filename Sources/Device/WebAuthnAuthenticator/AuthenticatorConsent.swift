/// Asks the person on behalf of an authenticator.
///
/// The task is cancelled when nobody waits for the answer any more: take the question away then.
public protocol AuthenticatorConsent: Sendable {
  /// Whether the relying party may learn that it excludes a credential of this device. Ask without telling that one exists:
  /// no credential is made either way (WebAuthn L3 §6.3.2 step 3).
  func mayRevealExcludedCredential() async -> Bool

  /// Whether a new credential may be made (§6.3.2 step 6).
  func mayCreate(_ credential: CredentialDescription) async -> Bool

  /// Which of several credentials to use, oldest first; `nil` for none (§6.3.3 step 6). The choice is the person's consent to the
  /// use: answer only what a person has just chosen.
  func choose(among credentials: [PublicKeyCredentialSource]) async -> PublicKeyCredentialSource?

  /// Whether the only fitting credential may be used (§6.3.3 step 7). Asked when the person is not verified for this use: the
  /// assertion tells the relying party that somebody was there, so answer only what a person has just said.
  ///
  /// The default has ``choose(among:)`` choose from a list of one.
  func mayUse(_ use: CredentialUse) async -> Bool
}

extension AuthenticatorConsent {
  public func mayUse(_ use: CredentialUse) async -> Bool {
    await choose(among: [use.credential])?.id == use.credential.id
  }
}

/// What a person is told of a credential that is about to be used.
public struct CredentialUse: Sendable, Hashable {
  /// The credential, with the relying party and the account that it was made for.
  public let credential: PublicKeyCredentialSource

  /// The server and realm that ask, as the device knows them.
  public let scope: CredentialScope?

  public init(credential: PublicKeyCredentialSource, scope: CredentialScope? = nil) {
    self.credential = credential
    self.scope = scope
  }
}

/// What a person is told of a credential that is about to be made. The device has checked ``relyingPartyID`` and ``scope``; show them above
/// the rest, which the server wrote.
public struct CredentialDescription: Sendable, Hashable {
  /// The name that the key will have on this device; it begins with the account's display name.
  public let keyName: String
  public let relyingPartyName: String
  public let relyingPartyID: String
  public let userName: String
  public let userDisplayName: String

  /// The server and realm that ask.
  public var scope: CredentialScope? = nil
}
