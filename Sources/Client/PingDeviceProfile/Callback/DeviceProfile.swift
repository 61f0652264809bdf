public import Foundation
public import PingJourneyPlugin

/// Registers this module's callback. A journey calls it automatically when the module is linked into the program.
public class DeviceProfile: NSObject, CallbackProvider {
  public override init() { super.init() }

  /// Registers ``DeviceProfileCallback`` before it returns. A class that the app has registered stays.
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

/// Texts in profiles, and the JavaScript expression for the browser's user agent.
public enum DeviceProfileConstants {
  /// The text for unknown values.
  public static let unknown = "Unknown"
  // swift-format-ignore: AlwaysUseLowerCamelCase
  public static let navigator_userAgent = "navigator.userAgent"
  public static let userAgent = "userAgent"
}
