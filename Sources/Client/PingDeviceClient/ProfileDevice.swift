public import Foundation
package import StrictJSON

/// A device that is recognised by a profile which the user agreed to store.
public struct ProfileDevice: Device, Identifiable, Hashable {
  /// The record's identifier on the server.
  public let id: String

  /// The name by which the user knows the device: 1 to 120 characters. On the wire: `alias`.
  public var deviceName: String

  /// `devices/profile`.
  public let urlSuffix: String

  /// The identifier that the device sent with its profile.
  public let identifier: String

  /// Where the device was, if its profile says.
  public let location: Location?

  /// When it was last used, in seconds since 1970 (on the wire: milliseconds); 0 when the server does not say.
  public let lastSelectedDate: TimeInterval

  /// The record as the server sent it, with the members that have no property here.
  package let record: JSONValue

  /// The device's description of itself, such as `platform` and `hardware`: texts, `Bool`, numbers as `NSNumber` (which casts to
  /// `Int` and `Double` alike), and arrays and dictionaries of these. Members that are `null` are left out.
  public var metadata: [String: any Sendable] { record["metadata"]?.objectValue.map(Self.members) ?? [:] }

  /// A device without metadata, for use in tests.
  public init(
    id: String, deviceName: String, identifier: String, location: Location? = nil,
    lastSelectedDate: TimeInterval
  ) {
    self.id = id
    self.deviceName = deviceName
    urlSuffix = Self.path
    self.identifier = identifier
    self.location = location
    self.lastSelectedDate = lastSelectedDate
    var record: JSONObject = [
      "_id": .string(id), "alias": .string(deviceName), "identifier": .string(identifier),
      "lastSelectedDate": RecordReader.milliseconds(lastSelectedDate),
    ]
    if let location {
      var place = JSONObject()
      place["latitude"] = location.latitude.map { .number($0) }
      place["longitude"] = location.longitude.map { .number($0) }
      record["location"] = .object(place)
    }
    self.record = .object(record)
  }

  private static func members(_ object: JSONObject) -> [String: any Sendable] {
    var members: [String: any Sendable] = [:]
    for name in object.names { members[name] = object[name].flatMap(native) }
    return members
  }

  private static func native(_ value: JSONValue) -> (any Sendable)? {
    if let object = value.objectValue { return members(object) }
    if let array = value.arrayValue { return array.compactMap(native) }
    if let integer = value.integerValue { return NSNumber(value: integer) }
    return value.boolValue ?? value.doubleValue.map(NSNumber.init(value:)) ?? value.stringValue
  }
}

extension ProfileDevice: WireDevice {
  static var path: String { "devices/profile" }
  static var nameMember: String { "alias" }

  init(record: JSONValue) throws(RecordError) {
    let members = RecordReader(record: record)
    id = try members.text("_id")
    deviceName = try members.text("alias")
    urlSuffix = Self.path
    identifier = try members.text("identifier")
    let place = record["location"]
    location = place?.objectValue.map { _ in
      Location(latitude: place?["latitude"]?.doubleValue, longitude: place?["longitude"]?.doubleValue)
    }
    lastSelectedDate = try members.secondsIfKnown("lastSelectedDate")
    self.record = record
  }

  /// Reads the form on the wire, with dates in milliseconds.
  public init(from decoder: any Decoder) throws { try self.init(record: JSONValue(from: decoder)) }

  /// Writes the form on the wire, with dates in milliseconds.
  public func encode(to encoder: any Encoder) throws { try renamedRecord.encode(to: encoder) }
}

/// The location in a device's profile.
public struct Location: Codable, Sendable, Hashable {
  /// Degrees north, -90 to 90; `nil` when the profile does not say.
  public let latitude: Double?

  /// Degrees east, -180 to 180; `nil` when the profile does not say.
  public let longitude: Double?

  /// A place.
  public init(latitude: Double?, longitude: Double?) {
    self.latitude = latitude
    self.longitude = longitude
  }
}
