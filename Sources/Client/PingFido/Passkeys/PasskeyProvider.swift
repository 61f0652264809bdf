public import WebAuthnFormats

#if canImport(AuthenticationServices)
  public import AuthenticationServices
#endif

/// A service of the system that makes passkeys and signs with them, with its own prompts: Apple's, since iOS 16 and macOS 13.
public protocol PasskeyProvider: Sendable {
  /// Whether there is such a service here.
  var isAvailable: Bool { get }

  /// Has the system make a passkey.
  ///
  /// - Throws: ``WebAuthnError``.
  @MainActor func register(
    _ options: RegistrationOptions, window: PresentationAnchor?
  ) async throws -> RegistrationResponse

  /// Has the system sign with a passkey.
  ///
  /// - Parameters:
  ///   - options: What the server asks for.
  ///   - prefersImmediatelyAvailable: Whether to fail at once when this device has no passkey, instead of offering another
  ///     device.
  ///   - window: Where the system shows its prompt.
  /// - Throws: ``WebAuthnError``.
  @MainActor func authenticate(
    _ options: AuthenticationOptions, prefersImmediatelyAvailable: Bool, window: PresentationAnchor?
  ) async throws -> AssertionResponse
}
