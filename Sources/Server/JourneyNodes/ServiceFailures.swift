public import JourneyEngine
public import JourneyStore
public import SecurityEvents

/// A database that is away refuses nobody.
extension StoreError: ServiceFailure {
  public var isUnavailability: Bool {
    if case .unavailable = self { true } else { false }
  }
}

/// An event that cannot be written is told after what it tells of was stored: nobody was refused.
extension SecurityEventError: ServiceFailure {
  public var isUnavailability: Bool { true }
}
