internal import Concurrency
public import Foundation
internal import PingOrchestrate
internal import WebAuthnAuthenticator

#if canImport(AuthenticationServices)
  public import AuthenticationServices
#endif

/// WebAuthn ceremonies outside a journey, with options as dictionaries. ``FidoConfig/origin`` has to be set, because there is no
/// journey to take it from.
///
/// A call fails with a matching ``FidoError``, on Apple's systems with the `ASAuthorizationError` of the system's prompt, or else
/// with a ``WebAuthnError``.
// The stored properties are immutable; subclasses have to guard theirs.
open class Fido: NSObject, @unchecked Sendable {
  /// The instance that uses ``FidoConfig/standard``.
  public static let shared = Fido()

  private let config: FidoConfig?

  #if canImport(AuthenticationServices)
    /// The call with a completion whose answer is pending.
    let waiting = Locked<WaitingCall?>(nil)
  #endif

  public override init() { config = nil }

  /// - Parameter config: The ceremonies' configuration; `nil` is ``FidoConfig/standard``.
  public init(config: FidoConfig?) { self.config = config }

  private func registration(_ options: [String: Any]) -> FidoRegistrationCallback {
    let callback = FidoRegistrationCallback()
    if let config { callback.config = config }
    callback.publicKeyCredentialCreationOptions = options
    return callback
  }

  private func authentication(_ options: [String: Any]) -> FidoAuthenticationCallback {
    let callback = FidoAuthenticationCallback()
    if let config { callback.config = config }
    callback.publicKeyCredentialRequestOptions = options
    return callback
  }

  /// Reports that the relying party has accepted a key that `register` made: the account's older keys are removed from this device.
  /// Until then all of them stay usable. Succeeds when the key is not there.
  ///
  /// - Parameter rawId: The key's id, as `register` returned it.
  /// - Throws: `DeviceKeyError`.
  public func confirm(rawId: Data) async throws {
    try await withKeys(rawId) { try await $0.confirm($1) }
  }

  /// Reports that the relying party has not accepted a key that `register` made: it is removed from this device. Succeeds when the key
  /// is not there.
  ///
  /// - Parameter rawId: The key's id, as `register` returned it.
  /// - Throws: `DeviceKeyError`.
  public func withdraw(rawId: Data) async throws {
    try await withKeys(rawId) { try await $0.delete($1) }
  }

  private func withKeys(_ rawId: Data, _ body: (WebAuthnKeys, WebAuthnKey) async throws -> Void) async throws
  {
    let keys = WebAuthnKeys(config: config ?? .standard)
    for key in try await keys.all() where key.id == Array(rawId) { try await body(keys, key) }
  }

  /// Registers a key. `completion` is called once, on no particular thread.
  ///
  /// - Parameters:
  ///   - options: As ``FidoRegistrationCallback/publicKeyCredentialCreationOptions``.
  ///   - window: The window for the system's prompt.
  ///   - completion: Receives what ``FidoRegistrationCallback/register(deviceName:window:)`` returns.
  @preconcurrency public func register(
    options: [String: Any], window: ASPresentationAnchor,
    completion: @escaping @Sendable (Result<[String: Any], any Error>) -> Void
  ) {
    let callback = registration(options)
    begin(window, completion) { await callback.register(window: window) }
  }

  /// Registers a key.
  nonisolated(nonsending) public func register(
    options: [String: Any], window: ASPresentationAnchor
  ) async -> Result<[String: Any], any Error> {
    await registration(options).register(window: window)
  }

  /// Signs with a registered key. `completion` is called once, on no particular thread.
  ///
  /// - Parameters:
  ///   - options: As ``FidoAuthenticationCallback/publicKeyCredentialRequestOptions``.
  ///   - window: The window for the system's prompt.
  ///   - completion: Receives what ``FidoAuthenticationCallback/authenticate(window:)`` returns.
  @preconcurrency public func authenticate(
    options: [String: Any], window: ASPresentationAnchor,
    completion: @escaping @Sendable (Result<[String: Any], any Error>) -> Void
  ) {
    let callback = authentication(options)
    begin(window, completion) { await callback.authenticate(window: window) }
  }

  /// Runs `ceremony`; on Apple's systems the app's own controller may answer first.
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
    await authentication(options).authenticate(window: window)
  }
}
