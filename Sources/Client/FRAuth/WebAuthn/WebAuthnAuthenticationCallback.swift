internal import Concurrency
internal import Foundation
internal import PingJourneyPlugin

#if canImport(AuthenticationServices)
  public import AuthenticationServices
  internal import PingFido
#else
  public import PingFido
#endif

/// Asks to sign in with a registered key. Set ``delegate``, call `authenticate`, then go on to the next node, whatever came of it.
// Its stored properties are immutable or guarded.
open class WebAuthnAuthenticationCallback: WebAuthnCallback, @unchecked Sendable {
  /// Used when this callback was not made for a node.
  private let own = FidoAuthenticationCallback()
  private let options: AuthenticationOptions

  /// `WebAuthn`.
  public let _type: String
  public var userVerification: WAUserVerification {
    WAUserVerification(rawValue: options.userVerification.rawValue) ?? .preferred
  }
  /// Base64, as received.
  public let challenge: String
  /// `""` when it is the server's own host.
  public var relyingPartyId: String { options.relyingPartyID }
  public var allowCredentials: [[UInt8]] { options.allowCredentials }
  /// Milliseconds.
  public var timeout: Int { options.timeout }

  /// Asks the person; held weakly. Without one, a choice among several keys fails.
  public var delegate: (any PlatformAuthenticatorAuthenticationDelegate)? {
    get { heldDelegate.object as? any PlatformAuthenticatorAuthenticationDelegate }
    set { heldDelegate.object = newValue }
  }
  private let heldDelegate = WeakObject()

  /// - Throws: ``AuthError/invalidCallbackResponse(_:)`` when the data lack something.
  required public init(json: [String: Any]) throws {
    let data = Self.data(of: json)
    _type = data["_type"] as? String ?? ""
    challenge = data["challenge"] as? String ?? ""
    do { options = try AuthenticationOptions(callbackData: data) } catch {
      throw AuthError.invalidCallbackResponse("\(error)")
    }
    try super.init(json: json)
    _ = own.initialize(with: json)
    posted = own
  }

  private var fido: FidoAuthenticationCallback { posted as? FidoAuthenticationCallback ?? own }

  /// Signs, and puts the outcome into the step's hidden value, also that of a failure.
  ///
  /// - Parameters:
  ///   - node: The step; the one that this callback was made for by default.
  ///   - window: Where the system shows its passkey prompt.
  ///   - preferImmediatelyAvailableCredentials: Whether the system fails at once when this device has no passkey.
  ///   - usePasskeysIfAvailable: Whether the system's passkey service answers where there is one.
  ///   - onSuccess: Receives the outcome; `Success` when the system's passkey service answered.
  ///   - onError: Receives a ``WebAuthnError``.
  @preconcurrency public func authenticate(
    node: Node? = nil, window: PresentationAnchor? = nil,
    preferImmediatelyAvailableCredentials: Bool = false, usePasskeysIfAvailable: Bool = true,
    onSuccess: @escaping StringCompletionCallback, onError: @escaping ErrorCallback
  ) {
    let held = Transferred(window)
    Task {
      do {
        onSuccess(
          try await authenticate(
            node: node, window: held.value,
            preferImmediatelyAvailableCredentials: preferImmediatelyAvailableCredentials,
            usePasskeysIfAvailable: usePasskeysIfAvailable))
      } catch {
        onError(error)
      }
    }
  }

  /// Signs, and puts the outcome into the step's hidden value, also that of a failure. Cancelling the task fails as
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
