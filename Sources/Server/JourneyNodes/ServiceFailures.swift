public import JourneyEngine
public import JourneyScripts
public import JourneyStore
public import SecurityEvents

/// An unavailable database is not a refusal.
extension StoreError: ServiceFailure {
  public var isUnavailability: Bool {
    if case .unavailable = self { true } else { false }
  }
}

/// An event is written after its act was stored, so a failure to write it is not a refusal.
extension SecurityEventError: ServiceFailure {
  public var isUnavailability: Bool { true }
}

extension ScriptError: ServiceFailure {
  /// Only busy workers are a temporary failure.
  public var isUnavailability: Bool { reason == .busy }
}
