internal import BindingFormats
internal import Foundation
internal import JourneyNodes
internal import JourneyStore
internal import ServerHTTP
internal import StrictJSON

/// The profiles by which journeys recognise an account's devices. They are not factors: nobody signs in by one.
struct ProfileDevices: DeviceKind {
  static let path = "devices/profile"
  static let name = "profile"
  static let nameMember = "alias"
  let devices: any DeviceStore<Profile>

  init(_ profiles: SavedDeviceProfiles) { devices = Store(profiles: profiles) }

  static func members(of device: Profile) -> JSONObject {
    var members: JSONObject = [
      "alias": .string(device.deviceName), "identifier": .string(device.saved.identifier),
      "lastSelectedDate": .integer(device.saved.savedAt),
    ]
    members["metadata"] = device.saved.metadata ?? [:]
    members["location"] = device.saved.location
    return members
  }

  struct Profile: DeviceRecord {
    let saved: SavedDeviceProfiles.Profile
    let account: UniversalID

    var uuid: String { saved.id }
    var realm: String { account.realm }
    var username: String { account.username }
    var deviceName: String { saved.name }
    var createdDate: Date { Date(timeIntervalSince1970: TimeInterval(saved.savedAt) / 1000) }
    var lastAccessDate: Date { createdDate }
  }

  private struct Store: DeviceStore {
    let profiles: SavedDeviceProfiles

    func all(of account: UniversalID) async throws -> [Profile] {
      try await profiles.all(of: account).map { Profile(saved: $0, account: account) }
    }

    func rename(_ uuid: String, of account: UniversalID, to name: String) async throws -> Profile? {
      try await profiles.rename(uuid, of: account, to: name).map { Profile(saved: $0, account: account) }
    }

    func delete(_ uuid: String, of account: UniversalID) async throws -> Profile? {
      try await profiles.remove(uuid, of: account).map { Profile(saved: $0, account: account) }
    }

    func reset(_ account: UniversalID) async throws -> [Profile] {
      var removed: [Profile] = []
      for profile in try await all(of: account) {
        if let gone = try await delete(profile.uuid, of: account) { removed.append(gone) }
      }
      return removed
    }

    // A profile is not a factor that an account could do without.
    func skipSetting(of account: UniversalID) -> SkipSetting { .notSet }
    func set(_ setting: SkipSetting, of account: UniversalID) -> Bool { false }
  }
}
