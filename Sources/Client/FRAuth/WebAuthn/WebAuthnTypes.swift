internal import Concurrency
public import PingFido
public import WebAuthnAuthenticator

#if canImport(AuthenticationServices)
  public import AuthenticationServices
#endif

/// Receives a failure. Called once, on no particular thread.
public typealias ErrorCallback = @Sendable (_ error: any Error) -> Void

/// Receives a text. Called once, on no particular thread.
public typealias StringCompletionCallback = @Sendable (_ result: String) -> Void

/// Receives the person's answer; only the first one counts.
public typealias WebAuthnUserConsentCallback = @Sendable (_ result: WebAuthnUserConsentResult) -> Void

/// Receives the name of the key to use, `nil` for none; only the first answer counts.
public typealias WebAuthnCredentialsSelectionCallback = @Sendable (_ selectedKeyName: String?) -> Void

/// The person's answer.
public enum WebAuthnUserConsentResult: Sendable, Hashable {
  case allow, reject
}

/// Whether the server asks for an attestation of the key.
public enum WAAttestationPreference: String, Sendable, Hashable {
  case none, direct, indirect
}

/// Whether the person has to be verified.
public enum WAUserVerification: String, Sendable, Hashable {
  case preferred, required, discouraged
}

/// The kind of authenticator that the server asks for.
public enum WAAuthenticatorAttachment: String, Sendable, Hashable {
  case platform = "platform"
  case crossPlatform = "cross-platform"
  case unspecified = "unspecified"
}

/// Why a ceremony failed; see `PingFido.WebAuthnError`.
public typealias WebAuthnError = PingFido.WebAuthnError

/// A key of this device's own authenticator.
public typealias PublicKeyCredentialSource = WebAuthnAuthenticator.PublicKeyCredentialSource

/// The window over which the system shows its passkey prompts; unused on Linux.
public typealias PresentationAnchor = PingFido.PresentationAnchor

/// Settings of this device's own authenticator.
public struct WebAuthn {
  /// The configuration of ceremonies: key store, verifiers, origin. The earlier SDK has no such settings.
  public static var config: FidoConfig {
    get { FidoConfig.standard }
    set { FidoConfig.standard = newValue }
  }
}
