internal import Concurrency
public import Foundation
internal import PingOrchestrate
internal import WebAuthnAuthenticator

#if canImport(AuthenticationServices)
  public import AuthenticationServices
#endif

/// WebAuthn ceremonies outside of a journey, with options as dictionaries. ``FidoConfig/origin`` has to be set: without a journey
/// nothing else says who asks.
///
/// A call fails with a ``FidoError`` where there is one for it, on Apple's systems with the `ASAuthorizationError` of the system's prompt,
/// else with a ``WebAuthnError``.
// The stored properties are immutable; subclasses answer for what they add.
open class Fido: NSObject, @unchecked Sendable {
  /// Works with ``FidoConfig/standard``.
  public static let shared = Fido()

  private let config: FidoConfig?

  #if canImport(AuthenticationServices)
    /// The call with a completion that waits for an answer.
    let waiting = Locked<WaitingCall?>(nil)
  #endif

  /// Works with ``FidoConfig/standard``.
  public override init() { config = nil }

  /// - Parameter config: What ceremonies work with; `nil` is ``FidoConfig/standard``.
  public init(config: FidoConfig?) { self.config = config }

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
    begin(window, completion) { await callback.register(window: window) }
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
    begin(window, completion) { await callback.authenticate(window: window) }
  }

  /// Runs `ceremony`; on Apple's systems the answer of an app's own controller may come first.
  private func begin(
    _ window: ASPresentationAnchor,
    _ completion: @escaping @Sendable (Result<[String: Any], any Error>) -> Void,
    _ ceremony: @escaping @Sendable () async -> Result<[String: Any], any Error>
  ) {
    let answer = FirstAnswer<Result<JSONBox, any Error>>()
    #if canImport(AuthenticationServices)
      waiting.withLock { $0 = WaitingCall(window: window, answer: answer) }
    #endif
    let work = Task { _ = answer.give(await ceremony().map { JSONBox($0) }) }
    Task {
      let result = await answer.value
      work.cancel()
      #if canImport(AuthenticationServices)
        self.waiting.withLock { if $0?.answer === answer { $0 = nil } }
      #endif
      completion(result.map(\.object))
    }
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
