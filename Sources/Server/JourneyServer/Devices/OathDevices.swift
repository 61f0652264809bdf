internal import JourneyStore
internal import StrictJSON

/// The authenticators of an account's one-time codes.
struct OathDevices: DeviceKind, DeviceChoice {
  let store: any OathStore

  static let path = "devices/2fa/oath"
  static let name = "oath"
  var choice: (any DeviceChoice)? { self }

  func devices(of account: UniversalID) async throws -> [OathDeviceRecord] {
    try await store.oathDevices(of: account)
  }

  func rename(_ id: String, of account: UniversalID, to name: String) async throws -> OathDeviceRecord? {
    try await store.renameOathDevice(uuid: id, of: account, to: name)
  }

  func remove(_ id: String, of account: UniversalID) async throws -> OathDeviceRecord? {
    try await store.deleteOathDevice(uuid: id, of: account)
  }

  static func representation(of device: OathDeviceRecord) -> JSONObject { device.representation() }

  func skipSetting(of account: UniversalID) async throws -> SkipSetting {
    try await store.oathSkipSetting(of: account)
  }

  func set(_ setting: SkipSetting, of account: UniversalID) async throws -> Bool {
    try await store.setOathSkipSetting(setting, of: account)
  }

  func reset(_ account: UniversalID) async throws {
    _ = try await store.resetOath(of: account)
  }
}
