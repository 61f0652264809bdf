/// Asks the person during a registration with this device's own authenticator. Methods are called on the main thread on Apple's
/// systems, elsewhere on no particular one. One that never answers ends with the step's time limit as
/// `WebAuthnError.timeout`; without a delegate every question counts as rejected.
public protocol PlatformAuthenticatorRegistrationDelegate: AnyObject {
  /// Asks for consent when the device has a key that the server excludes ("Limit registrations"), without telling that it exists.
  ///
  /// No key is made either way. After `allow` the registration fails with `WebAuthnError.invalidState`, after `reject` with
  /// `WebAuthnError.notAllowed`, as WebAuthn wants it (L3 §6.3.2 step 3), and as the published SDK does. The text of the published
  /// guide has these two the other way round: then a person who declines would tell the server that the device is registered.
  func excludeCredentialDescriptorConsent(consentCallback: @escaping WebAuthnUserConsentCallback)

  /// Asks for consent before a key is made. After `reject` the registration fails with `WebAuthnError.cancelled`.
  func createNewCredentialConsent(
    keyName: String, rpName: String, rpId: String?, userName: String, userDisplayName: String,
    consentCallback: @escaping WebAuthnUserConsentCallback)
}

/// Asks the person during an authentication with this device's own authenticator. Called as
/// ``PlatformAuthenticatorRegistrationDelegate`` is.
public protocol PlatformAuthenticatorAuthenticationDelegate: AnyObject {
  /// Asks before the only fitting key is used, when the person is not verified for that. `reject`, and no delegate, is
  /// `WebAuthnError.notAllowed`. Ours; the earlier SDK does not have it.
  ///
  /// The default has ``selectCredential(keyNames:selectionCallback:)`` select from a list of one.
  func useCredentialConsent(
    keyName: String, rpId: String, userName: String, consentCallback: @escaping WebAuthnUserConsentCallback)

  /// Asks which of several keys to use. Names are sorted and different from each other. Any answer but one of them, and no delegate,
  /// is `WebAuthnError.notAllowed`.
  func selectCredential(
    keyNames: [String], selectionCallback: @escaping WebAuthnCredentialsSelectionCallback)

  /// Tells that a key of the own authenticator was used although the system has passkeys, so that the app may offer to register
  /// one. Called after a success, before the completion; never on systems without a passkey service, such as Linux.
  func localKeyExistsAndPasskeysAreAvailable()
}

extension PlatformAuthenticatorAuthenticationDelegate {
  public func useCredentialConsent(
    keyName: String, rpId: String, userName: String, consentCallback: @escaping WebAuthnUserConsentCallback
  ) {
    selectCredential(keyNames: [keyName]) { consentCallback($0 == keyName ? .allow : .reject) }
  }
}
