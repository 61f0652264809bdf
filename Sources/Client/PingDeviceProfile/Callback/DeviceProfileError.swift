public import Foundation

/// Why there is no profile.
public enum DeviceProfileError: Error, LocalizedError {
  /// The device's identifier cannot be had; the log says why. Without it, the profile would be another device's.
  case collectionFailed

  /// What was collected has no JSON form.
  case serializationFailed

  public var errorDescription: String? {
    switch self {
    case .collectionFailed: "The device profile cannot be collected: the device's identifier cannot be had."
    case .serializationFailed: "The device profile cannot be written as JSON."
    }
  }
}
