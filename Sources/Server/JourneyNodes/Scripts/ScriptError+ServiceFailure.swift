public import JourneyEngine
public import JourneyScripts

extension ScriptError: ServiceFailure {
  /// Only busy workers are a temporary failure.
  public var isUnavailability: Bool { reason == .busy }
}
