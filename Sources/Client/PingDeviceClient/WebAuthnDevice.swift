public import Foundation
package import StrictJSON

/// An authenticator that was registered with WebAuthn.
public struct WebAuthnDevice: Device, Identifiable, Hashable {
  /// The record's identifier on the server.
  public let id: String

  /// The name by which the user knows the device: 1 to 120 characters.
  public var deviceName: String

  /// `devices/2fa/webauthn`.
  public let urlSuffix: String

  /// The identifier of the registration.
  public let uuid: String

  /// The credential's id, base64url without padding (WebAuthn L3 §5.1).
  public let credentialId: String

  /// When it was registered, in seconds since 1970 (on the wire: milliseconds); 0 when the server does not say.
  public let createdDate: TimeInterval

  /// When it was last used, in seconds since 1970 (on the wire: milliseconds); 0 when the server does not say.
  public let lastAccessDate: TimeInterval

  /// The record as the server sent it, with the members that have no property here.
  package let record: JSONValue

  /// A device, for use in tests.
  public init(
    id: String, deviceName: String, uuid: String, credentialId: String, createdDate: TimeInterval,
    lastAccessDate: TimeInterval
  ) {
    self.id = id
    self.deviceName = deviceName
    urlSuffix = Self.path
    self.uuid = uuid
    self.credentialId = credentialId
    self.createdDate = createdDate
    self.lastAccessDate = lastAccessDate
    record = [
      "_id": .string(id), "deviceName": .string(deviceName), "uuid": .string(uuid),
      "credentialId": .string(credentialId),
      "createdDate": RecordReader.milliseconds(createdDate),
      "lastAccessDate": RecordReader.milliseconds(lastAccessDate),
    ]
  }
}

extension WebAuthnDevice: WireDevice {
  static var path: String { "devices/2fa/webauthn" }

  init(record: JSONValue) throws(RecordError) {
    let members = RecordReader(record: record)
    id = try members.text("_id")
    deviceName = try members.text("deviceName")
    urlSuffix = Self.path
    uuid = try members.text("uuid")
    credentialId = try members.text("credentialId")
    createdDate = try members.secondsIfKnown("createdDate")
    lastAccessDate = try members.secondsIfKnown("lastAccessDate")
    self.record = record
  }

  /// Reads the form on the wire, with dates in milliseconds.
  public init(from decoder: any Decoder) throws { try self.init(record: JSONValue(from: decoder)) }

  /// Writes the form on the wire, with dates in milliseconds.
  public func encode(to encoder: any Encoder) throws { try renamedRecord.encode(to: encoder) }
}
