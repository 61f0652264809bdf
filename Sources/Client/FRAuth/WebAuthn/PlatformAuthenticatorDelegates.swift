/// Asks the person during a registration with this device's own authenticator. Methods are called on the main thread on Apple's
/// systems, elsewhere on no particular thread. A delegate that never answers ends with the step's time limit as
/// `WebAuthnError.timeout`; without a delegate every question counts as rejected.
public protocol PlatformAuthenticatorRegistrationDelegate: AnyObject {
  /// Asks for consent when the device has a key that the server excludes ("Limit registrations"), without revealing that it exists.
  ///
  /// No key is made either way. After `allow` the registration fails with `WebAuthnError.invalidState`, after `reject` with
  /// `WebAuthnError.notAllowed`, as WebAuthn requires (L3 §6.3.2 step 3) and the published SDK does. The published guide's text has
  /// these two the other way round, which would reveal the registered device when the person declines.
  func excludeCredentialDescriptorConsent(consentCallback: @escaping WebAuthnUserConsentCallback)

  /// Asks for consent before a key is made. After `reject` the registration fails with `WebAuthnError.cancelled`.
  func createNewCredentialConsent(
    keyName: String, rpName: String, rpId: String?, userName: String, userDisplayName: String,
    consentCallback: @escaping WebAuthnUserConsentCallback)
}

/// Asks the person during an authentication with this device's own authenticator. Methods are called as those of
/// ``PlatformAuthenticatorRegistrationDelegate`` are.
public protocol PlatformAuthenticatorAuthenticationDelegate: AnyObject {
  /// Asks before the only matching key is used without verifying the person. `reject`, or no delegate, fails with
  /// `WebAuthnError.notAllowed`. Not part of the earlier SDK.
  ///
  /// The default calls ``selectCredential(keyNames:selectionCallback:)`` with a list of one.
  func useCredentialConsent(
    keyName: String, rpId: String, userName: String, consentCallback: @escaping WebAuthnUserConsentCallback)

  /// Asks which of several keys to use. The names are sorted and distinct. Any other answer, or no delegate, fails with
  /// `WebAuthnError.notAllowed`.
  func selectCredential(
    keyNames: [String], selectionCallback: @escaping WebAuthnCredentialsSelectionCallback)

  /// Reports that a key of the device's own authenticator was used although the system has passkeys, so that the app may offer to
  /// register one. Called after a success, before the completion; never on systems without a passkey service, such as Linux.
  func localKeyExistsAndPasskeysAreAvailable()
}

extension PlatformAuthenticatorAuthenticationDelegate {
  public func useCredentialConsent(
    keyName: String, rpId: String, userName: String, consentCallback: @escaping WebAuthnUserConsentCallback
  ) {
    selectCredential(keyNames: [keyName]) { consentCallback($0 == keyName ? .allow : .reject) }
  }
}
