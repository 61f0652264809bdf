internal import JourneyStore
internal import StrictJSON

/// Device profiles, which no journey here stores: every list is empty, and every record unknown. Clients that list all kinds
/// so get an answer that they can read.
struct ProfileDevices: DeviceKind {
  static let path = "devices/profile"
  static let name = "profile"

  func devices(of account: UniversalID) async throws -> [Never] { [] }

  func rename(_ id: String, of account: UniversalID, to name: String) async throws -> Never? { nil }

  func remove(_ id: String, of account: UniversalID) async throws -> Never? { nil }

  static func representation(of device: Never) -> JSONObject {}
}
