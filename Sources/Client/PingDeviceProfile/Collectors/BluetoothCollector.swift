/// Whether the device has Bluetooth. Nothing is switched on, and no device nearby is looked for.
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
      // Every device that runs these systems has it; asking would show the person a question.
      BluetoothInfo(supported: true)
    #endif
  }
}

/// A device's Bluetooth.
public struct BluetoothInfo: Codable, Sendable {
  /// Whether it has some.
  public let supported: Bool
}
