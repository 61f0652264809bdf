internal import Concurrency
internal import Foundation
internal import PingJourneyPlugin

#if canImport(AuthenticationServices)
  public import AuthenticationServices
  internal import PingFido
#else
  public import PingFido
#endif

/// Asks to register a key. Set ``delegate``, call `register`, then continue to the next node, whatever the result.
// Its stored properties are immutable or guarded.
open class WebAuthnRegistrationCallback: WebAuthnCallback, @unchecked Sendable {
  /// Used when this callback was not made for a node.
  private let own = FidoRegistrationCallback()
  private let options: RegistrationOptions

  public var relyingPartyName: String { options.relyingPartyName }
  public var attestationPreference: WAAttestationPreference {
    WAAttestationPreference(rawValue: options.attestation.rawValue) ?? .none
  }
  public var displayName: String { options.displayName }
  /// `""` for the server's own host.
  public var relyingPartyId: String { options.relyingPartyID }
  public var userName: String { options.userName }
  /// The user handle consists of this text's UTF-8 bytes.
  public var userId: String { options.userID }
  /// The time limit in milliseconds.
  public var timeout: Int { options.timeout }
  public var excludeCredentials: [[UInt8]] { options.excludeCredentials }
  /// `type` and `alg` of each offered algorithm, including unknown ones, which are skipped.
  public var pubKeyCredParams: [[String: Any]] {
    options.algorithms.map { ["type": "public-key", "alg": $0] }
  }
  public var userVerification: WAUserVerification {
    WAUserVerification(rawValue: options.userVerification.rawValue) ?? .preferred
  }
  public var requireResidentKey: Bool { options.requireResidentKey }
  public var authenticatorAttachment: WAAuthenticatorAttachment {
    options.authenticatorAttachment.flatMap { WAAuthenticatorAttachment(rawValue: $0.rawValue) }
      ?? .unspecified
  }

  /// Asks the person; held weakly. Without a delegate every question counts as rejected.
  public var delegate: (any PlatformAuthenticatorRegistrationDelegate)? {
    get { heldDelegate.object as? any PlatformAuthenticatorRegistrationDelegate }
    set { heldDelegate.object = newValue }
  }

  /// - Throws: ``AuthError/invalidCallbackResponse(_:)`` when the data is incomplete, or asks for a separate authenticator.
  required public init(json: [String: Any]) throws {
    do { options = try RegistrationOptions(callbackData: Self.data(of: json)) } catch {
      throw AuthError.invalidCallbackResponse("\(error)")
    }
    guard options.authenticatorAttachment != .crossPlatform else {
      throw AuthError.invalidCallbackResponse("it asks for an authenticator that is not part of this device")
    }
    try super.init(json: json)
    _ = own.initialize(with: json)
    posted = own
  }

  private var fido: FidoRegistrationCallback { posted as? FidoRegistrationCallback ?? own }

  /// Registers a key, and puts the outcome into the step's hidden value, even that of a failure.
  ///
  /// On a system without passkeys, this device's own authenticator is used, whatever `usePasskeysIfAvailable` is.
  ///
  /// - Parameters:
  ///   - node: The step; by default the one that this callback was made for.
  ///   - window: The window for the system's passkey prompt.
  ///   - deviceName: This device's name in the user's list of devices.
  ///   - usePasskeysIfAvailable: Whether to use the system's passkey service where there is one.
  ///   - onSuccess: Receives the outcome; `Success` when the system's passkey service answered.
  ///   - onError: Receives a ``WebAuthnError``.
  @preconcurrency public func register(
    node: Node? = nil, window: PresentationAnchor? = nil, deviceName: String? = nil,
    usePasskeysIfAvailable: Bool = true, onSuccess: @escaping StringCompletionCallback,
    onError: @escaping ErrorCallback
  ) {
    let window = Transferred(window)
    report(onSuccess: onSuccess, onError: onError) {
      try await self.register(
        node: node, window: window.value, deviceName: deviceName,
        usePasskeysIfAvailable: usePasskeysIfAvailable)
    }
  }

  /// Registers a key, and puts the outcome into the step's hidden value, even that of a failure. Cancelling the task fails with
  /// ``WebAuthnError/cancelled(platformError:message:)``.
  ///
  /// - Returns: The outcome; `Success` when the system's passkey service answered.
  /// - Throws: ``WebAuthnError``.
  @discardableResult
  nonisolated(nonsending) public func register(
    node: Node? = nil, window: PresentationAnchor? = nil, deviceName: String? = nil,
    usePasskeysIfAvailable: Bool = true
  ) async throws -> String {
    do {
      let answer = try await fido.answer(
        deviceName: deviceName, usesPasskeys: usePasskeysIfAvailable,
        consent: DelegateConsent(registration: delegate), window: window)
      Self.put(answer.outcome, into: node)
      return answer.isPasskey ? "Success" : answer.outcome
    } catch {
      let error = WebAuthnError(error)
      Self.put(error.convertToWebAuthnOutcome(), into: node)
      throw error
    }
  }
}
