internal import JourneyStore
internal import StrictJSON

/// The devices whose keys are bound to an account.
struct BoundDevices: DeviceKind {
  let store: any BoundDeviceStore

  static let path = "devices/2fa/binding"
  static let name = "binding"

  func devices(of account: UniversalID) async throws -> [BoundDeviceRecord] {
    try await store.boundDevices(of: account)
  }

  func rename(_ id: String, of account: UniversalID, to name: String) async throws -> BoundDeviceRecord? {
    try await store.renameBoundDevice(uuid: id, of: account, to: name)
  }

  func remove(_ id: String, of account: UniversalID) async throws -> BoundDeviceRecord? {
    try await store.deleteBoundDevice(uuid: id, of: account)
  }

  /// `attestation` is ours, and there only for a key that has one.
  static func representation(of device: BoundDeviceRecord) -> JSONObject {
    var members: JSONObject = [
      "deviceId": .string(device.deviceID), "recoveryCodes": [], "key": .object(device.key),
    ]
    members["attestation"] = device.attestation.map { .object($0) }
    return device.representation(members)
  }
}
