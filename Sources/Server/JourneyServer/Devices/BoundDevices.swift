internal import JourneyStore
internal import StrictJSON

/// The devices whose keys are bound to an account.
struct BoundDevices: DeviceKind {
  static let path = "devices/2fa/binding"
  static let name = "binding"
  let devices: any DeviceStore<BoundDeviceRecord>

  /// `attestation` is ours, and there only for a key that has one.
  static func members(of device: BoundDeviceRecord) -> JSONObject {
    var members: JSONObject = [
      "deviceId": .string(device.deviceID), "recoveryCodes": [], "key": .object(device.key),
    ]
    members["attestation"] = device.attestation.map { .object($0) }
    return members
  }
}
