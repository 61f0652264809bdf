internal import BindingFormats
internal import Foundation
internal import JourneyStore

/// Device profiles, which no journey here stores: every list is empty, and every record unknown. Clients that list all kinds
/// so get an answer that they can read.
struct ProfileDevices: DeviceKind {
  static let path = "devices/profile"
  static let name = "profile"
  let devices: any DeviceStore<Profile> = NoDevices()

  /// There is none.
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
