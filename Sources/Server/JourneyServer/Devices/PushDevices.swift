internal import JourneyStore
internal import PushService

/// The devices on which an account answers push messages.
struct PushDevices: DeviceKind {
  static let path = "devices/2fa/push"
  static let name = "push"
  static let isOptional = true
  let devices: any DeviceStore<PushDeviceRecord>
  let direct: PollWaiters

  /// Ends the device's streams.
  func ended(_ device: PushDeviceRecord) { direct.end(device.address) }
}
