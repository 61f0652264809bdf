internal import BindingFormats
internal import Foundation
internal import JourneyStore

/// Device profiles, which no journey on this server stores: every list is empty, so that clients that list all kinds get a
/// valid answer.
struct ProfileDevices: DeviceKind {
  static let path = "devices/profile"
  static let name = "profile"
  let devices: any DeviceStore<Profile> = NoDevices()

  /// No value exists.
  enum Profile: DeviceRecord {
    var uuid: String { switch self {} }
    var realm: String { switch self {} }
    var username: String { switch self {} }
    var deviceName: String { switch self {} }
    var createdDate: Date { switch self {} }
    var lastAccessDate: Date { switch self {} }
  }

  private struct NoDevices: DeviceStore {
    func all(of account: UniversalID) -> [Profile] { [] }
    func rename(_ uuid: String, of account: UniversalID, to name: String) -> Profile? { nil }
    func delete(_ uuid: String, of account: UniversalID) -> Profile? { nil }
    func reset(_ account: UniversalID) -> [Profile] { [] }
    func skipSetting(of account: UniversalID) -> SkipSetting { .notSet }
    func set(_ setting: SkipSetting, of account: UniversalID) -> Bool { false }
  }
}
