public import Foundation
public import PingJourneyPlugin

/// Registers this module's callback. A journey calls it automatically when the module is linked into the program.
public class DeviceProfile: NSObject, CallbackProvider {
  public override init() { super.init() }

  /// Registers ``DeviceProfileCallback``; complete when it returns. A class that the app has registered stays.
  public static func registerCallbacks() {
    CallbackRegistry.shared.registerIfAbsent(
      type: JourneyConstants.deviceProfileCallback, callback: DeviceProfileCallback.self)
  }
}

extension JourneyConstants {
  /// The protocol's type of ``DeviceProfileCallback``.
  public static let deviceProfileCallback = "DeviceProfileCallback"
}

/// Why there is no profile.
public enum DeviceProfileError: Error, LocalizedError {
  /// The device's identifier is not available; the reason is logged. Without it, the profile would describe another device.
  case collectionFailed

  /// The collected profile cannot be written as JSON.
  case serializationFailed

  public var errorDescription: String? {
    switch self {
    case .collectionFailed:
      "The device profile cannot be collected: the device's identifier is not available."
    case .serializationFailed: "The device profile cannot be written as JSON."
    }
  }
}

/// Texts of profiles, and the browser's expression for its name.
public enum DeviceProfileConstants {
  /// Stands for an unknown text.
  public static let unknown = "Unknown"
  // swift-format-ignore: AlwaysUseLowerCamelCase
  public static let navigator_userAgent = "navigator.userAgent"
  public static let userAgent = "userAgent"
}
