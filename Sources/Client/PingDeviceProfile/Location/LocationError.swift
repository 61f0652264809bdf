public import Foundation

/// Why the location cannot be had.
public enum LocationError: Error, LocalizedError {
  /// The device does not find out where it is, or may not.
  case locationServicesDisabled

  /// The person does not let this app know.
  case authorizationDenied

  /// The device's administrator does not let this app know.
  case authorizationRestricted

  /// The app does not say what it wants to know it for (`NSLocationWhenInUseUsageDescription`), so it may not ask.
  case missingPrivacyConsent

  /// Finding out failed, for this reason.
  case locationFailed(any Error)

  public var errorDescription: String? {
    switch self {
    case .locationServicesDisabled:
      "Location services are off, or there are none. Switch them on in the system's settings."
    case .authorizationDenied:
      "This app may not know the location. Allow it in the system's settings."
    case .authorizationRestricted:
      "This device's administrator does not let apps know the location."
    case .missingPrivacyConsent:
      "The app's Info.plist has no NSLocationWhenInUseUsageDescription, so nobody can be asked."
    case .locationFailed(let error):
      "The location cannot be found out: \(error.localizedDescription)"
    }
  }
}
