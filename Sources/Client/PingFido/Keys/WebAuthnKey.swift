public import WebAuthnAuthenticator

/// A key of this device's own authenticator: list them with ``WebAuthnKeys``.
public typealias WebAuthnKey = PublicKeyCredentialSource
