public import Foundation
public import PingJourneyPlugin

/// Registers the callback of this module. A journey does so by itself when the module is linked into the program.
public class DeviceProfile: NSObject, CallbackProvider {
  public override init() { super.init() }

  /// Registers ``DeviceProfileCallback``; complete when it returns. A class that the app has registered stays.
  public static func registerCallbacks() {
    CallbackRegistry.shared.registerIfAbsent(
      type: JourneyConstants.deviceProfileCallback, callback: DeviceProfileCallback.self)
  }
}

extension JourneyConstants {
  /// The type of ``DeviceProfileCallback`` on the wire.
  public static let deviceProfileCallback = "DeviceProfileCallback"
}
