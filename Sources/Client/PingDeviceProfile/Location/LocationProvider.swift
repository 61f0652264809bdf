public import Foundation

/// Determines the device's location, such as `GeoClueLocationProvider` on Linux.
public protocol LocationProvider: Sendable {
  /// The device's current location. Only called after the person has agreed.
  ///
  /// - Throws: ``LocationError``, or `CancellationError`.
  func location() async throws -> LocationInfo
}

/// Asks the person whether a server may know the device's location.
public protocol LocationConsent: Sendable {
  /// Whether the location may be sent this time.
  ///
  /// Called before the location is determined, every time. When the task is cancelled, remove the question and return `false`.
  ///
  /// - Parameter message: The server's message to the person; may be empty. Show it as the server's words.
  func allowsLocation(message: String) async -> Bool
}

/// A device's location.
public struct LocationInfo: Codable, Sendable, Hashable {
  /// Degrees north of the equator, from -90 to 90.
  public let latitude: Double

  /// Degrees east of Greenwich, from -180 to 180.
  public let longitude: Double

  /// The location with these coordinates; `nil` when they are out of range.
  public init?(latitude: Double, longitude: Double) {
    // Comparisons with NaN are false.
    guard (-90...90).contains(latitude), (-180...180).contains(longitude) else { return nil }
    self.latitude = latitude
    self.longitude = longitude
  }
}

/// Why the location is not available.
public enum LocationError: Error, LocalizedError {
  /// Location services are off, or do not exist.
  case locationServicesDisabled

  /// The person does not allow this app to use the location.
  case authorizationDenied

  /// The device's administrator does not allow this app to use the location.
  case authorizationRestricted

  /// The app does not declare a purpose (`NSLocationWhenInUseUsageDescription`), so it may not ask.
  case missingPrivacyConsent

  /// The location could not be determined, for this reason.
  case locationFailed(any Error)

  public var errorDescription: String? {
    switch self {
    case .locationServicesDisabled:
      "Location services are off, or there are none. Switch them on in the system's settings."
    case .authorizationDenied: "This app may not use the location. Allow it in the system's settings."
    case .authorizationRestricted: "This device's administrator does not allow apps to use the location."
    case .missingPrivacyConsent:
      "The app's Info.plist has no NSLocationWhenInUseUsageDescription, so the system cannot ask the person."
    case .locationFailed(let error): "The location could not be determined: \(error.localizedDescription)"
    }
  }
}
