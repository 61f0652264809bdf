internal import Concurrency
internal import Foundation
internal import PingJourneyPlugin

#if canImport(AuthenticationServices)
  public import AuthenticationServices
  internal import PingFido
#else
  public import PingFido
#endif

/// Asks to sign in with a registered key. Set ``delegate``, call `authenticate`, then continue to the next node, whatever the result.
// Its stored properties are immutable or guarded.
open class WebAuthnAuthenticationCallback: WebAuthnCallback, @unchecked Sendable {
  /// Used when this callback was not made for a node.
  private let own = FidoAuthenticationCallback()
  private let options: AuthenticationOptions

  public var userVerification: WAUserVerification {
    WAUserVerification(rawValue: options.userVerification.rawValue) ?? .preferred
  }
  /// `""` for the server's own host.
  public var relyingPartyId: String { options.relyingPartyID }
  public var allowCredentials: [[UInt8]] { options.allowCredentials }
  /// The time limit in milliseconds.
  public var timeout: Int { options.timeout }

  /// Asks the person; held weakly. Without a delegate a choice among several keys fails.
  public var delegate: (any PlatformAuthenticatorAuthenticationDelegate)? {
    get { heldDelegate.object as? any PlatformAuthenticatorAuthenticationDelegate }
    set { heldDelegate.object = newValue }
  }

  /// - Throws: ``AuthError/invalidCallbackResponse(_:)`` when the data is incomplete.
  required public init(json: [String: Any]) throws {
    do { options = try AuthenticationOptions(callbackData: Self.data(of: json)) } catch {
      throw AuthError.invalidCallbackResponse("\(error)")
    }
    try super.init(json: json)
    _ = own.initialize(with: json)
    posted = own
  }

  private var fido: FidoAuthenticationCallback { posted as? FidoAuthenticationCallback ?? own }

  /// Signs, and puts the outcome into the step's hidden value, even that of a failure.
  ///
  /// - Parameters:
  ///   - node: The step; by default the one that this callback was made for.
  ///   - window: The window for the system's passkey prompt.
  ///   - preferImmediatelyAvailableCredentials: Whether to fail at once when this device has no passkey.
  ///   - usePasskeysIfAvailable: Whether to use the system's passkey service where there is one.
  ///   - onSuccess: Receives the outcome; `Success` when the system's passkey service answered.
  ///   - onError: Receives a ``WebAuthnError``.
  @preconcurrency public func authenticate(
    node: Node? = nil, window: PresentationAnchor? = nil,
    preferImmediatelyAvailableCredentials: Bool = false, usePasskeysIfAvailable: Bool = true,
    onSuccess: @escaping StringCompletionCallback, onError: @escaping ErrorCallback
  ) {
    let window = Transferred(window)
    report(onSuccess: onSuccess, onError: onError) {
      try await self.authenticate(
        node: node, window: window.value,
        preferImmediatelyAvailableCredentials: preferImmediatelyAvailableCredentials,
        usePasskeysIfAvailable: usePasskeysIfAvailable)
    }
  }

  /// Signs, and puts the outcome into the step's hidden value, even that of a failure. Cancelling the task fails with
  /// ``WebAuthnError/cancelled(platformError:message:)``.
  ///
  /// - Returns: The outcome; `Success` when the system's passkey service answered.
  /// - Throws: ``WebAuthnError``.
  @discardableResult
  nonisolated(nonsending) public func authenticate(
    node: Node? = nil, window: PresentationAnchor? = nil,
    preferImmediatelyAvailableCredentials: Bool = false, usePasskeysIfAvailable: Bool = true
  ) async throws -> String {
    let consent = DelegateConsent(authentication: delegate)
    do {
      let answer = try await fido.answer(
        usesPasskeys: usePasskeysIfAvailable,
        prefersImmediatelyAvailable: preferImmediatelyAvailableCredentials, consent: consent, window: window)
      Self.put(answer.outcome, into: node)
      if answer.isPasskey { return "Success" }
      if fido.passkeysAreAvailable { await consent.tellOfPasskeys() }
      return answer.outcome
    } catch {
      let error = WebAuthnError(error)
      Self.put(error.convertToWebAuthnOutcome(), into: node)
      throw error
    }
  }
}
