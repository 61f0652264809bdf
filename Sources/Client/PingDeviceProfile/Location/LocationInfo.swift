/// Where a device is.
public struct LocationInfo: Codable, Sendable, Hashable {
  /// Degrees north of the equator, from -90 to 90.
  public let latitude: Double

  /// Degrees east of Greenwich, from -180 to 180.
  public let longitude: Double

  /// The place of these coordinates; `nil` when there is none.
  public init?(latitude: Double, longitude: Double) {
    // Comparisons with what is not a number are false.
    guard (-90...90).contains(latitude), (-180...180).contains(longitude) else { return nil }
    self.latitude = latitude
    self.longitude = longitude
  }
}
