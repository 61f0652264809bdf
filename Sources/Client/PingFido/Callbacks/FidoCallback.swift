internal import PingJourney
public import PingJourneyPlugin
public import PingLogger
public import PingOrchestrate
internal import WebAuthnFormats

/// What the two WebAuthn callbacks have in common. Their answer goes into the hidden value `webAuthnOutcome` of the same step; they
/// themselves are posted back as received.
// Its stored properties are guarded.
public class FidoCallback: AbstractCallback, JourneyAware, ContinueNodeAware, @unchecked Sendable {
  @GuardedWeak public var continueNode: ContinueNode?
  @Guarded public var journey: PingJourneyPlugin.Journey?

  @Guarded private var ownConfig: FidoConfig?

  /// What the last call failed with; `nil` after a success.
  @Guarded public internal(set) var failure: WebAuthnError?

  /// Whether the server understands the JSON form of outcomes.
  @Guarded public private(set) var supportsJsonResponse = false

  /// Whether the server's callback says what to do (`_action`), as it does since AM 7.1.
  @Guarded private var isCurrent = true

  /// What the ceremony works with; ``FidoConfig/standard`` unless it is set.
  public var config: FidoConfig {
    get { ownConfig ?? .standard }
    set { ownConfig = newValue }
  }

  @Guarded private var ownLogger: (any Logger)?

  /// Where the callback logs; the journey's logger unless it is set.
  public var logger: (any Logger)? {
    get { ownLogger ?? journey?.config.logger }
    set { ownLogger = newValue }
  }

  /// Takes one output.
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

  /// Tells the server about a failure.
  public func handleError(error: any Error) {
    let error = WebAuthnError(error)
    failure = error
    logger?.w("The WebAuthn ceremony failed (\(error.code))", error: error)
    valueCallback(value: error.convertToWebAuthnOutcome())
  }

  func succeed(_ outcome: String) {
    failure = nil
    valueCallback(value: outcome)
  }

  func ceremony(consent: (any WebAuthnConsent)?) -> Ceremony {
    var ceremony = Ceremony(config: config, consent: consent)
    ceremony.isBeforeActions = !isCurrent
    let server = journey?.config as? JourneyConfig
    ceremony.server = server?.serverOrigin
    ceremony.realm = server?.realmName
    return ceremony
  }

  /// Whether `node` tells that the server has taken the answer which led there. A step that asks for WebAuthn again leaves it open.
  static func isAcceptance(_ node: any Node) -> Bool {
    switch node {
    case is SuccessNode: true
    case let next as ContinueNode: !next.callbacks.contains { $0 is FidoCallback }
    default: false
    }
  }
}
