internal import JourneyNodes
internal import JourneyStore
internal import StrictJSON

/// The devices on which an account answers push messages.
struct PushDevices: DeviceKind, DeviceChoice {
  let store: any PushStore
  let direct: DirectDelivery

  static let path = "devices/2fa/push"
  static let name = "push"
  var choice: (any DeviceChoice)? { self }

  func devices(of account: UniversalID) async throws -> [PushDeviceRecord] {
    try await store.pushDevices(of: account)
  }

  func rename(_ id: String, of account: UniversalID, to name: String) async throws -> PushDeviceRecord? {
    try await store.renamePushDevice(uuid: id, of: account, to: name)
  }

  /// Ends the device's streams, too.
  func remove(_ id: String, of account: UniversalID) async throws -> PushDeviceRecord? {
    let device = try await store.deletePushDevice(
      uuid: id, of: account)
    if let device { direct.end(device.address) }
    return device
  }

  static func representation(of device: PushDeviceRecord) -> JSONObject { device.representation() }

  func skipSetting(of account: UniversalID) async throws -> SkipSetting {
    try await store.pushSkipSetting(of: account)
  }

  func set(_ setting: SkipSetting, of account: UniversalID) async throws -> Bool {
    try await store.setPushSkipSetting(setting, of: account)
  }

  func reset(_ account: UniversalID) async throws {
    for device in try await store.resetPush(of: account) {
      direct.end(device.address)
    }
  }
}
