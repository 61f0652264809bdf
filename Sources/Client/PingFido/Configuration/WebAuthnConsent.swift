public import WebAuthnAuthenticator

/// Asks the person on behalf of this device's authenticator; see ``FidoConfig/consent``.
public typealias WebAuthnConsent = AuthenticatorConsent
