internal import JourneyStore

/// The authenticators of an account's one-time codes.
struct OathDevices: DeviceKind {
  static let path = "devices/2fa/oath"
  static let name = "oath"
  static let isOptional = true
  let devices: any DeviceStore<OathDeviceRecord>
}
