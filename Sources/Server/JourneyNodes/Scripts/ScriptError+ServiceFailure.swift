public import JourneyEngine
public import JourneyScripts

extension ScriptError: ServiceFailure {
  /// Only that all workers are busy passes by itself.
  public var isUnavailability: Bool { reason == .busy }
}
