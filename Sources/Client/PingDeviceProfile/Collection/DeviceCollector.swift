public import PingLogger

/// Collects one kind of facts about the device.
public protocol DeviceCollector {
  /// The collected facts, which are sent as JSON.
  associatedtype DataType: Codable

  /// The member of the profile's `metadata` that this collector fills.
  var key: String { get }

  /// Returns the collected facts. `nil` omits the member; so does an error, which is logged.
  func collect() async throws -> DataType?
}

/// A collector that logs. It receives the configuration's logger before it collects.
public protocol LoggerAware {
  var logger: any Logger { get set }
}

/// The default collectors.
public struct DefaultDeviceCollector {
  /// Platform, hardware, network, telephony, bluetooth and browser.
  public static func defaultDeviceCollectors() -> [any DeviceCollector] {
    [
      PlatformCollector(), HardwareCollector(), NetworkCollector(), TelephonyCollector(),
      BluetoothCollector(), BrowserCollector(),
    ]
  }
}
