/// Whether the device has Bluetooth. Nothing is switched on, and no nearby devices are searched for.
// Its stored property is immutable and Sendable.
public class BluetoothCollector: DeviceCollector, @unchecked Sendable {
  public typealias DataType = BluetoothInfo

  public let key = "bluetooth"
  private let files: SystemFiles

  public convenience init() { self.init(files: SystemFiles()) }

  init(files: SystemFiles) { self.files = files }

  public func collect() async -> BluetoothInfo? {
    #if os(Linux)
      BluetoothInfo(supported: !files.names(in: "sys/class/bluetooth").isEmpty)
    #else
      // Every device with these systems has it; checking would prompt the person.
      BluetoothInfo(supported: true)
    #endif
  }
}

/// A device's Bluetooth support.
public struct BluetoothInfo: Codable, Sendable {
  /// Whether the device has Bluetooth.
  public let supported: Bool
}
