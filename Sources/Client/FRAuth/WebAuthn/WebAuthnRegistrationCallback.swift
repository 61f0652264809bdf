internal import Concurrency
internal import Foundation
internal import PingJourneyPlugin

#if canImport(AuthenticationServices)
  public import AuthenticationServices
  internal import PingFido
#else
  public import PingFido
#endif

/// Asks to register a key. Set ``delegate``, call `register`, then go on to the next node, whatever came of it.
// Its stored properties are immutable or guarded.
open class WebAuthnRegistrationCallback: WebAuthnCallback, @unchecked Sendable {
  /// Used when this callback was not made for a node.
  private let own = FidoRegistrationCallback()
  private let options: RegistrationOptions

  /// `WebAuthn`.
  public let _type: String
  public var relyingPartyName: String { options.relyingPartyName }
  public var attestationPreference: WAAttestationPreference {
    WAAttestationPreference(rawValue: options.attestation.rawValue) ?? .none
  }
  public var displayName: String { options.displayName }
  /// `""` when it is the server's own host.
  public var relyingPartyId: String { options.relyingPartyID }
  public var userName: String { options.userName }
  /// The user handle is this text's UTF-8 bytes.
  public var userId: String { options.userID }
  /// Milliseconds.
  public var timeout: Int { options.timeout }
  public var excludeCredentials: [[UInt8]] { options.excludeCredentials }
  /// `type` and `alg` of each offered algorithm; unknown ones are among them, and skipped.
  public var pubKeyCredParams: [[String: Any]] {
    options.algorithms.map { ["type": "public-key", "alg": $0] }
  }
  /// Base64, as received.
  public let challenge: String
  public var userVerification: WAUserVerification {
    WAUserVerification(rawValue: options.userVerification.rawValue) ?? .preferred
  }
  public var requireResidentKey: Bool { options.requireResidentKey }
  public var authenticatorAttachment: WAAuthenticatorAttachment {
    options.authenticatorAttachment.flatMap { WAAuthenticatorAttachment(rawValue: $0.rawValue) }
      ?? .unspecified
  }

  /// Asks the person; held weakly. Without one, every question counts as rejected.
  public var delegate: (any PlatformAuthenticatorRegistrationDelegate)? {
    get { heldDelegate.object as? any PlatformAuthenticatorRegistrationDelegate }
    set { heldDelegate.object = newValue }
  }
  private let heldDelegate = WeakObject()

  /// - Throws: ``AuthError/invalidCallbackResponse(_:)`` when the data lack something, or want an authenticator apart from this device.
  required public init(json: [String: Any]) throws {
    let data = Self.data(of: json)
    _type = data["_type"] as? String ?? ""
    challenge = data["challenge"] as? String ?? ""
    do { options = try RegistrationOptions(callbackData: data) } catch {
      throw AuthError.invalidCallbackResponse("\(error)")
    }
    guard options.authenticatorAttachment != .crossPlatform else {
      throw AuthError.invalidCallbackResponse("it asks for an authenticator that is apart from this device")
    }
    try super.init(json: json)
    _ = own.initialize(with: json)
    posted = own
  }

  private var fido: FidoRegistrationCallback { posted as? FidoRegistrationCallback ?? own }

  /// Registers a key, and puts the outcome into the step's hidden value, also that of a failure.
  ///
  /// Without a system that has passkeys, this device's own authenticator answers, whatever `usePasskeysIfAvailable` says.
  ///
  /// - Parameters:
  ///   - node: The step; the one that this callback was made for by default.
  ///   - window: Where the system shows its passkey prompt.
  ///   - deviceName: What the user's list of devices calls this one.
  ///   - usePasskeysIfAvailable: Whether the system's passkey service answers where there is one.
  ///   - onSuccess: Receives the outcome; `Success` when the system's passkey service answered.
  ///   - onError: Receives a ``WebAuthnError``.
  @preconcurrency public func register(
    node: Node? = nil, window: PresentationAnchor? = nil, deviceName: String? = nil,
    usePasskeysIfAvailable: Bool = true, onSuccess: @escaping StringCompletionCallback,
    onError: @escaping ErrorCallback
  ) {
    let held = Transferred(window)
    Task {
      do {
        onSuccess(
          try await register(
            node: node, window: held.value, deviceName: deviceName,
            usePasskeysIfAvailable: usePasskeysIfAvailable))
      } catch {
        onError(error)
      }
    }
  }

  /// Registers a key, and puts the outcome into the step's hidden value, also that of a failure. Cancelling the task fails as
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
