public import WebAuthnFormats

#if canImport(AuthenticationServices)
  public import AuthenticationServices
#endif

/// A system service that makes passkeys and signs with them, with its own prompts: Apple's, since iOS 16 and macOS 13.
public protocol PasskeyProvider: Sendable {
  /// Whether the service is available here.
  var isAvailable: Bool { get }

  /// Makes a passkey.
  ///
  /// - Throws: ``WebAuthnError``.
  @MainActor func register(
    _ options: RegistrationOptions, window: PresentationAnchor?
  ) async throws -> RegistrationResponse

  /// Signs with a passkey.
  ///
  /// - Parameters:
  ///   - options: The server's options.
  ///   - prefersImmediatelyAvailable: Whether to fail at once when this device has no passkey, instead of offering another
  ///     device.
  ///   - window: The window for the system's prompt.
  /// - Throws: ``WebAuthnError``.
  @MainActor func authenticate(
    _ options: AuthenticationOptions, prefersImmediatelyAvailable: Bool, window: PresentationAnchor?
  ) async throws -> AssertionResponse
}
