internal import Accounts
internal import Foundation
internal import JourneyStore
internal import StrictJSON

extension DeviceProfileState {
  /// The internal attribute with the profiles of an account's devices; nobody reads or sets it as an attribute.
  static let storedKey = ManagedAttribute.deviceProfiles

  /// A profile that was saved.
  struct Saved: Sendable {
    var identifier: String

    /// What the person calls the device.
    var alias: String?
    var savedAt: Int64
    var metadata: JSONValue?
    var location: JSONValue?
  }

  static func saved(of user: UserRecord) -> [Saved] { saved(user.attributes[storedKey]) }

  /// The profiles in the attribute's value.
  static func saved(_ value: JSONValue?) -> [Saved] { (value?.arrayValue ?? []).compactMap(Saved.init) }
}

// By hand, because a profile is compared with what the client says later, and coders write 1.0 as 1, which is another value.
extension DeviceProfileState.Saved {
  init?(_ json: JSONValue) {
    guard let identifier = json["identifier"]?.stringValue, let savedAt = json["savedAt"]?.integerValue
    else { return nil }
    self.init(
      identifier: identifier, alias: json["alias"]?.stringValue, savedAt: savedAt,
      metadata: json["metadata"], location: json["location"])
  }

  var json: JSONValue {
    var object: JSONObject = ["identifier": .string(identifier), "savedAt": .integer(savedAt)]
    object["alias"] = alias.map { .string($0) }
    object["metadata"] = metadata
    object["location"] = location
    return .object(object)
  }
}
