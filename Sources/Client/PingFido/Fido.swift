public import Foundation
internal import WebAuthnAuthenticator

#if canImport(AuthenticationServices)
  public import AuthenticationServices
#endif

/// WebAuthn ceremonies outside of a journey, with options as dictionaries. ``FidoConfig/origin`` has to be set: without a journey
/// nothing else says who asks.
public final class Fido: Sendable {
  /// Works with ``FidoConfig/standard``.
  public static let shared = Fido()

  private let config: FidoConfig?

  /// - Parameter config: What ceremonies work with; `nil` is ``FidoConfig/standard``.
  public init(config: FidoConfig? = nil) { self.config = config }

  private func configured<Callback: FidoCallback>(_ callback: Callback) -> Callback {
    if let config { callback.config = config }
    return callback
  }

  /// Tells that the relying party has accepted a key that `register` made: the account's older ones are removed from this device.
  /// Until then all of them stay usable. Succeeds when the key is not there.
  ///
  /// - Parameter rawId: The key's id, as `register` returned it.
  /// - Throws: `DeviceKeyError`.
  public func confirm(rawId: Data) async throws {
    let keys = WebAuthnKeys(config: config ?? .standard)
    for key in try await keys.all() where key.id == Array(rawId) { try await keys.confirm(key) }
  }

  /// Tells that the relying party has not accepted a key that `register` made: it is removed from this device. Succeeds when it is
  /// not there.
  ///
  /// - Parameter rawId: The key's id, as `register` returned it.
  /// - Throws: `DeviceKeyError`.
  public func withdraw(rawId: Data) async throws {
    let keys = WebAuthnKeys(config: config ?? .standard)
    for key in try await keys.all() where key.id == Array(rawId) { try await keys.delete(key) }
  }

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
    let callback = configured(FidoRegistrationCallback())
    callback.publicKeyCredentialCreationOptions = options
    Task { completion(await callback.register(window: window)) }
  }

  /// Registers a key.
  nonisolated(nonsending) public func register(
    options: [String: Any], window: ASPresentationAnchor
  ) async -> Result<[String: Any], any Error> {
    let callback = configured(FidoRegistrationCallback())
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
    let callback = configured(FidoAuthenticationCallback())
    callback.publicKeyCredentialRequestOptions = options
    Task { completion(await callback.authenticate(window: window)) }
  }

  /// Signs with a registered key.
  nonisolated(nonsending) public func authenticate(
    options: [String: Any], window: ASPresentationAnchor
  ) async -> Result<[String: Any], any Error> {
    let callback = configured(FidoAuthenticationCallback())
    callback.publicKeyCredentialRequestOptions = options
    return await callback.authenticate(window: window)
  }
}
