public import Foundation
package import StrictJSON

/// A device that was bound to the user with a key.
public struct BoundDevice: Device, Identifiable, Hashable {
  /// The server's name of the record.
  public let id: String

  /// The name that the user knows it by: 1 to 120 characters.
  public var deviceName: String

  /// `devices/2fa/binding`.
  public let urlSuffix: String

  /// The identifier that the device sent when it was bound.
  public let deviceId: String

  /// The identifier of the binding.
  public let uuid: String

  /// When it was bound, in seconds since 1970 (on the wire: milliseconds).
  public let createdDate: TimeInterval

  /// When it last signed, in seconds since 1970 (on the wire: milliseconds).
  public let lastAccessDate: TimeInterval

  /// The record as the server sent it, with the members that have no property here.
  package let record: JSONValue

  /// A device, as a test makes it.
  public init(
    id: String, deviceName: String, deviceId: String, uuid: String, createdDate: TimeInterval,
    lastAccessDate: TimeInterval
  ) {
    self.init(
      id: id, deviceName: deviceName, deviceId: deviceId, uuid: uuid, createdDate: createdDate,
      lastAccessDate: lastAccessDate,
      record: [
        "_id": .string(id), "deviceName": .string(deviceName), "deviceId": .string(deviceId),
        "uuid": .string(uuid),
        "createdDate": RecordReader.milliseconds(createdDate),
        "lastAccessDate": RecordReader.milliseconds(lastAccessDate),
      ])
  }

  private init(
    id: String, deviceName: String, deviceId: String, uuid: String, createdDate: TimeInterval,
    lastAccessDate: TimeInterval, record: JSONValue
  ) {
    self.id = id
    self.deviceName = deviceName
    urlSuffix = Self.path
    self.deviceId = deviceId
    self.uuid = uuid
    self.createdDate = createdDate
    self.lastAccessDate = lastAccessDate
    self.record = record
  }
}

extension BoundDevice: WireDevice {
  static var path: String { "devices/2fa/binding" }

  init(record: JSONValue) throws(RecordError) {
    let members = RecordReader(record: record)
    try self.init(
      id: members.text("_id"), deviceName: members.text("deviceName"), deviceId: members.text("deviceId"),
      uuid: members.text("uuid"), createdDate: members.seconds("createdDate"),
      lastAccessDate: members.seconds("lastAccessDate"), record: record)
  }
}

extension BoundDevice: Codable {
  private enum CodingKeys: String, CodingKey {
    case id = "_id"
    case deviceName, deviceId, uuid, createdDate, lastAccessDate
  }

  /// Reads the form on the wire, with dates in milliseconds.
  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      id: try members.decode(String.self, forKey: .id),
      deviceName: try members.decode(String.self, forKey: .deviceName),
      deviceId: try members.decode(String.self, forKey: .deviceId),
      uuid: try members.decode(String.self, forKey: .uuid),
      createdDate: try members.decode(Double.self, forKey: .createdDate) / 1000,
      lastAccessDate: try members.decode(Double.self, forKey: .lastAccessDate) / 1000)
  }

  /// Writes the form on the wire, with dates in milliseconds.
  public func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: CodingKeys.self)
    try members.encode(id, forKey: .id)
    try members.encode(deviceName, forKey: .deviceName)
    try members.encode(deviceId, forKey: .deviceId)
    try members.encode(uuid, forKey: .uuid)
    try members.encode(RecordReader.milliseconds(createdDate).integerValue, forKey: .createdDate)
    try members.encode(RecordReader.milliseconds(lastAccessDate).integerValue, forKey: .lastAccessDate)
  }
}
