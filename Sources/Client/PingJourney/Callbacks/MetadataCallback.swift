public import PingJourneyPlugin
public import PingOrchestrate

/// Data for the client. It is not shown, is never in a node and is never posted.
///
/// Some data announces another callback, which replaces this one if a module has registered it.
public class MetadataCallback: AbstractCallback, MetadataCallbackProtocol, ContinueNodeAware, JourneyAware,
  // Its stored properties are guarded.
  @unchecked Sendable
{
  /// The journey.
  @Guarded public var journey: Journey?

  /// The node.
  @GuardedWeak public var continueNode: ContinueNode?

  @Guarded private var data = JSONBox()

  /// The data.
  public private(set) var value: [String: Any] {
    get { data.object }
    set { data = JSONBox(newValue) }
  }

  public override func initValue(name: String, value: Any) {
    if name == JourneyConstants.data { self.value = value as? [String: Any] ?? [:] }
  }

  /// Reads the data, and returns the callback that they announce, if its type is registered.
  public override func initialize(with json: [String: Any]) -> any Callback {
    read(json)
    return announced?.init().initialize(with: json) ?? self
  }

  /// Reads the data, and returns the callback that they announce, if its type is registered.
  public override func initialize(with json: [String: Any]) async -> any Callback {
    read(json)
    return await announced?.init().initialize(with: json) ?? self
  }

  private func read(_ json: [String: Any]) { _ = super.initialize(with: json) }

  private var announced: (any Callback.Type)? {
    announcedType.flatMap { CallbackRegistry.shared.registeredType(for: $0) }
  }

  /// The type of the callback that the data announce.
  package var announcedType: String? {
    let value = value
    let type = value["_type"] as? String
    let action = value["_action"] as? String
    func has(_ key: String) -> Bool { value[key] != nil || value["_" + key] != nil }

    if type == "PingOneProtect" {
      switch action {
      case "protect_initialize": return "PingOneProtectInitializeCallback"
      case "protect_risk_evaluation": return "PingOneProtectEvaluationCallback"
      default: break
      }
    }
    if action == "webauthn_registration" || type == "WebAuthn" && has("pubKeyCredParams") {
      return JourneyConstants.fidoRegistrationCallback
    }
    if action == "webauthn_authentication" || type == "WebAuthn" && has("allowCredentials") {
      return JourneyConstants.fidoAuthenticationCallback
    }
    return nil
  }
}
