internal import Accounts
internal import Foundation
internal import JourneyStore
internal import StrictJSON

extension DeviceProfileState {
  /// The internal attribute with the profiles of an account's devices; nobody reads or sets it as an attribute.
  static let storedKey = ManagedAttribute.deviceProfiles

  /// A profile that was saved.
  struct Saved: Sendable, Codable {
    var identifier: String

    /// What the person calls the device.
    var alias: String?
    var savedAt: Int64
    var metadata: JSONValue?
    var location: JSONValue?
  }

  static func saved(of user: UserRecord) -> [Saved] { saved(user.attributes[storedKey]) }

  /// The profiles in the attribute's value.
  static func saved(_ value: JSONValue?) -> [Saved] {
    (value?.arrayValue ?? []).compactMap { StoredJSON.value(from: $0) }
  }
}
