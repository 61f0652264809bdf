internal import Accounts
internal import Bytes
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

    init(identifier: String, alias: String?, savedAt: Int64, metadata: JSONValue?, location: JSONValue?) {
      self.identifier = identifier
      self.alias = alias
      self.savedAt = savedAt
      self.metadata = metadata
      self.location = location
    }

    init?(_ json: JSONValue) {
      guard let identifier = json["identifier"]?.stringValue, let savedAt = json["savedAt"]?.integerValue
      else {
        return nil
      }
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

  static func saved(of user: UserRecord) -> [Saved] {
    (user.attributes[storedKey]?.arrayValue ?? []).compactMap(Saved.init)
  }
}
