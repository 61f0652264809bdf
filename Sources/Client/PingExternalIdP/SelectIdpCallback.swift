public import PingJourneyPlugin
public import PingOrchestrate

/// Asks at which provider the person wants to sign in.
// Its stored properties are guarded.
public class SelectIdpCallback: AbstractCallback, @unchecked Sendable {
  /// The providers, in order. `localAuthentication` among them stands for an account on this server.
  @Guarded public private(set) var providers: [IdPValue] = []

  /// The answer: the name of one of ``providers``.
  @Guarded public var value: String = ""

  public override func initValue(name: String, value: Any) {
    switch name {
    case JourneyConstants.providers: providers = (value as? [[String: Any]] ?? []).compactMap { IdPValue($0) }
    case JourneyConstants.value: self.value = OutputValue.string(value) ?? self.value
    default: break
    }
  }

  public override func payload() -> [String: Any] { input(value) }
}

/// A provider to choose.
public struct IdPValue: Sendable {
  /// The provider's name.
  public let provider: String
  /// How the provider is to be shown, such as `buttonDisplayName`.
  // Filled from parsed JSON and never changed: reading it is safe from any thread.
  nonisolated(unsafe) public let uiConfig: [String: Any]

  init?(_ json: [String: Any]) {
    guard let provider = json[JourneyConstants.provider] as? String else { return nil }
    self.provider = provider
    uiConfig = json["uiConfig"] as? [String: Any] ?? [:]
  }
}
