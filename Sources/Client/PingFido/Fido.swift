/// WebAuthn ceremonies outside of a journey, with options as dictionaries.
public final class Fido: Sendable {
  public static let shared = Fido()

  private init() {}

  /// Registers a key. `completion` is called once, on no particular thread.
  ///
  /// - Parameters:
  ///   - options: As ``FidoRegistrationCallback/publicKeyCredentialCreationOptions``.
  ///   - window: Where the system shows its prompt.
  ///   - completion: Receives what ``FidoRegistrationCallback/register(deviceName:window:)`` returns.
  @preconcurrency public func register(
    options: [String: Any], window: ASPresentationAnchor,
    completion: @escaping @Sendable (Result<[String: Any], any Error>) -> Void
  ) {
    let callback = FidoRegistrationCallback()
    callback.publicKeyCredentialCreationOptions = options
    Task { completion(await callback.register(window: window)) }
  }

  /// Registers a key.
  nonisolated(nonsending) public func register(
    options: [String: Any], window: ASPresentationAnchor
  ) async -> Result<[String: Any], any Error> {
    let callback = FidoRegistrationCallback()
    callback.publicKeyCredentialCreationOptions = options
    return await callback.register(window: window)
  }

  /// Signs with a registered key. `completion` is called once, on no particular thread.
  ///
  /// - Parameters:
  ///   - options: As ``FidoAuthenticationCallback/publicKeyCredentialRequestOptions``.
  ///   - window: Where the system shows its prompt.
  ///   - completion: Receives what ``FidoAuthenticationCallback/authenticate(window:)`` returns.
  @preconcurrency public func authenticate(
    options: [String: Any], window: ASPresentationAnchor,
    completion: @escaping @Sendable (Result<[String: Any], any Error>) -> Void
  ) {
    let callback = FidoAuthenticationCallback()
    callback.publicKeyCredentialRequestOptions = options
    Task { completion(await callback.authenticate(window: window)) }
  }

  /// Signs with a registered key.
  nonisolated(nonsending) public func authenticate(
    options: [String: Any], window: ASPresentationAnchor
  ) async -> Result<[String: Any], any Error> {
    let callback = FidoAuthenticationCallback()
    callback.publicKeyCredentialRequestOptions = options
    return await callback.authenticate(window: window)
  }
}
