/// A place on Earth, as a device's profile has it.
public struct Location: Codable, Sendable, Hashable {
  /// Degrees north, -90 to 90; `nil` when the profile does not say.
  public let latitude: Double?

  /// Degrees east, -180 to 180; `nil` when the profile does not say.
  public let longitude: Double?

  /// A place.
  public init(latitude: Double?, longitude: Double?) {
    self.latitude = latitude
    self.longitude = longitude
  }
}
