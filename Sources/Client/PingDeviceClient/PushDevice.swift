public import Foundation
package import StrictJSON

/// A device that approves sign-ins by push notifications.
public struct PushDevice: Device, Identifiable, Hashable {
  /// The record's identifier on the server.
  public let id: String

  /// The name by which the user knows the device: 1 to 120 characters.
  public var deviceName: String

  /// `devices/2fa/push`.
  public let urlSuffix: String

  /// The identifier of the registration.
  public let uuid: String

  /// When it was registered, in seconds since 1970 (on the wire: milliseconds); 0 when the server does not say.
  public let createdDate: TimeInterval

  /// When it was last used, in seconds since 1970 (on the wire: milliseconds); 0 when the server does not say.
  public let lastAccessDate: TimeInterval

  /// The record as the server sent it, with the members that have no property here.
  package let record: JSONValue

  /// A device, for use in tests.
  public init(
    id: String, deviceName: String, uuid: String, createdDate: TimeInterval, lastAccessDate: TimeInterval
  ) {
    self.id = id
    self.deviceName = deviceName
    urlSuffix = Self.path
    self.uuid = uuid
    self.createdDate = createdDate
    self.lastAccessDate = lastAccessDate
    record = [
      "_id": .string(id), "deviceName": .string(deviceName), "uuid": .string(uuid),
      "createdDate": RecordReader.milliseconds(createdDate),
      "lastAccessDate": RecordReader.milliseconds(lastAccessDate),
    ]
  }
}

extension PushDevice: WireDevice {
  static var path: String { "devices/2fa/push" }
  static var changesNeedRevision: Bool { true }

  init(record: JSONValue) throws(RecordError) {
    let members = RecordReader(record: record)
    id = try members.text("_id")
    deviceName = try members.text("deviceName")
    urlSuffix = Self.path
    uuid = try members.text("uuid")
    createdDate = try members.secondsIfKnown("createdDate")
    lastAccessDate = try members.secondsIfKnown("lastAccessDate")
    self.record = record
  }

  /// Reads the form on the wire, with dates in milliseconds.
  public init(from decoder: any Decoder) throws { try self.init(record: JSONValue(from: decoder)) }

  /// Writes the form on the wire, with dates in milliseconds.
  public func encode(to encoder: any Encoder) throws { try renamedRecord.encode(to: encoder) }
}
