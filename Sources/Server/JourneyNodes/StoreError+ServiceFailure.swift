public import JourneyEngine
public import JourneyStore

/// A database that is away refuses nobody.
extension StoreError: ServiceFailure {
  public var isUnavailability: Bool {
    if case .unavailable = self { true } else { false }
  }
}
