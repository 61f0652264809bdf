public import Foundation
internal import PingJourney
public import PingJourneyPlugin
public import PingLogger
public import PingOrchestrate
internal import WebAuthnFormats

/// The base of the two WebAuthn callbacks. Their answer goes into the hidden value `webAuthnOutcome` of the same step; the callbacks
/// themselves are posted back as received.
// Its stored properties are guarded.
public class FidoCallback: AbstractCallback, JourneyAware, ContinueNodeAware, @unchecked Sendable {
  @GuardedWeak public var continueNode: ContinueNode?
  @Guarded public var journey: PingJourneyPlugin.Journey?

  @Guarded private var ownConfig: FidoConfig?

  /// The error of the last call; `nil` after a success.
  @Guarded public internal(set) var failure: WebAuthnError?

  /// Whether the server understands the JSON form of outcomes.
  @Guarded public private(set) var supportsJsonResponse = false

  /// Whether the server's callback names its action (`_action`), as it does since AM 7.1.
  @Guarded private var isCurrent = true

  /// The ceremony's configuration; ``FidoConfig/standard`` unless it is set.
  public var config: FidoConfig {
    get { ownConfig ?? .standard }
    set { ownConfig = newValue }
  }

  @Guarded private var ownLogger: (any Logger)?

  /// The callback's logger; the journey's logger unless it is set.
  public var logger: (any Logger)? {
    get { ownLogger ?? journey?.config.logger }
    set { ownLogger = newValue }
  }

  public override func initValue(name: String, value: Any) {
    guard name == JourneyConstants.data, let data = value as? [String: Any] else { return }
    supportsJsonResponse =
      data[FidoConstants.FIELD_SUPPORTS_JSON_RESPONSE].flatMap { OutputValue.flag($0) } ?? false
    let members = OptionsReader(object: data)
    isCurrent = members.isCurrent
    take(members)
  }

  /// Reads the options.
  func take(_ members: OptionsReader) {}

  /// Sets the step's hidden value `webAuthnOutcome`.
  public func valueCallback(value: String) {
    let callbacks = continueNode?.callbacks ?? []
    let hidden = callbacks.lazy.compactMap { $0 as? any ValueCallbackProtocol }
      .first { $0.valueId == FidoConstants.WEB_AUTHN_OUTCOME }
    guard let hidden else {
      if continueNode != nil {
        logger?.w(
          "The server's step has no hidden value webAuthnOutcome, so the outcome is not sent", error: nil)
      }
      return
    }
    hidden.setValue(value)
  }

  /// Reports a failure to the server.
  public func handleError(error: any Error) {
    let error = WebAuthnError(error)
    failure = error
    logger?.w("The WebAuthn ceremony failed (\(error.code))", error: error)
    valueCallback(value: error.convertToWebAuthnOutcome())
  }

  /// The answer of a ceremony.
  package struct Answer<Response: Sendable>: Sendable {
    package let response: Response
    /// The hidden value.
    package let outcome: String
    /// Whether the system's passkey service answered.
    package let isPasskey: Bool
    /// `platform` or `cross-platform`.
    let attachment: String
  }

  func finish<Response: OutcomeResponse>(
    _ response: Response, isPasskey: Bool, attachment: WebAuthnFormats.AuthenticatorAttachment = .platform
  ) -> Answer<Response> {
    let outcome = ClientOutcome.completed(response, attachment: attachment).text(asJSON: supportsJsonResponse)
    failure = nil
    valueCallback(value: outcome)
    return Answer(
      response: response, outcome: outcome, isPasskey: isPasskey, attachment: attachment.rawValue)
  }

  func ceremony(consent: (any WebAuthnConsent)?) -> Ceremony {
    var ceremony = Ceremony(config: config, consent: consent)
    ceremony.isBeforeActions = !isCurrent
    let server = journey?.config as? JourneyConfig
    ceremony.server = server?.serverOrigin
    ceremony.realm = server?.realmName
    return ceremony
  }

  /// Whether `node` shows that the server has accepted the answer. A step that asks for WebAuthn again does not show it.
  static func isAcceptance(_ node: any Node) -> Bool {
    switch node {
    case is SuccessNode: true
    case let next as ContinueNode: !next.callbacks.contains { $0 is FidoCallback }
    default: false
    }
  }
}

/// Registers this module's callbacks. A journey calls it automatically when the module is linked into the program.
public class CallbackInitializer: NSObject, CallbackProvider {
  public override init() { super.init() }

  /// Registers ``FidoRegistrationCallback`` and ``FidoAuthenticationCallback`` before it returns. They replace the metadata callbacks
  /// that announce them. Classes that the app has registered stay.
  public static func registerCallbacks() {
    CallbackRegistry.shared.registerIfAbsent(
      type: JourneyConstants.fidoRegistrationCallback, callback: FidoRegistrationCallback.self)
    CallbackRegistry.shared.registerIfAbsent(
      type: JourneyConstants.fidoAuthenticationCallback, callback: FidoAuthenticationCallback.self)
  }
}
