public import Foundation
package import StrictJSON

/// A device that was bound to the user with a key.
public struct BoundDevice: Device, Identifiable, Hashable {
  /// The record's identifier on the server.
  public let id: String

  /// The name by which the user knows the device: 1 to 120 characters.
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

  /// A device, for use in tests.
  public init(
    id: String, deviceName: String, deviceId: String, uuid: String, createdDate: TimeInterval,
    lastAccessDate: TimeInterval
  ) {
    self.id = id
    self.deviceName = deviceName
    urlSuffix = Self.path
    self.deviceId = deviceId
    self.uuid = uuid
    self.createdDate = createdDate
    self.lastAccessDate = lastAccessDate
    record = [
      "_id": .string(id), "deviceName": .string(deviceName), "deviceId": .string(deviceId),
      "uuid": .string(uuid), "createdDate": RecordReader.milliseconds(createdDate),
      "lastAccessDate": RecordReader.milliseconds(lastAccessDate),
    ]
  }
}

extension BoundDevice: WireDevice {
  static var path: String { "devices/2fa/binding" }

  init(record: JSONValue) throws(RecordError) {
    let members = RecordReader(record: record)
    id = try members.text("_id")
    deviceName = try members.text("deviceName")
    urlSuffix = Self.path
    deviceId = try members.text("deviceId")
    uuid = try members.text("uuid")
    createdDate = try members.seconds("createdDate")
    lastAccessDate = try members.seconds("lastAccessDate")
    self.record = record
  }

  /// Reads the form on the wire, with dates in milliseconds.
  public init(from decoder: any Decoder) throws { try self.init(record: JSONValue(from: decoder)) }

  /// Writes the form on the wire, with dates in milliseconds.
  public func encode(to encoder: any Encoder) throws { try renamedRecord.encode(to: encoder) }
}
