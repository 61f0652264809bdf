public import PingLogger

/// Finds out one thing about the device.
public protocol DeviceCollector {
  /// What it finds out. It is sent in its JSON form.
  associatedtype DataType: Codable

  /// The member of the profile's `metadata` that it fills.
  var key: String { get }

  /// What was found out; `nil` leaves the member out, and so does an error, which is logged.
  func collect() async throws -> DataType?
}

/// A collector that logs. It gets the logger of the configuration before it collects.
public protocol LoggerAware {
  var logger: any Logger { get set }
}

/// The collectors that are asked unless an app says otherwise.
public struct DefaultDeviceCollector {
  /// Platform, hardware, network, telephony, bluetooth and browser.
  public static func defaultDeviceCollectors() -> [any DeviceCollector] {
    [
      PlatformCollector(), HardwareCollector(), NetworkCollector(), TelephonyCollector(),
      BluetoothCollector(),
      BrowserCollector(),
    ]
  }
}
